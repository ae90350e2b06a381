package io.github.zklock.sample;

import java.util.Map;

import org.springframework.boot.EnvironmentPostProcessor;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;

/**
 * Lets the shop bring its own ZooKeeper, unless {@code zk.lock.connect-string} names
 * another one.
 */
class EmbeddedByDefault implements EnvironmentPostProcessor {

	@Override
	public void postProcessEnvironment(ConfigurableEnvironment environment, SpringApplication application) {
		boolean elsewhere = Binder.get(environment).bind("zk.lock.connect-string", String.class).isBound();
		environment.getPropertySources()
			.addLast(new MapPropertySource("embedded by default", Map.of("zk.lock.embedded.enabled", !elsewhere)));
	}

}
