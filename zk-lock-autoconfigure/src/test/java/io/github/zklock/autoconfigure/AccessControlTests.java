package io.github.zklock.autoconfigure;

import java.util.List;

import io.github.zklock.spring.LockConfigurationException;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooDefs.Perms;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class AccessControlTests {

	@Test
	void openAndCreatorAreKnownByName() {
		assertThat(AccessControl.parse(List.of("open"))).isEqualTo(Ids.OPEN_ACL_UNSAFE);
		assertThat(AccessControl.parse(List.of("creator"))).isEqualTo(Ids.CREATOR_ALL_ACL);
	}

	@Test
	void idMayContainColons() {
		assertThat(AccessControl.parse(List.of("digest:user:aGFzaA==:cdrwa", "world:anyone:r", "ip:::1/128:rw")))
			.containsExactly(new ACL(Perms.ALL, new Id("digest", "user:aGFzaA==")),
					new ACL(Perms.READ, new Id("world", "anyone")),
					new ACL(Perms.READ | Perms.WRITE, new Id("ip", "::1/128")));
	}

	@Test
	void creatorMayBeOneOfSeveral() {
		assertThat(AccessControl.parse(List.of("creator", "world:anyone:r")))
			.containsExactly(Ids.CREATOR_ALL_ACL.get(0), new ACL(Perms.READ, new Id("world", "anyone")));
	}

	@ParameterizedTest
	@ValueSource(strings = { "opne", "hush", "digest:hush", ":hush:r", "digest:user:hush:", "digest:user:hush:x" })
	void mistakeIsToldWithoutTheEntry(String entry) {
		assertThatExceptionOfType(LockConfigurationException.class)
			.isThrownBy(() -> AccessControl.parse(List.of("world:anyone:r", entry)))
			.withMessageContaining("zk.lock.acl[1]")
			.satisfies((ex) -> assertThat(ex.getMessage() + ex.action()).doesNotContain("hush"));
	}

	@Test
	void openTogetherWithOthersIsRefused() {
		assertThatExceptionOfType(LockConfigurationException.class)
			.isThrownBy(() -> AccessControl.parse(List.of("open", "creator")))
			.withMessageContaining("zk.lock.acl");
	}

	@Test
	void nobodyIsRefused() {
		assertThatExceptionOfType(LockConfigurationException.class).isThrownBy(() -> AccessControl.parse(List.of()))
			.withMessageContaining("zk.lock.acl");
	}

}
