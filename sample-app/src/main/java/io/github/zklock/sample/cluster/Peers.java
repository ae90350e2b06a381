package io.github.zklock.sample.cluster;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.github.zklock.sample.cluster.Instances.Instance;

import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.stereotype.Component;

/**
 * Talks to the instances of the shop over HTTP, as their customers do.
 */
@Component
public class Peers {

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private final HttpClient client = HttpClient.newBuilder()
		.version(HttpClient.Version.HTTP_1_1)
		.connectTimeout(Duration.ofSeconds(5))
		.build();

	private final Instances instances;

	private final Self self;

	Peers(Instances instances, Self self) {
		this.instances = instances;
		this.self = self;
	}

	/**
	 * Return where all live instances are, at least this one.
	 */
	public List<String> all() {
		List<String> alive = this.instances.alive().stream().map(Instance::url).toList();
		return alive.isEmpty() ? List.of(this.self.url()) : alive;
	}

	/**
	 * Return where another instance is, or this one if it is alone.
	 */
	public String other() {
		return all().stream().filter((url) -> !url.equals(this.self.url())).findFirst().orElseGet(this.self::url);
	}

	/**
	 * Send a request.
	 * @return the status of the answer; fails if there is no answer
	 */
	public CompletableFuture<Integer> post(String url, String path, String json) {
		HttpRequest request = HttpRequest.newBuilder(URI.create(url + path))
			.header(HttpHeaders.CONTENT_TYPE, MediaType.APPLICATION_JSON_VALUE)
			.timeout(PATIENCE)
			.POST(BodyPublishers.ofString(json))
			.build();
		return this.client.sendAsync(request, BodyHandlers.discarding()).thenApply(HttpResponse::statusCode);
	}

}
