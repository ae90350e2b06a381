package io.github.zklock.spring.aop;

import java.lang.reflect.Method;

import io.github.zklock.LockNames;
import io.github.zklock.spring.NotLeaderException;
import io.github.zklock.spring.OnNotLeading;
import io.github.zklock.spring.leader.LeadershipExecution;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A method that only the leader runs.
 *
 * @param method the method that runs
 * @param type the type of its result
 * @param style how it gives its result
 * @param role what the process has to lead in
 * @param execution runs it
 * @param onNotLeading what to do if this process does not lead
 * @param empty what it returns if it is skipped
 */
record LeaderMethod(Method method, Class<?> type, ResultStyle style, String role, LeadershipExecution execution,
		OnNotLeading onNotLeading, @Nullable Object empty) {

	private static final Logger logger = LoggerFactory.getLogger(LeaderMethod.class);

	/**
	 * Say what a call gives in a process that does not lead.
	 * @return the empty result
	 * @throws NotLeaderException if that is wanted instead
	 */
	@Nullable Object notLeading() {
		if (this.onNotLeading == OnNotLeading.THROW) {
			throw new NotLeaderException(this.role);
		}
		if (logger.isDebugEnabled()) {
			logger.debug("{} is skipped because this process does not lead in '{}'", MethodNames.of(this.method),
					LockNames.shown(this.role));
		}
		return this.empty;
	}

}
