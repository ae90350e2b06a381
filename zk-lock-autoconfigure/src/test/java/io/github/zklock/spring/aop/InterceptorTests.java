package io.github.zklock.spring.aop;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import io.github.zklock.AnsweredLocks;
import io.github.zklock.LockLease;
import io.github.zklock.LockLostException;
import io.github.zklock.LockMode;
import io.github.zklock.LockTimeoutException;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.spring.CurrentLock;
import io.github.zklock.spring.DistributedLock;
import io.github.zklock.spring.LockInterruptedException;
import io.github.zklock.spring.LockOptions;
import io.github.zklock.spring.OnContention;
import io.github.zklock.spring.OnLost;
import io.github.zklock.testing.Patience;
import io.github.zklock.zookeeper.ZooKeeperLocks;
import org.jspecify.annotations.NullUnmarked;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

import static io.github.zklock.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * What a locked method does while others have its lock, when it is interrupted, and when
 * it calls others.
 */
class InterceptorTests extends LockedBeansSupport {

	@Test
	void skippedCallReturnsNothing() throws Exception {
		Skipping bean = start(Skipping.class).getBean(Skipping.class);
		try (LockLease lease = heldByOthers("skip")) {
			bean.nothing();
			assertThat(bean.number()).isNull();
			assertThat(bean.text()).isNull();
			assertThat(bean.list()).isNull();
			assertThat(bean.optional()).isEmpty();
			assertThat(bean.optionalInt()).isEmpty();
			assertThat(bean.optionalLong()).isEmpty();
			assertThat(bean.optionalDouble()).isEmpty();
			assertThat(bean.runs()).isZero();
		}
		bean.nothing();
		assertThat(bean.number()).isEqualTo(1);
		assertThat(bean.optional()).contains("text");
		assertThat(bean.optionalInt()).hasValue(1);
		assertThat(bean.optionalLong()).hasValue(1);
		assertThat(bean.optionalDouble()).hasValue(1);
		assertThat(bean.text()).isEqualTo("text");
		assertThat(bean.list()).containsExactly("text");
		assertThat(bean.runs()).isEqualTo(8);
	}

	@Test
	void skippedCallIsNoFallback() throws Exception {
		LockedMethods methods = new LockedMethods(new DefaultListableBeanFactory());
		for (String name : List.of("nothing", "number", "optional")) {
			LockedMethod method = Objects.requireNonNull(methods.find(Skipping.class.getMethod(name), Skipping.class));
			assertThat(method.locksOf(new Skipping(), new Object[0])).extracting(LockOptions::onContention)
				.as(name)
				.containsExactly(OnContention.SKIP);
		}
	}

	@Test
	void skipDoesNotWait() throws Exception {
		Skipping bean = start(Skipping.class).getBean(Skipping.class);
		try (LockLease lease = heldByOthers("skip")) {
			long start = System.nanoTime();
			assertThat(bean.number()).isNull();
			assertThat(Duration.ofNanos(System.nanoTime() - start)).as("not the template's").isLessThan(PATIENCE);
		}
	}

	@Test
	void fallbackIsCalledWhileOthersHoldTheLock() throws Exception {
		FallingBack bean = start(FallingBack.class).getBean(FallingBack.class);
		assertThat(bean.pay(7)).isEqualTo("paid 7");
		assertThat(bean.count(7)).isEqualTo(7);
		try (LockLease lease = heldByOthers("fallback")) {
			assertThat(bean.pay(7)).isEqualTo("later 7");
			assertThat(bean.count(7)).isEqualTo(-7);
			assertThat(bean.withException(7)).isEqualTo("7 fallback");
			assertThat(bean.prefersException(7)).isEqualTo("exception");
			assertThat(bean.byStatic(7)).isEqualTo("static 7");
			bean.nothing();
			assertThat(bean.calls()).isEqualTo(1);
		}
	}

	@Test
	void fallbackRunsOnTheTargetWithoutTheLock() throws Exception {
		FallingBack bean = start(FallingBack.class).getBean(FallingBack.class);
		try (LockLease lease = heldByOthers("fallback")) {
			assertThat(bean.observe()).isEqualTo(List.of("free of locks", "the target"));
		}
	}

	@Test
	void fallbackThrows() throws Exception {
		FallingBack bean = start(FallingBack.class).getBean(FallingBack.class);
		try (LockLease lease = heldByOthers("fallback")) {
			assertThatExceptionOfType(IOException.class).isThrownBy(bean::checked).withMessage("checked");
			assertThatIllegalStateException().isThrownBy(() -> bean.unchecked()).withMessage("unchecked");
		}
	}

	@Test
	void fallbackIsCalledBehindAJdkProxy() throws Exception {
		Payments bean = start(byInterface(), PaymentsBean.class).getBean(Payments.class);
		try (LockLease lease = heldByOthers("payments")) {
			assertThatExceptionOfType(IOException.class).isThrownBy(bean::pay).withMessage("later");
		}
	}

	@Test
	void contentionThrowsByDefault() throws Exception {
		Impatient bean = start(Impatient.class).getBean(Impatient.class);
		try (LockLease lease = heldByOthers("impatient")) {
			assertThatExceptionOfType(LockTimeoutException.class).isThrownBy(bean::call)
				.withMessageContaining("'impatient'")
				.withMessageContaining("1005 ms")
				.withMessageContaining("zk.lock.max-wait");
		}
		assertThat(bean.call()).containsExactly("impatient");
	}

	@Test
	void defaultWaitIsThatOfTheTemplate() throws Exception {
		Patient bean = start(Patient.class).getBean(Patient.class);
		LockLease lease = heldByOthers("patient");
		CompletableFuture<List<String>> result = CompletableFuture.supplyAsync(bean::call);
		await().atMost(PATIENCE).until(() -> !locks().waiting().isEmpty());
		lease.close();
		assertThat(Patience.get(result)).containsExactly("patient");
	}

	@Test
	void policyOfTheLockThatIsMissingCounts() throws Exception {
		TwoPolicies bean = start(TwoPolicies.class).getBean(TwoPolicies.class);
		try (LockLease lease = heldByOthers("policy-skip")) {
			assertThat(bean.call()).isNull();
			assertThat(isFree("policy-throw")).isTrue();
		}
		try (LockLease lease = heldByOthers("policy-throw")) {
			assertThatExceptionOfType(LockTimeoutException.class).isThrownBy(bean::call)
				.satisfies((ex) -> assertThat(ex.name()).isEqualTo("policy-throw"));
			assertThat(isFree("policy-skip")).isTrue();
		}
		assertThat(bean.call()).containsExactly("policy-skip", "policy-throw");
	}

	@Test
	void badNameTakesNoLock() {
		Named bean = start(Named.class).getBean(Named.class);
		assertThatIllegalArgumentException().isThrownBy(() -> bean.call("x", null))
			.withMessageContaining(Named.class.getName() + ".call(String, String)")
			.withMessageContaining("'b-#{#second}'")
			.withMessageContaining("'#{#second}' is null");
		assertThat(bean.observed()).isNull();
		assertThat(locks().held()).isEmpty();
		bean.call("x", "y");
		assertThat(bean.observed()).containsExactly("a-x", "b-y");
	}

	@Test
	void nameIsEvaluatedOnce() {
		Renaming bean = start(Renaming.class).getBean(Renaming.class);
		List<String> names = new ArrayList<>(List.of("before"));
		bean.call(names);
		assertThat(names).containsExactly("after");
		assertThat(isFree("renaming-before")).isTrue();
	}

	@Test
	void modeIsThatOfTheAnnotation() throws Exception {
		Reading bean = start(Reading.class).getBean(Reading.class);
		try (LockLease lease = others().readLock("reading").acquire()) {
			assertThat(bean.read()).isTrue();
			assertThat(bean.write()).isNull();
		}
	}

	@Test
	void unavailableIsNeverSkipped() {
		try (ZooKeeperLocks unreachable = ZooKeeperLocks.builder("127.0.0.1:1").closeWait(Duration.ZERO).build()) {
			var context = start(byClass(), unreachable, (beans) -> beans.register(Skipping.class, FallingBack.class));
			Skipping skipping = context.getBean(Skipping.class);
			assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(skipping::nothing);
			assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(skipping::optional);
			FallingBack fallingBack = context.getBean(FallingBack.class);
			assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> fallingBack.pay(7));
			assertThat(skipping.runs()).isZero();
		}
	}

	@Test
	void lossIsNeverSkipped() {
		try (ZooKeeperLocks losing = registry(Duration.ofSeconds(10))) {
			Losing bean = startLosing(losing);
			assertThatExceptionOfType(LockLostException.class).isThrownBy(bean::skipping);
			assertThatExceptionOfType(LockLostException.class).isThrownBy(bean::fallingBack);
			assertThat(bean.fallbacks()).isZero();
		}
	}

	private Losing startLosing(ZooKeeperLocks losing) {
		// Who does not want to wait has no time for that
		losing.zooKeeper();
		return start(byClass(), new AnsweredLocks(losing), (beans) -> beans.register(Losing.class))
			.getBean(Losing.class);
	}

	@Test
	void lossIsTreatedAsTheAnnotationSays() {
		try (ZooKeeperLocks losing = registry(Duration.ofSeconds(10))) {
			Losing bean = startLosing(losing);
			assertThatCode(bean::ignoring).doesNotThrowAnyException();
			assertThatExceptionOfType(LockLostException.class).isThrownBy(bean::interrupted)
				.withCauseExactlyInstanceOf(InterruptedException.class);
			assertThat(Thread.interrupted()).isFalse();
		}
	}

	@Test
	void minHoldIsThatOfTheOutermostAnnotation() {
		try (ZooKeeperLocks closing = registry(Duration.ofSeconds(30))) {
			var context = start(byClass(), closing, (beans) -> beans.register(Lingering.class, Brief.class));
			Consumer<String> nothing = CurrentLock::assertHeld;
			Lingering lingering = context.getBean(Lingering.class);
			Brief brief = context.getBean(Brief.class);
			brief.call("inner", (name) -> lingering.call(name, nothing));
			assertThat(isFree("inner")).as("after both").isTrue();
			lingering.call("outer", (name) -> brief.call(name, nothing));
			assertThat(isFree("outer")).as("after both").isFalse();
			assertThat(closing.held()).isEmpty();
		}
	}

	@Test
	void interruptedMethodThatDeclaresItThrowsInterruptedException() throws Exception {
		Interruptible bean = start(Interruptible.class).getBean(Interruptible.class);
		Interrupted result = interrupt(() -> {
			bean.declaring();
			return null;
		});
		assertThat(result.thrown()).isExactlyInstanceOf(InterruptedException.class);
		assertThat(result.flag()).isFalse();
		assertThat(bean.runs()).isZero();
	}

	@Test
	void interruptedMethodThatDoesNotDeclareItThrowsALockException() throws Exception {
		Interruptible bean = start(Interruptible.class).getBean(Interruptible.class);
		Interrupted result = interrupt(() -> {
			bean.silent();
			return null;
		});
		assertThat(result.thrown()).isExactlyInstanceOf(LockInterruptedException.class)
			.hasMessageContaining("'interruptible'")
			.hasCauseExactlyInstanceOf(InterruptedException.class);
		assertThat(result.flag()).isTrue();
		assertThat(bean.runs()).isZero();
	}

	@Test
	void interruptIsNeverSkipped() throws Exception {
		Interruptible bean = start(Interruptible.class).getBean(Interruptible.class);
		Interrupted skipped = interrupt(bean::skipping);
		assertThat(skipped.thrown()).isExactlyInstanceOf(LockInterruptedException.class);
		assertThat(skipped.flag()).isTrue();
		Interrupted fallenBack = interrupt(bean::fallingBack);
		assertThat(fallenBack.thrown()).isExactlyInstanceOf(InterruptedException.class);
		assertThat(fallenBack.flag()).isFalse();
		assertThat(bean.runs()).isZero();
	}

	/**
	 * What the body throws is not taken for an interrupt of the wait.
	 */
	@Test
	void interruptOfBodyPassesAsItIs() {
		Interruptible bean = start(Interruptible.class).getBean(Interruptible.class);
		assertThatExceptionOfType(LockInterruptedException.class).isThrownBy(bean::throwing)
			.satisfies((ex) -> assertThat(ex.name()).isEqualTo("somewhere else"));
	}

	@Test
	void nestedCallsEnterAgain() {
		var context = start(Outer.class, Inner.class);
		assertThat(context.getBean(Outer.class).call()).containsExactly("inner: [nested]", "outer: [nested]");
		assertThat(isFree("nested")).isTrue();
	}

	@Test
	@Tag("H19")
	void asyncMethodLocksOnItsWorker() throws Exception {
		AsyncBean bean = start(AsyncConfiguration.class, AsyncBean.class).getBean(AsyncBean.class);
		bean.work();
		assertThat(Patience.get(bean.observed())).containsExactly("async", "worker-1");
		await().atMost(PATIENCE).until(() -> isFree("async"));
	}

	@Test
	void asyncFutureIsSkipped() throws Exception {
		AsyncBean bean = start(AsyncConfiguration.class, AsyncBean.class).getBean(AsyncBean.class);
		try (LockLease lease = heldByOthers("async")) {
			assertThat(Patience.get(bean.future())).isEmpty();
		}
		assertThat(Patience.get(bean.future())).contains(List.of("async"));
		await().atMost(PATIENCE).until(() -> isFree("async"));
	}

	@Test
	void scheduledMethodIsLocked() throws Exception {
		ScheduledBean bean = start(SchedulingConfiguration.class, ScheduledBean.class).getBean(ScheduledBean.class);
		assertThat(Patience.get(bean.observed())).containsExactly("scheduled");
		await().atMost(PATIENCE).until(() -> isFree("scheduled"));
	}

	/**
	 * Run a call that has to wait for its lock, and interrupt it.
	 */
	private Interrupted interrupt(Callable<?> call) throws Exception {
		CompletableFuture<Interrupted> result = new CompletableFuture<>();
		Thread thread = new Thread(() -> {
			Throwable thrown = null;
			try {
				call.call();
			}
			catch (Throwable ex) {
				thrown = ex;
			}
			result.complete(new Interrupted(thrown, Thread.currentThread().isInterrupted()));
		});
		try (LockLease lease = heldByOthers("interruptible")) {
			thread.start();
			await().atMost(PATIENCE).until(() -> !locks().waiting().isEmpty());
			thread.interrupt();
			return Patience.get(result);
		}
	}

	record Interrupted(@Nullable Throwable thrown, boolean flag) {

	}

	@NullUnmarked
	static class Skipping {

		private int runs;

		int runs() {
			return this.runs;
		}

		@DistributedLock(name = "skip", onContention = OnContention.SKIP)
		public void nothing() {
			this.runs++;
		}

		@DistributedLock(name = "skip", onContention = OnContention.SKIP)
		public Integer number() {
			this.runs++;
			return 1;
		}

		@DistributedLock(name = "skip", onContention = OnContention.SKIP)
		public String text() {
			this.runs++;
			return "text";
		}

		@DistributedLock(name = "skip", onContention = OnContention.SKIP)
		public List<String> list() {
			this.runs++;
			return List.of("text");
		}

		@DistributedLock(name = "skip", onContention = OnContention.SKIP)
		public Optional<String> optional() {
			this.runs++;
			return Optional.of("text");
		}

		@DistributedLock(name = "skip", onContention = OnContention.SKIP)
		public OptionalInt optionalInt() {
			this.runs++;
			return OptionalInt.of(1);
		}

		@DistributedLock(name = "skip", onContention = OnContention.SKIP)
		public OptionalLong optionalLong() {
			this.runs++;
			return OptionalLong.of(1);
		}

		@DistributedLock(name = "skip", onContention = OnContention.SKIP)
		public OptionalDouble optionalDouble() {
			this.runs++;
			return OptionalDouble.of(1);
		}

	}

	@SuppressWarnings("unused") // fallbacks
	static class FallingBack {

		private int calls;

		int calls() {
			return this.calls;
		}

		@DistributedLock(name = "fallback", onContention = OnContention.FALLBACK, fallback = "later")
		public String pay(long id) {
			return "paid " + id;
		}

		private String later(long id) {
			return "later " + id;
		}

		@DistributedLock(name = "fallback", onContention = OnContention.FALLBACK, fallback = "negative")
		public int count(int number) {
			return number;
		}

		Integer negative(int number) {
			return -number;
		}

		@DistributedLock(name = "fallback", onContention = OnContention.FALLBACK, fallback = "nameOf")
		public CharSequence withException(long id) {
			return "";
		}

		private String nameOf(long id, LockTimeoutException contention) {
			return id + " " + contention.name();
		}

		@DistributedLock(name = "fallback", onContention = OnContention.FALLBACK, fallback = "overloaded")
		public String prefersException(long id) {
			return "";
		}

		protected String overloaded(long id) {
			return "none";
		}

		protected String overloaded(long id, LockTimeoutException contention) {
			return "exception";
		}

		@DistributedLock(name = "fallback", onContention = OnContention.FALLBACK, fallback = "ofClass")
		public String byStatic(long id) {
			return "";
		}

		private static String ofClass(long id) {
			return "static " + id;
		}

		@DistributedLock(name = "fallback", onContention = OnContention.FALLBACK, fallback = "call")
		public void nothing() {
		}

		String call() {
			this.calls++;
			return "ignored";
		}

		@DistributedLock(name = "fallback", onContention = OnContention.FALLBACK, fallback = "look")
		public List<String> observe() {
			return List.of();
		}

		private List<String> look() {
			List<String> seen = new ArrayList<>();
			try {
				CurrentLock.lease();
			}
			catch (IllegalStateException ex) {
				seen.add("free of locks");
			}
			if (getClass() == FallingBack.class) {
				seen.add("the target");
			}
			return seen;
		}

		@DistributedLock(name = "fallback", onContention = OnContention.FALLBACK, fallback = "fail")
		public String checked() throws IOException {
			return "";
		}

		private String fail() throws IOException {
			throw new IOException("checked");
		}

		@DistributedLock(name = "fallback", onContention = OnContention.FALLBACK, fallback = "failUnchecked")
		public String unchecked() {
			return "";
		}

		private String failUnchecked() {
			throw new IllegalStateException("unchecked");
		}

	}

	interface Payments {

		void pay() throws IOException;

	}

	@SuppressWarnings("unused") // fallback
	static class PaymentsBean implements Payments {

		@Override
		@DistributedLock(name = "payments", onContention = OnContention.FALLBACK, fallback = "later")
		public void pay() throws IOException {
		}

		private void later() throws IOException {
			throw new IOException("later");
		}

	}

	static class Impatient {

		@DistributedLock(name = "impatient", maxWait = "1005ms")
		public List<String> call() {
			return locked("impatient");
		}

	}

	static class Patient {

		@DistributedLock("patient")
		public List<String> call() {
			return locked("patient");
		}

	}

	static class TwoPolicies {

		@DistributedLock(name = "policy-throw", maxWait = "0")
		@DistributedLock(name = "policy-skip", onContention = OnContention.SKIP)
		public @Nullable List<String> call() {
			return locked("policy-skip", "policy-throw");
		}

	}

	static class Named {

		private @Nullable List<String> observed;

		@Nullable List<String> observed() {
			return this.observed;
		}

		@DistributedLock("a-#{#first}")
		@DistributedLock("b-#{#second}")
		public void call(String first, @Nullable String second) {
			this.observed = locked("a-" + first, "b-" + second);
		}

	}

	static class Renaming {

		@DistributedLock("renaming-#{#names[0]}")
		public void call(List<String> names) {
			names.set(0, "after");
		}

	}

	static class Reading {

		@DistributedLock(name = "reading", mode = LockMode.READ, onContention = OnContention.SKIP)
		public @Nullable Boolean read() {
			return CurrentLock.lease("reading").isHeld();
		}

		@DistributedLock(name = "reading", onContention = OnContention.SKIP)
		public @Nullable Boolean write() {
			return true;
		}

	}

	static class Losing {

		private int fallbacks;

		int fallbacks() {
			return this.fallbacks;
		}

		@DistributedLock(name = "losing", onContention = OnContention.SKIP)
		public void skipping() throws InterruptedException {
			lose();
		}

		@DistributedLock(name = "losing", onContention = OnContention.FALLBACK, fallback = "fallback")
		public void fallingBack() throws InterruptedException {
			lose();
		}

		void fallback() {
			this.fallbacks++;
		}

		@DistributedLock(name = "losing", onLost = OnLost.IGNORE)
		public void ignoring() throws InterruptedException {
			lose();
		}

		@DistributedLock(name = "losing", onLost = OnLost.INTERRUPT)
		public void interrupted() throws InterruptedException {
			assertThat(others().breakLock("losing")).isTrue();
			assertThat(Patience.await(new CountDownLatch(1))).as("interrupted").isTrue();
		}

		private static void lose() throws InterruptedException {
			CountDownLatch lost = new CountDownLatch(1);
			CurrentLock.lease().onLost(lost::countDown);
			assertThat(others().breakLock("losing")).isTrue();
			assertThat(Patience.await(lost)).isTrue();
		}

	}

	@SuppressWarnings("unused") // fallback
	static class Interruptible {

		private int runs;

		int runs() {
			return this.runs;
		}

		@DistributedLock("interruptible")
		public void declaring() throws InterruptedException {
			this.runs++;
		}

		@DistributedLock("interruptible")
		public void silent() {
			this.runs++;
		}

		@DistributedLock(name = "interruptible", maxWait = "30s", onContention = OnContention.SKIP)
		public @Nullable String skipping() {
			this.runs++;
			return null;
		}

		@DistributedLock(name = "interruptible", maxWait = "30s", onContention = OnContention.FALLBACK,
				fallback = "fallback")
		public @Nullable String fallingBack() throws InterruptedException {
			this.runs++;
			return null;
		}

		private @Nullable String fallback() {
			this.runs++;
			return null;
		}

		@DistributedLock("interruptible")
		public void throwing() throws InterruptedException {
			throw new LockInterruptedException("somewhere else", new InterruptedException());
		}

	}

	static class Outer {

		private final Inner inner;

		Outer(Inner inner) {
			this.inner = inner;
		}

		@DistributedLock("nested")
		public List<String> call() {
			List<String> result = new ArrayList<>();
			result.add("inner: " + this.inner.call());
			result.add("outer: " + locked("nested"));
			return result;
		}

	}

	static class Inner {

		@DistributedLock(name = "nested", maxWait = "0")
		public List<String> call() {
			return locked("nested");
		}

	}

	static class Lingering {

		@DistributedLock(name = "#{#name}", minHold = "${no.such.property:1h}")
		public void call(String name, Consumer<String> inside) {
			inside.accept(name);
		}

	}

	static class Brief {

		@DistributedLock(name = "#{#name}")
		public void call(String name, Consumer<String> inside) {
			inside.accept(name);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAsync(proxyTargetClass = true)
	static class AsyncConfiguration {

		@Bean
		SimpleAsyncTaskExecutor taskExecutor() {
			return new SimpleAsyncTaskExecutor("worker-");
		}

	}

	static class AsyncBean {

		private final CompletableFuture<List<String>> observed = new CompletableFuture<>();

		CompletableFuture<List<String>> observed() {
			return this.observed;
		}

		@Async
		@DistributedLock("async")
		public void work() {
			List<String> result = new ArrayList<>(locked("async"));
			result.add(Thread.currentThread().getName());
			this.observed.complete(result);
		}

		@Async
		@DistributedLock(name = "async", onContention = OnContention.SKIP)
		public Future<Optional<List<String>>> future() {
			return CompletableFuture.completedFuture(Optional.of(locked("async")));
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableScheduling
	static class SchedulingConfiguration {

	}

	static class ScheduledBean {

		private final CompletableFuture<List<String>> observed = new CompletableFuture<>();

		CompletableFuture<List<String>> observed() {
			return this.observed;
		}

		@Scheduled(fixedDelay = 1, timeUnit = TimeUnit.HOURS)
		@DistributedLock(name = "scheduled", onContention = OnContention.SKIP)
		public void work() {
			this.observed.complete(locked("scheduled"));
		}

	}

}
