package io.github.zklock.autoconfigure;

import java.util.ArrayList;
import java.util.List;

import io.github.zklock.LockRegistry;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.embedded.ConnectString;
import io.github.zklock.embedded.EmbeddedZooKeeper;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooDefs.Perms;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;
import org.apache.zookeeper.server.auth.DigestAuthenticationProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What the properties say about who may touch the nodes, and who makes the root.
 */
@ExtendWith(OutputCaptureExtension.class)
class AccessConfigurationTests extends ServerTestSupport {

	private static final String AUTH = "zk.lock.auth=digest:app:hush";

	AccessConfigurationTests(EmbeddedZooKeeper server, @ConnectString String connectString) {
		super(server, connectString);
	}

	private void make(List<ACL> acl, String... paths) {
		runner().withPropertyValues("zk.lock.root=/unused").run((context) -> {
			for (String path : paths) {
				context.getBean(ZooKeeperClient.class)
					.zooKeeper()
					.create(path, new byte[0], new ArrayList<>(acl), CreateMode.PERSISTENT);
			}
		});
	}

	private static List<ACL> own() throws Exception {
		return List.of(new ACL(Perms.ALL, new Id("digest", DigestAuthenticationProvider.generateDigest("app:hush"))));
	}

	@Test
	void credentialsMeanTheCreator() throws Exception {
		List<ACL> own = own();
		runner().withPropertyValues(AUTH).run((context) -> {
			context.getBean(LockRegistry.class).lock("name").lock();
			for (String path : List.of("/zk-lock", "/zk-lock/locks", "/zk-lock/locks/name")) {
				assertThat(context.getBean(ZooKeeperClient.class).zooKeeper().getACL(path, null)).isEqualTo(own);
			}
		});
	}

	@Test
	void credentialsOfACustomizerMeanTheCreatorToo() throws Exception {
		List<ACL> own = own();
		runner()
			.withBean(ZooKeeperLocksBuilderCustomizer.class, () -> (builder) -> builder.authInfo("digest", "app:hush"))
			.run((context) -> {
				context.getBean(LockRegistry.class).lock("name").lock();
				assertThat(context.getBean(ZooKeeperClient.class).zooKeeper().getACL("/zk-lock", null)).isEqualTo(own);
			});
	}

	@Test
	void openStaysOpenWithCredentials() {
		runner().withPropertyValues(AUTH, "zk.lock.acl=open").run((context) -> {
			context.getBean(LockRegistry.class).lock("name").lock();
			assertThat(context.getBean(ZooKeeperClient.class).zooKeeper().getACL("/zk-lock", null))
				.isEqualTo(Ids.OPEN_ACL_UNSAFE);
		});
	}

	@Test
	void strangersStopTheStartIfWanted(CapturedOutput output) {
		make(Ids.OPEN_ACL_UNSAFE, "/zk-lock", "/zk-lock/locks");
		runner().withPropertyValues(AUTH, "zk.lock.startup=fail").run((context) -> {
			FailureAnalysis analysis = Failures.of(context);
			assertThat(analysis.getDescription()).contains("'/zk-lock'", "'/zk-lock/locks'", "world:anyone",
					"zk.lock.startup");
			assertThat(analysis.getAction()).contains("zk.lock.root", "zk.lock.acl", "zk.lock.create-root",
					"'continue'");
		});
		runner().withPropertyValues(AUTH, "zk.lock.startup=fail", "zk.lock.acl=open")
			.run((context) -> assertThat(context).hasNotFailed());
		runner().withPropertyValues(AUTH).run((context) -> {
			context.getBean(LockRegistry.class).lock("name").lock();
			assertThat(context).hasNotFailed();
		});
		assertThat(output).doesNotContain("hush");
	}

	@Test
	void ownNodesDoNotStopTheStart() throws Exception {
		make(own(), "/zk-lock");
		runner().withPropertyValues(AUTH, "zk.lock.startup=fail", "zk.lock.create-root=false").run((context) -> {
			assertThat(context).hasNotFailed();
			context.getBean(LockRegistry.class).lock("name").lock();
		});
		runner().withPropertyValues(AUTH, "zk.lock.startup=fail", "zk.lock.root=/new")
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void missingRootStopsTheStartIfItIsNotToBeCreated() {
		for (String auth : List.of(AUTH, "x.y=z")) {
			runner().withPropertyValues(auth, "zk.lock.startup=fail", "zk.lock.create-root=false").run((context) -> {
				FailureAnalysis analysis = Failures.of(context);
				assertThat(analysis.getDescription()).contains("'/zk-lock'", "zk.lock.create-root");
				assertThat(analysis.getAction()).contains("zk.lock.create-root");
			});
		}
		runner().withPropertyValues("zk.lock.create-root=false")
			.run((context) -> assertThatExceptionOfType(LockUnavailableException.class)
				.isThrownBy(() -> context.getBean(LockRegistry.class).lock("name").lock())
				.withMessageContainingAll("'name'", "'/zk-lock'", "zk.lock.create-root"));
		assertThat(server().view().children(chroot())).isEmpty();
	}

}
