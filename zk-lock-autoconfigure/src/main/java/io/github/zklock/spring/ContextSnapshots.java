package io.github.zklock.spring;

import java.util.function.UnaryOperator;

import io.micrometer.context.ContextSnapshot;
import io.micrometer.context.ContextSnapshotFactory;

import org.springframework.util.ClassUtils;

/**
 * What the thread of a caller knows, such as the trace that it belongs to. The task
 * decorator of an executor cannot find it: the locks are granted on another thread, which
 * then hands the body to the executor.
 */
final class ContextSnapshots {

	private static final boolean PRESENT = ClassUtils.isPresent("io.micrometer.context.ContextSnapshotFactory",
			ContextSnapshots.class.getClassLoader());

	private ContextSnapshots() {
	}

	/**
	 * Return what lets tasks know what the current thread knows now.
	 */
	static UnaryOperator<Runnable> capture() {
		return PRESENT ? Snapshots.capture() : UnaryOperator.identity();
	}

	/**
	 * Touches classes that may be absent.
	 */
	private static final class Snapshots {

		private static final ContextSnapshotFactory factory = ContextSnapshotFactory.builder().build();

		static UnaryOperator<Runnable> capture() {
			ContextSnapshot snapshot = factory.captureAll();
			return snapshot::wrap;
		}

	}

}
