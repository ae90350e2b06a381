package io.github.zklock.autoconfigure;

import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * A condition on a property, which is read as {@link ZkLockProperties} reads it. Spring
 * Boot's own conditions compare texts: for them {@code on} is neither true nor false. A
 * value that cannot be read stops the start.
 *
 * @param <T> the type of the property
 */
abstract class PropertyCondition<T> extends SpringBootCondition {

	private final String name;

	private final T byDefault;

	private final T wanted;

	/**
	 * Create a condition.
	 * @param name the property
	 * @param byDefault its value if it is not set
	 * @param wanted the value with which the condition matches
	 */
	PropertyCondition(String name, T byDefault, T wanted) {
		this.name = name;
		this.byDefault = byDefault;
		this.wanted = wanted;
	}

	@Override
	public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
		@SuppressWarnings("unchecked")
		Class<T> type = (Class<T>) this.byDefault.getClass();
		T value = Binder.get(context.getEnvironment()).bind(this.name, type).orElse(this.byDefault);
		return new ConditionOutcome(this.wanted.equals(value),
				ConditionMessage.forCondition(this.name).because("it is '%s'".formatted(value)));
	}

	/**
	 * Locks and elections are configured.
	 */
	static final class Enabled extends PropertyCondition<Boolean> {

		Enabled() {
			super("zk.lock.enabled", true, true);
		}

	}

	/**
	 * The opposite of {@link Enabled}.
	 */
	static final class Disabled extends PropertyCondition<Boolean> {

		Disabled() {
			super("zk.lock.enabled", true, false);
		}

	}

	/**
	 * There is to be a server inside the application.
	 */
	static final class Embedded extends PropertyCondition<Boolean> {

		Embedded() {
			super("zk.lock.embedded.enabled", false, true);
		}

	}

	/**
	 * Locks are kept in ZooKeeper.
	 */
	static final class InZooKeeper extends PropertyCondition<ZkLockProperties.Type> {

		InZooKeeper() {
			super("zk.lock.type", ZkLockProperties.Type.ZOOKEEPER, ZkLockProperties.Type.ZOOKEEPER);
		}

	}

	/**
	 * Locks are kept in the application.
	 */
	static final class Local extends PropertyCondition<ZkLockProperties.Type> {

		Local() {
			super("zk.lock.type", ZkLockProperties.Type.ZOOKEEPER, ZkLockProperties.Type.LOCAL);
		}

	}

}
