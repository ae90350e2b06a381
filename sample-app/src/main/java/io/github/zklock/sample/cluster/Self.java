package io.github.zklock.sample.cluster;

import io.github.zklock.sample.SampleProperties;
import org.jspecify.annotations.Nullable;

import org.springframework.core.env.Environment;
import org.springframework.stereotype.Component;

/**
 * This very instance of the shop.
 */
@Component
public class Self {

	private final @Nullable String id;

	private final @Nullable String url;

	private final Environment environment;

	Self(SampleProperties properties, Environment environment) {
		this.id = properties.instance();
		this.url = properties.url();
		this.environment = environment;
	}

	public String id() {
		return (this.id != null) ? this.id : address();
	}

	/**
	 * Return where browsers and the other instances find this one.
	 */
	public String url() {
		return (this.url != null) ? this.url : "http://" + address();
	}

	/**
	 * The port may have been chosen when the web server was started.
	 */
	private String address() {
		return "localhost:" + this.environment.getRequiredProperty("local.server.port");
	}

}
