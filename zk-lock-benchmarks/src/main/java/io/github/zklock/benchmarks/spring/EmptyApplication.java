package io.github.zklock.benchmarks.spring;

import java.util.Objects;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.ApplicationListener;

/**
 * An application with nothing in it, which ends as soon as it is ready.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
public class EmptyApplication {

	/**
	 * What stands before the milliseconds in the output.
	 */
	static final String READY = "ready after ";

	/**
	 * Start and stop.
	 * @param args properties
	 */
	public static void main(String[] args) {
		start(EmptyApplication.class, args);
	}

	static void start(Class<?> application, String[] args) {
		new SpringApplicationBuilder(application).web(WebApplicationType.NONE)
			.listeners((ApplicationListener<ApplicationReadyEvent>) (event) -> System.out
				.println(READY + Objects.requireNonNull(event.getTimeTaken()).toMillis()))
			.run(args)
			.close();
	}

}
