package io.github.zklock.spring;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.annotation.ReflectiveRuntimeHintsRegistrar;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A native image keeps what the annotations are on.
 */
class ReflectiveHintsTests {

	private static RuntimeHints hints(Class<?> type) {
		RuntimeHints hints = new RuntimeHints();
		new ReflectiveRuntimeHintsRegistrar().registerRuntimeHints(hints, type);
		return hints;
	}

	@ParameterizedTest
	@ValueSource(strings = { "locked", "lockedTwice", "leading", "composed" })
	void annotatedMethodIsKept(String method) {
		assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(Methods.class, method))
			.accepts(hints(Methods.class));
	}

	@Test
	void otherMethodIsNotKept() {
		assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(Methods.class, "plain"))
			.rejects(hints(Methods.class));
	}

	@ParameterizedTest
	@ValueSource(classes = { LockedType.class, LockedTwiceType.class, LeadingType.class })
	void annotatedTypeIsKept(Class<?> type) {
		assertThat(RuntimeHintsPredicates.reflection().onType(type)).accepts(hints(type));
	}

	static class Methods {

		@DistributedLock("a")
		public void locked() {
		}

		@DistributedLock("a")
		@DistributedLock("b")
		public void lockedTwice() {
		}

		@LeaderOnly("role")
		public void leading() {
		}

		@Composed
		public void composed() {
		}

		public void plain() {
		}

	}

	@Target(ElementType.METHOD)
	@Retention(RetentionPolicy.RUNTIME)
	@DistributedLock("a")
	@interface Composed {

	}

	@DistributedLock("a")
	static class LockedType {

	}

	@DistributedLock("a")
	@DistributedLock("b")
	static class LockedTwiceType {

	}

	@LeaderOnly("role")
	static class LeadingType {

	}

}
