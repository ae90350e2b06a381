package io.github.zklock.sample;

import io.github.zklock.embedded.EmbeddedZooKeeper;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;

/**
 * The sample application. Today it brings its own ZooKeeper and nothing else.
 */
@SpringBootApplication
public class SampleApplication {

	private static final Logger logger = LoggerFactory.getLogger(SampleApplication.class);

	public static void main(String[] args) {
		SpringApplication.run(SampleApplication.class, args);
	}

	@Bean
	EmbeddedZooKeeper embeddedZooKeeper() {
		EmbeddedZooKeeper zooKeeper = EmbeddedZooKeeper.startNew();
		logger.info("ZooKeeper is ready at {}. Stop it with Ctrl-C.", zooKeeper.connectString());
		return zooKeeper;
	}

}
