package io.github.zklock.sample.web;

import java.time.Duration;

import io.github.zklock.LockInspector;
import io.github.zklock.LockRegistry;
import io.github.zklock.leader.Leadership;
import io.github.zklock.sample.cluster.Journal;
import io.github.zklock.sample.cluster.LockWatch;
import io.github.zklock.sample.cluster.Self;
import io.github.zklock.sample.cluster.ZooKeeperLink;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;

/**
 * What operators see and do.
 */
@RestController
@RequestMapping("/api")
class ClusterController {

	private static final int LONGEST_PAUSE = 120;

	private final StateAssembler assembler;

	private final LiveStates liveStates;

	private final ZooKeeperLink link;

	private final LockRegistry registry;

	private final LockInspector inspector;

	private final Self self;

	private final Journal journal;

	ClusterController(StateAssembler assembler, LiveStates liveStates, ZooKeeperLink link, LockRegistry registry,
			LockInspector inspector, Self self, Journal journal) {
		this.assembler = assembler;
		this.liveStates = liveStates;
		this.link = link;
		this.registry = registry;
		this.inspector = inspector;
		this.self = self;
		this.journal = journal;
	}

	@GetMapping("/state")
	State state() {
		return this.assembler.assemble();
	}

	@GetMapping("/events")
	SseEmitter events() {
		return this.liveStates.subscribe();
	}

	@PostMapping("/zookeeper/pause")
	@ResponseStatus(HttpStatus.NO_CONTENT)
	void pause(@RequestBody Pause pause) {
		int seconds = (pause.seconds() != null) ? pause.seconds() : 0;
		if (seconds < 1 || seconds > LONGEST_PAUSE) {
			throw new BadInputException("'seconds' must be between 1 and %d".formatted(LONGEST_PAUSE));
		}
		this.journal.warn("link to ZooKeeper cut for %d s, on request".formatted(seconds));
		this.link.pause(Duration.ofSeconds(seconds));
	}

	@PostMapping("/zookeeper/resume")
	@ResponseStatus(HttpStatus.NO_CONTENT)
	void resume() {
		this.link.resume();
	}

	/**
	 * Let the next one lead. This instance stays a candidate, at the end of the queue.
	 */
	@PostMapping("/leadership/release")
	@ResponseStatus(HttpStatus.NO_CONTENT)
	void releaseLeadership() {
		Leadership leadership = this.registry.election(LockWatch.ROLE).leadership();
		if (!leadership.isLeader()) {
			throw new NotLeadingException(this.self.id(), LockWatch.ROLE);
		}
		this.journal.info("gives up leadership, on request");
		leadership.yield();
	}

	@DeleteMapping("/locks/{name}/holder")
	@ResponseStatus(HttpStatus.NO_CONTENT)
	void breakLock(@PathVariable String name) {
		if (!this.inspector.breakLock(name)) {
			throw new NotHeldException(name);
		}
		this.journal.warn("lock '%s' was taken away from its holder, on request".formatted(name));
	}

	/**
	 * The link is to be cut.
	 *
	 * @param seconds for how long
	 */
	record Pause(@Nullable Integer seconds) {

	}

}
