package io.github.zklock.sample.demo;

import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;

import io.github.zklock.sample.demo.ShopCluster.Shop;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Talks to shops over HTTP.
 */
final class ShopClient {

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private final HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

	private final JsonMapper json = JsonMapper.shared();

	Answer get(Shop shop, String path) throws IOException, InterruptedException {
		return send(HttpRequest.newBuilder(shop.uri(path)));
	}

	Answer post(Shop shop, String path, @Nullable Object body) throws IOException, InterruptedException {
		return send(HttpRequest.newBuilder(shop.uri(path))
			.header("Content-Type", "application/json")
			.POST((body != null) ? BodyPublishers.ofString(this.json.writeValueAsString(body))
					: BodyPublishers.noBody()));
	}

	private Answer send(HttpRequest.Builder request) throws IOException, InterruptedException {
		HttpResponse<String> response = this.http.send(request.timeout(PATIENCE).build(), BodyHandlers.ofString());
		JsonNode body = response.body().isEmpty() ? this.json.nullNode() : this.json.readTree(response.body());
		return new Answer(response.statusCode(), body);
	}

	/**
	 * What a shop answers.
	 *
	 * @param status the HTTP status
	 * @param body the body
	 */
	record Answer(int status, JsonNode body) {

	}

}
