package io.github.zklock.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import io.github.zklock.LockMode;

import org.springframework.aot.hint.annotation.Reflective;
import org.springframework.core.annotation.AliasFor;

/**
 * Runs a method while this process holds a lock that no other process holds.
 *
 * <pre class="code">
 * &#64;DistributedLock("invoice-#{#id}")
 * &#64;Transactional
 * public void pay(long id) {
 * 	...
 * }
 * </pre>
 *
 * The lock is taken before a transaction begins and given back after it has ended; a
 * transaction does not commit once the lock is lost. A method that is called with the
 * lock already held by its thread enters it again. {@link CurrentLock} gives the running
 * method its lease, {@link LockTemplate} does the same for code without a proxy.
 *
 * <p>
 * On a type, it holds for all public methods; an annotation on a method replaces it.
 * Several annotations on one method are several locks, taken in the order of their names.
 * A method that returns a {@link java.util.concurrent.CompletionStage} or a publisher
 * holds the lock until the result is complete, and no thread waits for it. A method with
 * {@code @Async} that returns a plain {@link java.util.concurrent.Future} holds it only
 * until it returns, so its work must be done by then; return a
 * {@link java.util.concurrent.CompletableFuture} otherwise. Mistakes, such as an
 * annotation on a private method, fail start-up; a result that turns out to be a
 * publisher, or an incomplete stage, of which the method's signature tells nothing, fails
 * the call.
 */
@Target({ ElementType.METHOD, ElementType.TYPE })
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Reflective
@Repeatable(DistributedLocks.class)
public @interface DistributedLock {

	/**
	 * The lock's name, see {@link #name()}.
	 * @return the name
	 */
	@AliasFor("name")
	String value() default "";

	/**
	 * The lock's name: text with expressions in <code>#{...}</code>, which see the
	 * parameters of the method by their names, and with properties in
	 * <code>${...}</code>. No expression may give null or an empty text.
	 * @return the name
	 */
	@AliasFor("value")
	String name() default "";

	/**
	 * Whether others may hold the lock at the same time.
	 * @return the mode
	 */
	LockMode mode() default LockMode.WRITE;

	/**
	 * How long to wait while others hold the lock, for example {@code 5s}. The default is
	 * the property {@code zk.lock.max-wait} with {@link OnContention#THROW}, and not to
	 * wait otherwise.
	 * @return a duration, or <code>${...}</code>
	 */
	String maxWait() default "";

	/**
	 * What to do if others hold the lock for longer.
	 * @return the policy
	 */
	OnContention onContention() default OnContention.THROW;

	/**
	 * With {@link OnContention#FALLBACK}, the method of the same class that is called
	 * instead, with the same parameters and optionally a last one of type
	 * {@link io.github.zklock.LockTimeoutException}.
	 * @return the name of the method
	 */
	String fallback() default "";

	/**
	 * How long the lock is kept from everybody at least, counted from its grant, for
	 * example {@code 30s}: longer than the method runs, if that is shorter.
	 * @return a duration, or <code>${...}</code>
	 */
	String minHold() default "";

	/**
	 * What to do if the lock is lost while the method runs.
	 * @return the policy
	 */
	OnLost onLost() default OnLost.THROW;

}
