package io.github.zklock.spring.leader;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

import io.github.zklock.spring.LeadershipGrantedEvent;
import io.github.zklock.spring.LeadershipRevokedEvent;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.context.event.EventListener;

/**
 * Remembers the events of an application, and whether it led when it heard of them.
 */
class HeardEvents implements DisposableBean {

	private final LeaderRoles roles;

	private final List<String> events = new ArrayList<>();

	private final List<Long> tokens = new ArrayList<>();

	private volatile Consumer<String> whenGranted = (role) -> {
	};

	private volatile Runnable whenRevoked = () -> {
	};

	private volatile boolean destroyed;

	HeardEvents(LeaderRoles roles) {
		this.roles = roles;
	}

	/**
	 * Do something when leadership is granted.
	 */
	void whenGranted(Consumer<String> whenGranted) {
		this.whenGranted = whenGranted;
	}

	/**
	 * Do something when leadership is revoked, before that is remembered.
	 */
	void whenRevoked(Runnable whenRevoked) {
		this.whenRevoked = whenRevoked;
	}

	@EventListener
	void granted(LeadershipGrantedEvent event) {
		record("granted", event.role(), event.fencingToken());
		this.whenGranted.accept(event.role());
	}

	@EventListener
	void revoked(LeadershipRevokedEvent event) {
		this.whenRevoked.run();
		record("revoked", event.role(), event.fencingToken());
	}

	private void record(String what, String role, long token) {
		boolean leads = this.roles.use(role).isLeader();
		synchronized (this.events) {
			this.events
				.add("%s %s%s%s".formatted(what, role, leads ? ", leads" : "", this.destroyed ? ", too late" : ""));
			this.tokens.add(token);
		}
	}

	List<String> events() {
		synchronized (this.events) {
			return List.copyOf(this.events);
		}
	}

	List<Long> tokens() {
		synchronized (this.events) {
			return List.copyOf(this.tokens);
		}
	}

	@Override
	public void destroy() {
		this.destroyed = true;
	}

}
