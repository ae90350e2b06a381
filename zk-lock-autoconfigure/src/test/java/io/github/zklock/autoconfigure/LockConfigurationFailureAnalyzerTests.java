package io.github.zklock.autoconfigure;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

/**
 * A whole application that does not start, with everything found as in production.
 */
@ExtendWith(OutputCaptureExtension.class)
class LockConfigurationFailureAnalyzerTests {

	@Test
	void tellsWhatIsWrongAndWhatToDo(CapturedOutput output) {
		SpringApplication application = new SpringApplicationBuilder(Application.class).web(WebApplicationType.NONE)
			.properties("zk.lock.root=nowhere", "spring.main.banner-mode=off")
			.build();
		assertThatException().isThrownBy(application::run);
		assertThat(output).containsSubsequence("APPLICATION FAILED TO START", "Description:", "'zk.lock.root'",
				"Action:", "'zk.lock.root'");
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

	}

}
