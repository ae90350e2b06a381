package io.github.zklock.autoconfigure;

import java.util.List;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.github.zklock.LockContender;
import io.github.zklock.LockInspector;
import io.github.zklock.LockLease;
import io.github.zklock.LockRegistry;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.embedded.ConnectString;
import io.github.zklock.embedded.EmbeddedZooKeeper;
import io.github.zklock.embedded.Sessions;
import io.github.zklock.spring.DistributedLock;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Stat;
import org.apache.zookeeper.server.auth.DigestAuthenticationProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.slf4j.LoggerFactory;

import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.awaitility.Awaitility.await;

/**
 * What the properties and the application's beans do to a session with a real server.
 */
@ExtendWith(OutputCaptureExtension.class)
class ZooKeeperConfigurationTests extends ServerTestSupport {

	ZooKeeperConfigurationTests(EmbeddedZooKeeper server, @ConnectString String connectString) {
		super(server, connectString);
	}

	// When a session is opened

	@Test
	void noSessionIsOpenedWithoutDemand() {
		runner().run((context) -> {
			context.getBean(LockRegistry.class).lock("name");
			context.getBean(LockRegistry.class).election("role").leadership().isLeader();
			assertThat(context.getBean(ZooKeeperClient.class).session().opened()).isZero();
			assertThat(server().view().sessions()).isEmpty();
		});
	}

	@Test
	void sessionIsOpenedAtTheStartIfAMethodNeedsIt() {
		runner().withBean(Demanding.class)
			.run((context) -> await().atMost(PATIENCE).until(() -> server().view().sessions().size() == 1));
	}

	@Test
	void sessionIsOpenedAtTheStartIfItMustNotFail() {
		runner().withPropertyValues("zk.lock.startup=fail")
			.run((context) -> assertThat(server().view().sessions()).hasSize(1));
	}

	// Properties

	@Test
	void sessionIsAsThePropertiesSay() {
		runner()
			.withPropertyValues("zk.lock.session.timeout=7s", "zk.lock.root=/some/where",
					"zk.lock.client-properties.zookeeper.request.timeout=7000", "zk.lock.curator-read-write=true")
			.run((context) -> {
				ZooKeeper zooKeeper = context.getBean(ZooKeeperClient.class).zooKeeper();
				assertThat(zooKeeper.getSessionTimeout()).isEqualTo(7000);
				assertThat(zooKeeper.getClientConfig().getProperty("zookeeper.request.timeout")).isEqualTo("7000");
				context.getBean(LockRegistry.class).writeLock("name").lock();
				assertThat(zooKeeper.getChildren("/some/where/locks/name", false)).singleElement()
					.asString()
					.contains("__WRIT__");
			});
	}

	@Test
	void moreNodesThanThePropertyAllowsAreRefused() {
		runner().withPropertyValues("zk.lock.session.max-node-bytes=10")
			.run((context) -> assertThatExceptionOfType(LockUnavailableException.class)
				.isThrownBy(() -> context.getBean(LockRegistry.class).lock("name").acquire())
				.withMessageContaining("zk.lock.session.max-node-bytes"));
	}

	@Test
	void creatorOnlyMayTouchTheNodes(CapturedOutput output) {
		Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
		Level level = root.getLevel();
		root.setLevel(Level.DEBUG);
		try {
			runner().withPropertyValues("zk.lock.auth[0].value=user:hush", "zk.lock.acl=creator").run((context) -> {
				LockLease lease = context.getBean(LockRegistry.class).lock("name").acquire();
				List<ACL> acl = context.getBean(ZooKeeperClient.class).zooKeeper().getACL("/zk-lock", new Stat());
				assertThat(acl).singleElement()
					.satisfies((entry) -> assertThat(entry.getId().getId())
						.isEqualTo(DigestAuthenticationProvider.generateDigest("user:hush")));
				runner().withPropertyValues("zk.lock.startup=fail").run((stranger) -> {
					FailureAnalysis analysis = Failures.of(stranger);
					assertThat(analysis.getDescription()).contains("/zk-lock", "zk.lock.root");
					assertThat(analysis.getAction()).contains("zk.lock.auth", "zk.lock.acl");
				});
				assertThat(lease.isHeld()).isTrue();
			});
		}
		finally {
			root.setLevel(level);
		}
		assertThat(output).contains("DEBUG").doesNotContain("hush");
	}

	@Test
	void listedIdentitiesMayTouchTheNodes() throws Exception {
		String entry = "digest:" + DigestAuthenticationProvider.generateDigest("user:password") + ":cdrwa";
		runner().withPropertyValues("zk.lock.auth=digest:user:password", "zk.lock.acl=" + entry + ",world:anyone:r")
			.run((context) -> {
				context.getBean(LockRegistry.class).lock("name").lock();
				assertThat(context.getBean(ZooKeeperClient.class).zooKeeper().getACL("/zk-lock/locks/name", null))
					.extracting((acl) -> acl.getId().getScheme())
					.containsExactly("digest", "world");
			});
	}

	@Test
	void inspectorSeesTheSameLocks() {
		runner().run((context) -> {
			LockInspector inspector = context.getBean(LockInspector.class);
			context.getBean(LockRegistry.class).lock("name").lock();
			context.getBean(LockRegistry.class).election("role").join();
			assertThat(inspector.held()).singleElement().satisfies((lock) -> assertThat(lock.name()).isEqualTo("name"));
			assertThat(inspector.waiting()).isEmpty();
			assertThat(inspector.queue("name")).extracting(LockContender::instance)
				.containsExactly(context.getBean(ZooKeeperClient.class).instance());
			await().atMost(PATIENCE).until(() -> inspector.queueOfRole("role").size() == 1);
			assertThat(inspector.breakLock("name")).isTrue();
			assertThat(inspector.held()).isEmpty();
		});
	}

	// Beans

	@Test
	void customizersAreCalledInOrder() {
		runner().withUserConfiguration(Customizing.class).run((context) -> {
			ZooKeeperClient client = context.getBean(ZooKeeperClient.class);
			for (int round = 0; round < 2; round++) {
				context.getBean(LockRegistry.class).lock("name").lock();
				assertThat(client.zooKeeper().exists("/second/locks/name", false)).isNotNull();
				assertThat(client.zooKeeper().exists("/first", false)).isNull();
				client.stop();
				assertThatException().isThrownBy(() -> context.getBean(LockRegistry.class).lock("name").unlock());
				client.start();
			}
		});
	}

	@Test
	void listenersAndEventsTellOfLosses() {
		runner().withUserConfiguration(Listening.class).run((context) -> {
			Listening listening = context.getBean(Listening.class);
			LockLease lease = context.getBean(LockRegistry.class).lock("name").acquire();
			assertThat(listening.next()).isEqualTo("acquired name");
			Sessions.expire(context.getBean(ZooKeeperClient.class).zooKeeper());
			assertThat(List.of(listening.next(), listening.next())).containsExactlyInAnyOrder("lost name",
					"event name");
			assertThat(lease.isHeld()).isFalse();
		});
	}

	@Test
	void handleIsReplacedAfterItsSession() {
		runner().run((context) -> {
			ZooKeeperClient client = context.getBean(ZooKeeperClient.class);
			ZooKeeper first = client.zooKeeper();
			Sessions.expire(first);
			await().atMost(PATIENCE).until(() -> !first.getState().isAlive());
			await().atMost(PATIENCE).until(() -> client.zooKeeper() != first);
			assertThat(client.zooKeeper().getState().isConnected()).isTrue();
		});
	}

	static class Demanding {

		@DistributedLock("name")
		public void locked() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Customizing {

		@Bean
		@Order(2)
		ZooKeeperLocksBuilderCustomizer second() {
			return (builder) -> builder.root("/second");
		}

		@Bean
		@Order(1)
		ZooKeeperLocksBuilderCustomizer first() {
			return (builder) -> builder.root("/first");
		}

	}

}
