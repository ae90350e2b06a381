package io.github.zklock.spring.leader;

import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;

import io.github.zklock.LockRegistry;
import io.github.zklock.leader.Leadership;
import io.github.zklock.spring.LockConfigurationException;
import io.github.zklock.spring.OnLost;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.availability.AvailabilityChangeEvent;
import org.springframework.boot.availability.ReadinessState;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.SmartLifecycle;
import org.springframework.util.StringUtils;

/**
 * The roles in which the application takes part: those that are configured, and those
 * that are used. It takes part while it runs and does not refuse traffic: it joins after
 * everything else has started, and leaves before anything else stops. Leaving waits for
 * the work of a leader, as {@link io.github.zklock.leader.LeaderElection#leave()} does.
 * Thread-safe; may be started again.
 *
 * <p>
 * The registry is not asked for before a role is joined, or somebody asks who leads.
 */
public class LeaderRoles implements SmartLifecycle, ApplicationListener<AvailabilityChangeEvent<ReadinessState>> {

	/**
	 * The name of the bean.
	 */
	public static final String BEAN_NAME = "zkLockLeaderRoles";

	private final ApplicationContext context;

	private final Supplier<? extends LockRegistry> registry;

	private final @Nullable String applicationName;

	private final boolean followReadiness;

	private final Map<String, RoleMembership> memberships = new ConcurrentHashMap<>();

	private volatile boolean running;

	private volatile boolean refusing;

	/**
	 * Create the roles of an application.
	 * @param context the application, which hears of leadership by events
	 * @param registry gives the elections
	 * @param applicationName the default role, if there is one
	 * @param roles the roles in which the application takes part whether they are used or
	 * not
	 * @param followReadiness whether to take no part while the application refuses
	 * traffic
	 */
	public LeaderRoles(ApplicationContext context, Supplier<? extends LockRegistry> registry,
			@Nullable String applicationName, Collection<String> roles, boolean followReadiness) {
		this.context = context;
		this.registry = registry;
		this.applicationName = applicationName;
		this.followReadiness = followReadiness;
		roles.forEach(this::membership);
	}

	/**
	 * Return the role of those who name none: the name of the application.
	 * @return the default role
	 * @throws LockConfigurationException if the application has no name
	 */
	public String defaultRole() {
		if (!StringUtils.hasText(this.applicationName)) {
			throw new LockConfigurationException(
					"A role is needed to lead in, but none is named and the application has no name.",
					"Set the property 'spring.application.name', which is the default role, "
							+ "or name the role: @LeaderOnly(role = \"...\").");
		}
		return this.applicationName;
	}

	/**
	 * Take part in a role, from now on if the application runs, or else as soon as it
	 * does. A second call has no effect.
	 * @param role the role
	 * @return this process's leadership in the role
	 */
	public Leadership use(String role) {
		return used(role).leadership();
	}

	/**
	 * Take part in a role as {@link #use(String)}, to run something only while this
	 * process leads.
	 * @param role the role
	 * @param onLost what to do if leadership is lost meanwhile
	 * @return runs something
	 */
	public LeadershipExecution execution(String role, OnLost onLost) {
		return new LeadershipExecution(used(role).leadership(), onLost);
	}

	/**
	 * Return the roles in which the application takes part while it runs.
	 * @return all roles that are configured or used, in alphabetical order
	 */
	public Set<String> roles() {
		return new TreeSet<>(this.memberships.keySet());
	}

	private RoleMembership used(String role) {
		RoleMembership membership = membership(role);
		membership.update();
		return membership;
	}

	private RoleMembership membership(String role) {
		if (!StringUtils.hasText(role)) {
			throw new LockConfigurationException("A role to lead in must not be empty.",
					"Name the role, or remove the empty entry from the property 'zk.lock.leader.roles'.");
		}
		return this.memberships.computeIfAbsent(role, (key) -> new RoleMembership(key, this.registry,
				new LeadershipEvents(this.context), this::isTakingPart));
	}

	private boolean isTakingPart() {
		return this.running && !this.refusing;
	}

	// The application's readiness

	@Override
	public void onApplicationEvent(AvailabilityChangeEvent<ReadinessState> event) {
		if (this.followReadiness && isOwn(event.getSource())) {
			this.refusing = event.getState() == ReadinessState.REFUSING_TRAFFIC;
			this.memberships.values().forEach(RoleMembership::update);
		}
	}

	/**
	 * Return whether an event is not that of a child, whose events come here, too.
	 */
	private boolean isOwn(Object source) {
		return source == this.context || !(source instanceof ApplicationContext);
	}

	/**
	 * The order of events counts.
	 */
	@Override
	public boolean supportsAsyncExecution() {
		return false;
	}

	// The application's lifecycle

	@Override
	public void start() {
		this.running = true;
		this.memberships.values().forEach(RoleMembership::update);
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	/**
	 * Leave all roles at the same time. Waits for running work, though not for the
	 * caller's own and not for ever. An interrupt ends the wait for running work, and
	 * stays set.
	 */
	@Override
	public void stop() {
		CountDownLatch left = new CountDownLatch(1);
		stop(left::countDown);
		boolean interrupted = false;
		while (left.getCount() > 0) {
			try {
				left.await();
			}
			catch (InterruptedException ex) {
				interrupted = true;
				this.memberships.values().forEach(RoleMembership::hurry);
			}
		}
		if (interrupted) {
			Thread.currentThread().interrupt();
		}
	}

	@Override
	public void stop(Runnable callback) {
		this.running = false;
		CompletableFuture
			.allOf(this.memberships.values().stream().map(RoleMembership::leave).toArray(CompletableFuture<?>[]::new))
			.whenComplete((nothing, failure) -> callback.run());
	}

	@Override
	public int getPhase() {
		return Integer.MAX_VALUE;
	}

}
