package io.github.zklock.autoconfigure;

import java.util.List;

import io.github.zklock.LockInspector;
import io.github.zklock.LockLease;
import io.github.zklock.LockLostException;
import io.github.zklock.LockRegistry;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.NamedLock;
import io.github.zklock.leader.LeaderElection;
import io.github.zklock.spring.LockTemplate;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Applications with {@code zk.lock.type=local}.
 */
class LocalLocksConfigurationTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(ZkLockAutoConfiguration.class))
		.withPropertyValues("zk.lock.type=local", "zk.lock.startup=fail", "zk.lock.leader.hand-over-wait=0");

	@Test
	void beansAreTheSameButForTheClient() {
		this.runner.run((context) -> assertThat(context).hasBean("zkLockRegistry")
			.hasBean("zkLockInspector")
			.hasBean("zkLockTemplate")
			.hasSingleBean(LockRegistry.class)
			.hasSingleBean(LockInspector.class)
			.hasSingleBean(LockTemplate.class)
			.doesNotHaveBean(ZooKeeperClient.class)
			.doesNotHaveBean(ZooKeeperConnectionDetails.class));
	}

	@Test
	void locksOutliveARestart() {
		this.runner.run((context) -> {
			ConfigurableApplicationContext source = context
				.getSourceApplicationContext(ConfigurableApplicationContext.class);
			NamedLock lock = context.getBean(LockRegistry.class).lock("name");
			LeaderElection election = context.getBean(LockRegistry.class).election("role");
			election.join();
			await().atMost(ServerTestSupport.PATIENCE).until(election.leadership()::isLeader);
			lock.lock();
			assertThat(context.getBean(LockInspector.class).held()).hasSize(1);
			source.stop();
			assertThat(context.getBean(LockLifecycle.class).isRunning()).isFalse();
			assertThat(election.leadership().isLeader()).isFalse();
			assertThatExceptionOfType(LockUnavailableException.class)
				.isThrownBy(context.getBean(LockRegistry.class).lock("other")::lock);
			source.start();
			assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::unlock);
			assertThat(election.leadership().isLeader()).isFalse();
			election.join();
			await().atMost(ServerTestSupport.PATIENCE).until(election.leadership()::isLeader);
			lock.lock();
			lock.unlock();
		});
	}

	@Test
	void stopsWhenTheOtherTypeDoes() {
		this.runner.run((context) -> assertThat(context.getBean(LockLifecycle.class).getPhase())
			.isEqualTo(ZooKeeperClient.PHASE));
	}

	@Test
	void listenersHearOfLocks() {
		this.runner.withUserConfiguration(Listening.class).run((context) -> {
			Listening listening = context.getBean(Listening.class);
			LockLease lease = context.getBean(LockRegistry.class).lock("name").acquire();
			assertThat(listening.next()).isEqualTo("acquired name");
			assertThat(context.getBean(LockInspector.class).breakLock("name")).isTrue();
			assertThat(List.of(listening.next(), listening.next())).containsExactlyInAnyOrder("lost name",
					"event name");
			assertThat(lease.isHeld()).isFalse();
		});
	}

}
