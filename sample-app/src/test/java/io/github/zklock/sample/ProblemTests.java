package io.github.zklock.sample;

import io.github.zklock.LockLease;
import io.github.zklock.LockRegistry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.client.RestTestClient.BodyContentSpec;
import org.springframework.test.web.servlet.client.RestTestClient.ResponseSpec;

/**
 * What the shop says when it cannot do something.
 */
class ProblemTests extends ShopTestSupport {

	@Autowired
	private LockRegistry registry;

	@Test
	void contended() throws Exception {
		try (LockLease lease = this.registry.lock("slow-job").acquire()) {
			expectProblem(post("/slow-job"), HttpStatus.CONFLICT, "Locked by others").jsonPath("$.lock")
				.isEqualTo(lease.name());
			post("/slow-job").expectHeader().valueEquals(HttpHeaders.RETRY_AFTER, "1");
		}
	}

	@Test
	void soldOut() {
		post("/rush", "{\"count\":%d}".formatted(SEATS)).expectStatus().isOk();
		// A buyer who has got no seat on a busy day has left one
		awaiting().untilAsserted(() -> {
			post("/rush", "{\"count\":1,\"reset\":false}").expectStatus().isOk();
			get("/sales").expectBody().jsonPath("$.sold").isEqualTo(SEATS);
		});
		ResponseSpec answer = post("/purchases", "{\"buyer\":\"ann\"}");
		answer.expectHeader().doesNotExist(HttpHeaders.RETRY_AFTER);
		expectProblem(answer, HttpStatus.CONFLICT, "Sold out").jsonPath("$.lock").doesNotExist();
	}

	@Test
	void unavailableAndNotLeading() {
		post("/zookeeper/pause", "{\"seconds\":60}").expectStatus().isNoContent();
		awaiting().untilAsserted(
				() -> expectProblem(post("/slow-job"), HttpStatus.SERVICE_UNAVAILABLE, "ZooKeeper cannot be asked")
					.jsonPath("$.lock")
					.isEqualTo("slow-job"));
		awaiting().untilAsserted(() -> get("/state").expectBody().jsonPath("$.leader").isEqualTo(null));
		expectProblem(post("/leadership/release"), HttpStatus.CONFLICT, "Not the leader");
	}

	@Test
	void heldByNobody() {
		expectProblem(delete("/locks/ledger/holder"), HttpStatus.NOT_FOUND, "Held by nobody");
	}

	@Test
	void unknownPath() {
		expectProblem(get("/nothing"), HttpStatus.NOT_FOUND, "Not Found");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
			/purchases       | {"buyer":"","locked":true}       | Bad input
			/purchases       | {"locked":true}                  | Bad input
			/purchases       | {"buyer":"ann","locked":"maybe"} | Bad Request
			/purchases       | {"buyer":                        | Bad Request
			/rush            | {"count":0}                      | Bad input
			/rush            | {"count":501}                    | Bad input
			/rush            | {"count":"many"}                 | Bad Request
			/zookeeper/pause | {"seconds":0}                    | Bad input
			/zookeeper/pause | {"seconds":121}                  | Bad input
			/zookeeper/pause | {}                               | Bad input
			""")
	void badInput(String path, String body, String title) {
		expectProblem(post(path, body), HttpStatus.BAD_REQUEST, title);
	}

	private static BodyContentSpec expectProblem(ResponseSpec answer, HttpStatus status, String title) {
		return answer.expectStatus()
			.isEqualTo(status)
			.expectHeader()
			.contentType(MediaType.APPLICATION_PROBLEM_JSON)
			.expectBody()
			.jsonPath("$.title")
			.isEqualTo(title)
			.jsonPath("$.status")
			.isEqualTo(status.value());
	}

}
