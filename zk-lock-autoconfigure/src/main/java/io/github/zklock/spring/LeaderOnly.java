package io.github.zklock.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.aot.hint.annotation.Reflective;
import org.springframework.core.annotation.AliasFor;

/**
 * Runs a method only in the process that leads, for example a job that all processes
 * schedule and one is to run.
 *
 * <pre class="code">
 * &#64;Scheduled(cron = "0 0 3 * * *")
 * &#64;LeaderOnly
 * void nightlyReport() {
 * 	...
 * }
 * </pre>
 *
 * The process takes part in the election of its role as long as the application runs and
 * is ready. A process that hands over waits for the methods that run, so that the next
 * leader does not run them at the same time. A method that returns a
 * {@link java.util.concurrent.CompletionStage} or a publisher runs until the result is
 * complete; one with {@code @Async} that returns a plain
 * {@link java.util.concurrent.Future} only until it returns.
 */
@Target({ ElementType.METHOD, ElementType.TYPE })
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Reflective
public @interface LeaderOnly {

	/**
	 * What the process has to lead in, see {@link #role()}.
	 * @return the role
	 */
	@AliasFor("role")
	String value() default "";

	/**
	 * What the process has to lead in. The default is the name of the application. May
	 * contain <code>${...}</code>.
	 * @return the role
	 */
	@AliasFor("value")
	String role() default "";

	/**
	 * What to do if this process does not lead.
	 * @return the policy
	 */
	OnNotLeading onNotLeading() default OnNotLeading.SKIP;

	/**
	 * What to do if leadership is lost while the method runs.
	 * @return the policy
	 */
	OnLost onLost() default OnLost.INTERRUPT;

}
