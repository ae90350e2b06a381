package io.github.zklock.sample.web;

import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;

import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;

/**
 * Sends the state to the pages that are open: when it has changed, and every second.
 */
@Component
class LiveStates {

	private static final long FOREVER = 0;

	private static final long LONGEST_SILENCE_NANOS = Duration.ofSeconds(1).toNanos();

	private final StateAssembler assembler;

	private final Set<SseEmitter> pages = ConcurrentHashMap.newKeySet();

	private @Nullable State sent;

	private long sentNanos;

	LiveStates(StateAssembler assembler) {
		this.assembler = assembler;
	}

	SseEmitter subscribe() {
		SseEmitter page = new SseEmitter(FOREVER);
		page.onCompletion(() -> this.pages.remove(page));
		page.onError((ex) -> this.pages.remove(page));
		send(List.of(page), this.assembler.assemble());
		this.pages.add(page);
		return page;
	}

	@Scheduled(fixedDelay = 250)
	void publish() {
		if (this.pages.isEmpty()) {
			return;
		}
		State state = this.assembler.assemble();
		if (!state.equals(this.sent) || System.nanoTime() - this.sentNanos >= LONGEST_SILENCE_NANOS) {
			this.sent = state;
			this.sentNanos = System.nanoTime();
			send(this.pages, state);
		}
	}

	private void send(Collection<SseEmitter> pages, State state) {
		for (SseEmitter page : pages) {
			try {
				page.send(SseEmitter.event().name("state").data(state));
			}
			catch (IOException | IllegalStateException ex) {
				this.pages.remove(page);
			}
		}
	}

	/**
	 * Open pages must not delay the end of the application.
	 */
	@EventListener(ContextClosedEvent.class)
	void close() {
		this.pages.forEach(SseEmitter::complete);
	}

}
