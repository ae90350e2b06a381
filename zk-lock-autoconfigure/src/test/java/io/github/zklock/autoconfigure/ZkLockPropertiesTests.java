package io.github.zklock.autoconfigure;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import io.github.zklock.autoconfigure.ZkLockProperties.Auth;
import io.github.zklock.autoconfigure.ZkLockProperties.ClientLog;
import io.github.zklock.autoconfigure.ZkLockProperties.Startup;
import org.json.JSONArray;
import org.json.JSONException;
import org.json.JSONObject;
import org.junit.jupiter.api.Test;

import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.core.Ordered;

import static org.assertj.core.api.Assertions.assertThat;

class ZkLockPropertiesTests {

	/**
	 * Every property, with its default as the metadata must show it.
	 */
	private static final Map<String, String> DEFAULTS = new LinkedHashMap<>();

	private static final String NONE = "none";

	static {
		DEFAULTS.put("zk.lock.enabled", "true");
		DEFAULTS.put("zk.lock.type", "zookeeper");
		DEFAULTS.put("zk.lock.connect-string", "localhost:2181");
		DEFAULTS.put("zk.lock.root", "/zk-lock");
		DEFAULTS.put("zk.lock.instance", NONE);
		DEFAULTS.put("zk.lock.max-wait", "10s");
		DEFAULTS.put("zk.lock.session.timeout", "15s");
		DEFAULTS.put("zk.lock.session.connect-timeout", "5s");
		DEFAULTS.put("zk.lock.session.answer-timeout", "500ms");
		DEFAULTS.put("zk.lock.session.server-tick", "2s");
		DEFAULTS.put("zk.lock.session.max-node-bytes", "1500000");
		DEFAULTS.put("zk.lock.curator-read-write", "false");
		DEFAULTS.put("zk.lock.startup", "continue");
		DEFAULTS.put("zk.lock.shutdown.wait", "10s");
		DEFAULTS.put("zk.lock.order", String.valueOf(Ordered.LOWEST_PRECEDENCE - 100));
		DEFAULTS.put("zk.lock.auth", NONE);
		DEFAULTS.put("zk.lock.acl", NONE);
		DEFAULTS.put("zk.lock.create-root", "true");
		DEFAULTS.put("zk.lock.ssl.bundle", NONE);
		DEFAULTS.put("zk.lock.client-properties", NONE);
		DEFAULTS.put("zk.lock.client-log", "quiet");
		DEFAULTS.put("zk.lock.leader.roles", NONE);
		DEFAULTS.put("zk.lock.leader.follow-readiness", "true");
		DEFAULTS.put("zk.lock.leader.hand-over-wait", "10s");
		DEFAULTS.put("zk.lock.embedded.enabled", "false");
		DEFAULTS.put("zk.lock.embedded.port", "2181");
		DEFAULTS.put("zk.lock.embedded.data-dir", NONE);
	}

	private final Map<String, String> source = new LinkedHashMap<>();

	private ZkLockProperties bind() {
		return new Binder(new MapConfigurationPropertySource(this.source)).bindOrCreate("zk.lock",
				ZkLockProperties.class);
	}

	@Test
	void defaultsAreTheDocumentedOnes() {
		ZkLockProperties properties = bind();
		assertThat(properties.enabled()).isTrue();
		assertThat(properties.type()).isEqualTo(ZkLockProperties.Type.ZOOKEEPER);
		assertThat(properties.connectString()).isEqualTo("localhost:2181");
		assertThat(properties.root()).isEqualTo("/zk-lock");
		assertThat(properties.maxWait()).isEqualTo(Duration.ofSeconds(10));
		assertThat(properties.session().timeout()).isEqualTo(Duration.ofSeconds(15));
		assertThat(properties.session().connectTimeout()).isEqualTo(Duration.ofSeconds(5));
		assertThat(properties.session().answerTimeout()).isEqualTo(Duration.ofMillis(500));
		assertThat(properties.session().serverTick()).isEqualTo(Duration.ofSeconds(2));
		assertThat(properties.session().maxNodeBytes()).isEqualTo(1_500_000);
		assertThat(properties.curatorReadWrite()).isFalse();
		assertThat(properties.startup()).isEqualTo(Startup.CONTINUE);
		assertThat(properties.shutdown().waitTime()).isEqualTo(Duration.ofSeconds(10));
		assertThat(properties.order()).isEqualTo(Ordered.LOWEST_PRECEDENCE - 100);
		assertThat(properties.auth()).isEmpty();
		assertThat(properties.acl()).isNull();
		assertThat(properties.createRoot()).isTrue();
		assertThat(properties.ssl().bundle()).isNull();
		assertThat(properties.clientProperties()).isEmpty();
		assertThat(properties.clientLog()).isEqualTo(ClientLog.QUIET);
		assertThat(properties.leader().roles()).isEmpty();
		assertThat(properties.leader().followReadiness()).isTrue();
		assertThat(properties.leader().handOverWait()).isEqualTo(Duration.ofSeconds(10));
		assertThat(properties.embedded().enabled()).isFalse();
		assertThat(properties.embedded().port()).isEqualTo(2181);
		assertThat(properties.embedded().dataDir()).isNull();
	}

	@Test
	void bindsWhatHasNoSimpleType() {
		this.source.put("zk.lock.type", "local");
		this.source.put("zk.lock.startup", "fail");
		this.source.put("zk.lock.max-wait", "1500");
		this.source.put("zk.lock.auth[0].value", "user:password");
		this.source.put("zk.lock.auth[1].scheme", "other");
		this.source.put("zk.lock.auth[1].value", "text");
		this.source.put("zk.lock.acl", "creator,world:anyone:r");
		this.source.put("zk.lock.client-properties.zookeeper.request.timeout", "7000");
		this.source.put("zk.lock.client-properties[zookeeper.clientCnxnSocket]", "a.B");
		this.source.put("zk.lock.leader.roles", "a,b");
		this.source.put("zk.lock.embedded.data-dir", "data");
		ZkLockProperties properties = bind();
		assertThat(properties.type()).isEqualTo(ZkLockProperties.Type.LOCAL);
		assertThat(properties.startup()).isEqualTo(Startup.FAIL);
		assertThat(properties.maxWait()).isEqualTo(Duration.ofMillis(1500));
		assertThat(properties.auth()).containsExactly(new Auth("digest", "user:password"), new Auth("other", "text"));
		assertThat(properties.acl()).containsExactly("creator", "world:anyone:r");
		assertThat(properties.clientProperties()).containsOnly(Map.entry("zookeeper.request.timeout", "7000"),
				Map.entry("zookeeper.clientCnxnSocket", "a.B"));
		assertThat(properties.leader().roles()).containsExactly("a", "b");
		assertThat(properties.embedded().dataDir()).isEqualTo(Path.of("data"));
	}

	@Test
	void credentialsMayBeOneText() {
		this.source.put("zk.lock.auth", "digest:user:password,hush");
		assertThat(bind().auth()).containsExactly(new Auth("digest", "user:password"), new Auth("", "hush"));
	}

	@Test
	void showsNoSecrets() {
		this.source.put("zk.lock.auth[0].value", "user:hush");
		this.source.put("zk.lock.acl", "digest:user:hush:cdrwa");
		this.source.put("zk.lock.client-properties[zookeeper.ssl.keyStore.password]", "hush");
		ZkLockProperties properties = bind();
		assertThat(properties.toString()).contains("localhost:2181").doesNotContain("hush");
		assertThat(properties.auth().toString()).contains("digest").doesNotContain("hush");
	}

	@Test
	void metadataDescribesEveryProperty() throws Exception {
		Map<String, String> found = new LinkedHashMap<>();
		for (JSONObject property : metadata("properties")) {
			String name = property.getString("name");
			assertThat(property.getString("description")).as(name).isNotBlank().endsWith(".").doesNotContain("\n");
			found.put(name, property.optString("defaultValue", NONE));
		}
		assertThat(found).containsExactlyInAnyOrderEntriesOf(DEFAULTS);
	}

	@Test
	void metadataSuggestsValues() throws Exception {
		List<String> names = new ArrayList<>();
		for (JSONObject hint : metadata("hints")) {
			names.add(hint.getString("name"));
		}
		assertThat(names).contains("zk.lock.acl", "zk.lock.order", "zk.lock.leader.roles",
				"zk.lock.client-properties.keys");
	}

	private static List<JSONObject> metadata(String section) throws IOException, JSONException {
		try (InputStream stream = ZkLockProperties.class
			.getResourceAsStream("/META-INF/spring-configuration-metadata.json")) {
			String text = new String(Objects.requireNonNull(stream).readAllBytes(), StandardCharsets.UTF_8);
			JSONArray entries = new JSONObject(text).getJSONArray(section);
			List<JSONObject> found = new ArrayList<>();
			for (int index = 0; index < entries.length(); index++) {
				found.add(entries.getJSONObject(index));
			}
			return found;
		}
	}

}
