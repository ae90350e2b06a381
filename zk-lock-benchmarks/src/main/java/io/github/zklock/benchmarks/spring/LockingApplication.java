package io.github.zklock.benchmarks.spring;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;

/**
 * An application with annotated methods, which ends as soon as it is ready.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
public class LockingApplication {

	/**
	 * Start and stop.
	 * @param args properties
	 */
	public static void main(String[] args) {
		EmptyApplication.start(LockingApplication.class, args);
	}

	@Bean
	Counter counter() {
		return new Counter();
	}

}
