package io.github.zklock.sample;

import io.github.zklock.embedded.EmbeddedZooKeeper;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;

import static org.assertj.core.api.Assertions.assertThat;

@SpringBootTest
class SampleApplicationTests {

	@Autowired
	private EmbeddedZooKeeper zooKeeper;

	@Test
	void bringsItsOwnZooKeeper() {
		assertThat(this.zooKeeper.isRunning()).isTrue();
	}

}
