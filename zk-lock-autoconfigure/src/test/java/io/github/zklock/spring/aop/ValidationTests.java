package io.github.zklock.spring.aop;

import java.io.IOException;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.github.zklock.LockTimeoutException;
import io.github.zklock.leader.LeaderElection;
import io.github.zklock.spring.DistributedLock;
import io.github.zklock.spring.LeaderOnly;
import io.github.zklock.spring.LockConfigurationException;
import io.github.zklock.spring.NotLeaderException;
import io.github.zklock.spring.OnContention;
import io.github.zklock.spring.OnNotLeading;
import io.github.zklock.spring.aop.other.PackagePrivateBase;
import jakarta.annotation.PostConstruct;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.scope.ScopedObject;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;
import org.springframework.context.support.SimpleThreadScope;
import org.springframework.core.PriorityOrdered;
import org.springframework.core.annotation.AliasFor;
import org.springframework.scheduling.annotation.Async;

import static io.github.zklock.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/**
 * Mistakes stop the application, with a text that says what, where and how to fix it: a
 * body never runs unlocked by accident.
 */
class ValidationTests extends LockedBeansSupport {

	@ParameterizedTest
	@MethodSource
	void mistakesAreExplained(Class<?> bean, String description, String action) {
		LockConfigurationException failure = failure(bean);
		assertThat(failure).hasMessage(description.replace("{bean}", bean.getName()));
		assertThat(failure.action()).contains(action);
	}

	static Stream<Arguments> mistakesAreExplained() {
		return Stream.of(
				arguments(PrivateMethod.class,
						"@DistributedLock holds for {bean}.call(), which is private: calls do not go through a proxy.",
						"Remove 'private'"),
				arguments(PrivateMethodBesideGoodOne.class,
						"@DistributedLock holds for {bean}.call(), which is private: calls do not go through a proxy.",
						"LockTemplate"),
				arguments(StaticMethod.class,
						"@DistributedLock holds for {bean}.call(), which is static: calls do not go through a proxy.",
						"Remove 'static'"),
				arguments(FinalMethod.class,
						"@DistributedLock holds for {bean}.call(), which is final: calls do not go through a proxy.",
						"Remove 'final'"),
				arguments(FinalMethodOfType.class,
						"@DistributedLock holds for {bean}.call(), which is final: calls do not go through a proxy.",
						"add 'open'"),
				arguments(InheritedFinalMethodOfType.class,
						"@DistributedLock holds for " + WithFinalMethod.class.getName()
								+ ".call(), which is final: calls do not go through a proxy.",
						"Remove 'final'"),
				arguments(FinalClass.class,
						"@DistributedLock is used in the class {bean}, which is final: no proxy can be made.",
						"Remove 'final'"),
				arguments(Recorded.class,
						"@DistributedLock is used in the class {bean}, which is final: no proxy can be made.",
						"LockTemplate"),
				arguments(PackagePrivateHeir.class, "@DistributedLock holds for " + PackagePrivateBase.class.getName()
						+ ".hidden(), which is package-private and inherited by {bean}: calls do not go through a proxy.",
						"Make it public or protected"),
				arguments(Initialized.class,
						"@DistributedLock holds for {bean}.prepare(), which is called by the container: calls do not go through a proxy.",
						"ApplicationReadyEvent"),
				arguments(Initializing.class,
						"@DistributedLock holds for {bean}.afterPropertiesSet(), which is called by the container: calls do not go through a proxy.",
						"LockTemplate"),
				arguments(InitializedOfType.class,
						"@DistributedLock holds for {bean}.prepare(), which is called by the container: calls do not go through a proxy.",
						"ApplicationReadyEvent"),
				arguments(InitializingOfType.class,
						"@DistributedLock holds for {bean}.afterPropertiesSet(), which is called by the container: calls do not go through a proxy.",
						"LockTemplate"),
				arguments(DestroyedOfType.class,
						"@DistributedLock holds for {bean}.destroy(), which is called by the container: calls do not go through a proxy.",
						"LockTemplate"),
				arguments(FallbackWithoutPolicy.class,
						"The @DistributedLock of {bean}.call() has the fallback 'busy', but onContention=THROW.",
						"Set onContention=FALLBACK"),
				arguments(PolicyWithoutFallback.class,
						"The @DistributedLock of {bean}.call() has onContention=FALLBACK, but no fallback.",
						"Name a method of the same class in 'fallback'"),
				arguments(MissingFallback.class, "The fallback 'busy' of {bean}.call(String) does not exist in {bean}.",
						"Write a method 'busy' with the same parameters"),
				arguments(FallbackOfObject.class, "The fallback 'toString' of {bean}.call() does not exist in {bean}.",
						"Write a method 'toString'"),
				arguments(FallbackWithOtherResult.class,
						"The fallback {bean}.busy() returns java.util.List<java.lang.Integer>, but {bean}.call() returns java.util.List<java.lang.String>.",
						"Let the fallback return the same type"),
				arguments(FallbackWithoutResult.class,
						"The fallback {bean}.busy() returns void, but {bean}.call() returns java.lang.String.",
						"Let the fallback return the same type"),
				arguments(FallbackWithOtherException.class,
						"The fallback {bean}.busy() throws java.io.IOException, which {bean}.call() does not declare.",
						"Declare the exception"),
				arguments(OwnFallback.class, "{bean}.call() is its own fallback.", "Name another method"),
				arguments(SkippedPrimitive.class,
						"The @DistributedLock of {bean}.call() has onContention=SKIP, but the method must not return null.",
						"Return an Optional"),
				arguments(SkippedNonNull.class,
						"The @DistributedLock of {bean}.call() has onContention=SKIP, but the method must not return null.",
						"@Nullable"),
				arguments(UnknownProperty.class,
						"The @DistributedLock of {bean}.call() has '${no.such.property}-job' as its name, with a property that is not set.",
						"Set the property"),
				arguments(BadMaxWait.class,
						"The @DistributedLock of {bean}.call() has 'soon' as its maxWait, which is not a duration.",
						"10s"),
				arguments(BadMinHold.class,
						"The @DistributedLock of {bean}.call() has '-1s' as its minHold, which is not a duration.",
						"10s"),
				arguments(EmptyName.class, "The @DistributedLock of {bean}.call() has an empty name.",
						"Give it a name"),
				arguments(UnknownParameter.class,
						"The @DistributedLock of {bean}.call(long) has the name 'a-#{#nr}', but '#nr' is not a parameter of the method.",
						"Use one of [id]"),
				arguments(MistakeBesideGoodOnes.class,
						"The @DistributedLock of {bean}.bad() has 'soon' as its maxWait, which is not a duration.",
						"10s"),
				arguments(PlainFuture.class,
						"@DistributedLock on {bean}.call() returns a Future, and nobody can tell when that is complete.",
						"add @Async"),
				arguments(SpecialFuture.class,
						"@DistributedLock on {bean}.call() returns a FutureTask, and nobody can tell when that is complete.",
						"CompletionStage"));
	}

	@ParameterizedTest
	@MethodSource
	void mistakesOfLeadersAreExplained(Class<?> bean, String description, String action) {
		LockConfigurationException failure = failure(() -> startLeading(true, bean));
		assertThat(failure).hasMessage(description.replace("{bean}", bean.getName()));
		assertThat(failure.action()).contains(action).doesNotContain("LockTemplate");
	}

	static Stream<Arguments> mistakesOfLeadersAreExplained() {
		return Stream.of(
				arguments(LeaderPrivateMethod.class,
						"@LeaderOnly holds for {bean}.call(), which is private: calls do not go through a proxy.",
						"Leadership.run(Runnable)"),
				arguments(LeaderFinalMethod.class,
						"@LeaderOnly holds for {bean}.call(), which is final: calls do not go through a proxy.",
						"Remove 'final'"),
				arguments(LeaderFinalMethodOfType.class,
						"@LeaderOnly holds for {bean}.call(), which is final: calls do not go through a proxy.",
						"add 'open'"),
				arguments(LeaderFinalClass.class,
						"@LeaderOnly is used in the class {bean}, which is final: no proxy can be made.",
						"Leadership.run(Runnable)"),
				arguments(LeaderPrimitive.class,
						"The @LeaderOnly of {bean}.call() has onNotLeading=SKIP, but the method must not return null.",
						"onNotLeading=THROW"),
				arguments(LeaderNonNull.class,
						"The @LeaderOnly of {bean}.call() has onNotLeading=SKIP, but the method must not return null.",
						"@Nullable"),
				arguments(LeaderNonNullOfType.class,
						"The @LeaderOnly of {bean}.call() has onNotLeading=SKIP, but the method must not return null.",
						"Optional"),
				arguments(LeaderNonNullComposed.class,
						"The @LeaderOnly of {bean}.call() has onNotLeading=SKIP, but the method must not return null.",
						"Optional"),
				arguments(LeaderNonNullByInterface.class,
						"The @LeaderOnly of {bean}.call() has onNotLeading=SKIP, but the method must not return null.",
						"Optional"),
				arguments(LeaderUnknownProperty.class,
						"The @LeaderOnly of {bean}.call() has '${no.such.property}' as its role, with a property that is not set.",
						"Set the property"),
				arguments(LeaderPlainFuture.class,
						"@LeaderOnly on {bean}.call() returns a Future, and nobody can tell when that is complete.",
						"add @Async"),
				arguments(LeaderTwice.class, "The @LeaderOnly of {bean}.call() is not the only one.",
						"Keep one @LeaderOnly"),
				arguments(LeaderInitialized.class,
						"@LeaderOnly holds for {bean}.prepare(), which is called by the container: calls do not go through a proxy.",
						"ApplicationReadyEvent"));
	}

	@Test
	void methodOfALeaderThatAJdkProxyDoesNotHaveIsRefused() {
		assertThat(failure(() -> startLeading(false, LeaderNotInInterface.class)))
			.hasMessageContaining("@LeaderOnly holds for " + LeaderNotInInterface.class.getName()
					+ ".call(), which is not a method of an interface");
	}

	/**
	 * What is found by the rules is found by calls, too.
	 */
	@Test
	void onlyTheLeaderRunsWhereverTheAnnotationIs() {
		LeaderElection elsewhere = others().election("shop");
		elsewhere.join();
		await().atMost(PATIENCE).until(elsewhere.leadership()::isLeader);
		AnnotationConfigApplicationContext context = startLeading(true, LeaderComposed.class, LeaderOfType.class,
				LeaderByInterface.class, LeaderThrowing.class);
		AnnotationConfigApplicationContext byInterface = startLeading(false, LeaderByInterface.class);
		assertThat(byInterface.getBean(LeaderJob.class)).isNotInstanceOf(LeaderByInterface.class);
		List<Supplier<@Nullable String>> calls = List.of(context.getBean(LeaderComposed.class)::call,
				context.getBean(LeaderOfType.class)::call, context.getBean(LeaderByInterface.class)::call,
				byInterface.getBean(LeaderJob.class)::call);
		assertThat(calls).extracting(Supplier::get).containsOnlyNulls();
		assertThat(context.getBean(LeaderOfType.class)).hasToString("not advised");
		assertThatExceptionOfType(NotLeaderException.class).isThrownBy(context.getBean(LeaderThrowing.class)::call)
			.withMessageContaining("'shop'");
		elsewhere.leave();
		await().atMost(PATIENCE).untilAsserted(() -> assertThat(calls).extracting(Supplier::get).containsOnly("ran"));
		assertThat(context.getBean(LeaderThrowing.class).call()).isEqualTo(1);
	}

	@Test
	void skipMayReturnNullWhereTheCodeSaysSo() {
		assertThat(start(SkippedNullable.class).getBean(SkippedNullable.class)).isInstanceOf(Advised.class);
	}

	@ParameterizedTest
	@ValueSource(classes = { ProtectedMethod.class, PackagePrivateMethod.class, NotInInterface.class })
	void methodThatJdkProxyDoesNotHave(Class<?> bean) {
		assertThat(start(bean).getBean(bean)).isInstanceOf(Advised.class);
		LockConfigurationException failure = failure(() -> start(byInterface(), GoodPlain.class, bean));
		assertThat(failure).hasMessage("@DistributedLock holds for " + bean.getName()
				+ ".call(), which is not a method of an interface, as the JDK proxy of the bean needs it: calls do not go through a proxy.");
		assertThat(failure.action()).contains("spring.aop.proxy-target-class=true");
	}

	@Test
	void finalClassWithoutAnInterfaceIsRefused() {
		assertThat(failure(() -> start(byInterface(), FinalClass.class)))
			.hasMessageContaining("which is final: no proxy can be made");
	}

	@ParameterizedTest
	@ValueSource(strings = { AbstractBeanDefinition.SCOPE_DEFAULT, "prototype" })
	void lazyAndPrototypeBeansFailWhenTheyAreMade(String scope) {
		AnnotationConfigApplicationContext context = start((beans) -> {
			beans.registerBean("good", Good.class, (definition) -> define(definition, scope));
			beans.registerBean("bad", BadMaxWait.class, (definition) -> define(definition, scope));
			beans.registerBean("hidden", PrivateMethod.class, (definition) -> define(definition, scope));
		});
		assertThat(context.getBean(Good.class).call()).containsExactly("good");
		assertThat(context.getBean(Good.class).call()).containsExactly("good");
		assertThat(failure(() -> context.getBean("bad"))).hasMessageContaining("not a duration");
		assertThat(failure(() -> context.getBean("bad"))).hasMessageContaining("not a duration");
		assertThat(failure(() -> context.getBean("hidden"))).hasMessageContaining("is private");
	}

	private static void define(BeanDefinition definition, String scope) {
		definition.setScope(scope);
		definition.setLazyInit(true);
	}

	@Test
	void productOfAFactoryBeanIsLockedAndChecked() {
		AnnotationConfigApplicationContext context = start((beans) -> {
			beans.registerBean("good", Factory.class, () -> new Factory<>(new Good()));
			beans.registerBean("bad", Factory.class, () -> new LazyFactory<>(new BadMaxWait()));
		});
		assertThat(context.getBean("good", Good.class).call()).containsExactly("good");
		assertThat(failure(() -> context.getBean("bad"))).hasMessageContaining("not a duration");
	}

	@Test
	void scopedBeanIsLockedOnceBehindItsProxy() {
		AnnotationConfigApplicationContext context = start((beans) -> {
			beans.getBeanFactory().registerScope("thread", new SimpleThreadScope());
			beans.register(ScopedConfiguration.class);
		});
		Good proxy = context.getBean("scoped", Good.class);
		assertThat(proxy.call()).containsExactly("good");
		assertThat(lockAdvisors(proxy)).isZero();
		assertThat(lockAdvisors(((ScopedObject) proxy).getTargetObject())).isOne();
		GoodType type = context.getBean("scopedType", GoodType.class);
		assertThat(type.call()).containsExactly("good-type");
		assertThat(lockAdvisors(type)).isZero();
		assertThat(lockAdvisors(((ScopedObject) type).getTargetObject())).isOne();
	}

	private static long lockAdvisors(Object proxy) {
		return Stream.of(((Advised) proxy).getAdvisors())
			.filter((advisor) -> advisor.getAdvice() instanceof DistributedLockInterceptor)
			.count();
	}

	@Test
	void beanThatWasMadeTooEarlyIsRefused() {
		LockConfigurationException failure = failure(EarlyConfiguration.class);
		assertThat(failure).hasMessage("@DistributedLock is used in " + Good.class.getName()
				+ ", but the bean 'early' has no proxy: it was made too early, or not by the container.");
		assertThat(failure.action()).contains("post-processors static");
	}

	@Test
	void productThatWasMadeTooEarlyIsRefused() {
		assertThat(failure(EarlyProductConfiguration.class))
			.hasMessageContaining("the bean 'earlyProduct' has no proxy");
	}

	@Test
	void objectThatTheContainerHasNotMadeIsRefused() {
		assertThat(failure(() -> start((beans) -> beans.getBeanFactory().registerSingleton("finished", new Good()))))
			.hasMessageContaining("the bean 'finished' has no proxy");
	}

	/**
	 * It would call itself without its proxy, and with {@code @Async} everybody would.
	 */
	@ParameterizedTest
	@ValueSource(classes = { SelfInjected.class, AsyncSelfInjected.class })
	void beanThatGetsItselfIsRefused(Class<?> bean) {
		LockConfigurationException failure = failure(InterceptorTests.AsyncConfiguration.class, bean);
		assertThat(failure)
			.hasMessage("@DistributedLock is used in " + bean.getName() + ", but the bean 'validationTests."
					+ bean.getSimpleName() + "' needs itself, perhaps by way of others, before it has a proxy.");
		assertThat(failure.action()).contains("@Lazy");
	}

	@Test
	void beanThatGetsItselfLazilyIsLocked() {
		LazilySelfInjected bean = start(LazilySelfInjected.class).getBean(LazilySelfInjected.class);
		assertThat(bean.callSelf()).containsExactly("self");
	}

	@Test
	void beanInACircleIsRefusedIfItIsNeededTooEarly() {
		assertThat(failure(Hen.class, Egg.class)).hasMessageContaining("'validationTests.Hen' needs itself");
		assertThat(start(Egg.class, Hen.class).getBean(Egg.class).callHen()).containsExactly("hen");
	}

	@Test
	void annotationsWithoutEffectAreForbidden() {
		LockConfigurationException failure = failure(() -> startWithout(Good.class));
		assertThat(failure).hasMessage("@DistributedLock is used in " + Good.class.getName()
				+ ", the class of the bean 'bean', but zk.lock.enabled=false: its methods would run without protection.");
		assertThat(failure.action()).contains("zk.lock.type=local").contains("zk.lock.enabled=false");
	}

	@ParameterizedTest
	@ValueSource(classes = { GoodType.class, TwoAnnotations.class, Leading.class, LeadingType.class, ByInterface.class,
			PrivateMethod.class, FinalClass.class, EarlyConfiguration.class, EarlyProductConfiguration.class,
			ScopedConfiguration.class })
	void allAnnotationsWithoutEffectAreForbidden(Class<?> bean) {
		assertThat(failure(() -> startWithout(bean))).hasMessageMatching("@(DistributedLock|LeaderOnly) is used in .*");
	}

	@Test
	void lazyBeanIsForbiddenWhenItIsMade() {
		try (AnnotationConfigApplicationContext context = startWithout(LazyGood.class)) {
			assertThat(failure(() -> context.getBean("bean"))).hasMessageContaining("@DistributedLock is used in");
		}
	}

	/**
	 * A transaction inside the proxy would commit before the publisher is checked.
	 */
	@Test
	void frozenProxyOfAPublisherIsRefused() {
		LockConfigurationException failure = failure(FrozenPublisherConfiguration.class);
		assertThat(failure).hasMessageContaining("@DistributedLock")
			.hasMessageContaining(LockedPublisher.class.getName())
			.hasMessageContaining("'frozenPublisher'")
			.hasMessageContaining("frozen");
		assertThat(failure.action()).contains("Do not freeze", "ReactiveLockTemplate");
	}

	@Test
	void applicationWithoutAnnotationsStarts() {
		try (AnnotationConfigApplicationContext context = startWithout(NotAnnotated.class)) {
			assertThat(context.getBean("bean")).isInstanceOf(NotAnnotated.class);
		}
	}

	private static AnnotationConfigApplicationContext startWithout(Class<?> bean) {
		AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
		context.registerBean(DisabledAnnotationsPostProcessor.class);
		context.getBeanFactory().registerScope("thread", new SimpleThreadScope());
		context.registerBean("bean", bean);
		try {
			context.refresh();
			if (bean == ScopedConfiguration.class) {
				context.getBean(Good.class).call();
			}
		}
		catch (RuntimeException ex) {
			context.close();
			throw ex;
		}
		return context;
	}

	static class Good {

		@DistributedLock("good")
		public List<String> call() {
			return locked("good");
		}

	}

	@Lazy
	static class LazyGood extends Good {

	}

	@DistributedLock("good-type")
	static class GoodType {

		public List<String> call() {
			return locked("good-type");
		}

	}

	static class NotAnnotated {

		public void call() {
		}

	}

	static class TwoAnnotations {

		@DistributedLock("a")
		@DistributedLock("b")
		public void call() {
		}

	}

	static class Leading {

		@LeaderOnly
		public void call() {
		}

	}

	@LeaderOnly
	static class LeadingType {

		public void call() {
		}

	}

	interface Annotated {

		@DistributedLock("annotated")
		void call();

	}

	static class ByInterface implements Annotated {

		@Override
		public void call() {
		}

	}

	@SuppressWarnings("unused")
	static class PrivateMethod {

		@DistributedLock("a")
		private void call() {
		}

	}

	@SuppressWarnings("unused")
	static class PrivateMethodBesideGoodOne {

		@DistributedLock("a")
		public void good() {
		}

		@DistributedLock("a")
		private void call() {
		}

	}

	static class StaticMethod {

		@DistributedLock("a")
		public static void call() {
		}

	}

	static class FinalMethod {

		@DistributedLock("a")
		public final void call() {
		}

	}

	@DistributedLock("a")
	static class FinalMethodOfType {

		public final void call() {
		}

	}

	static class WithFinalMethod {

		public final void call() {
		}

	}

	@DistributedLock("a")
	static class InheritedFinalMethodOfType extends WithFinalMethod {

		public void other() {
		}

	}

	static final class FinalClass {

		@DistributedLock("a")
		public void call() {
		}

	}

	record Recorded() {

		@DistributedLock("a")
		public void call() {
		}

	}

	static class PackagePrivateHeir extends PackagePrivateBase {

	}

	static class Initialized {

		@PostConstruct
		@DistributedLock("a")
		public void prepare() {
		}

	}

	static class Initializing implements InitializingBean {

		@Override
		@DistributedLock("a")
		public void afterPropertiesSet() {
		}

	}

	@DistributedLock("a")
	static class InitializedOfType {

		@PostConstruct
		public void prepare() {
		}

	}

	@DistributedLock("a")
	static class InitializingOfType implements InitializingBean {

		@Override
		public void afterPropertiesSet() {
		}

	}

	@DistributedLock("a")
	static class DestroyedOfType implements DisposableBean {

		@Override
		public void destroy() {
		}

	}

	static class FallbackWithoutPolicy {

		@DistributedLock(name = "a", fallback = "busy")
		public void call() {
		}

		void busy() {
		}

	}

	static class PolicyWithoutFallback {

		@DistributedLock(name = "a", onContention = OnContention.FALLBACK)
		public void call() {
		}

	}

	static class MissingFallback {

		@DistributedLock(name = "a", onContention = OnContention.FALLBACK, fallback = "busy")
		public void call(String item) {
		}

		void busy() {
		}

		void busy(int item) {
		}

		void busy(LockTimeoutException contention, String item) {
		}

	}

	static class FallbackOfObject {

		@DistributedLock(name = "a", onContention = OnContention.FALLBACK, fallback = "toString")
		public String call() {
			return "";
		}

	}

	static class FallbackWithOtherResult {

		@DistributedLock(name = "a", onContention = OnContention.FALLBACK, fallback = "busy")
		public List<String> call() {
			return List.of();
		}

		List<Integer> busy() {
			return List.of();
		}

	}

	static class FallbackWithoutResult {

		@DistributedLock(name = "a", onContention = OnContention.FALLBACK, fallback = "busy")
		public String call() {
			return "";
		}

		void busy() {
		}

	}

	static class FallbackWithOtherException {

		@DistributedLock(name = "a", onContention = OnContention.FALLBACK, fallback = "busy")
		public void call() {
		}

		void busy() throws IOException {
		}

	}

	static class OwnFallback {

		@DistributedLock(name = "a", onContention = OnContention.FALLBACK, fallback = "call")
		public void call() {
		}

	}

	static class SkippedPrimitive {

		@DistributedLock(name = "a", onContention = OnContention.SKIP)
		public int call() {
			return 1;
		}

	}

	@NullMarked
	static class SkippedNonNull {

		@DistributedLock(name = "a", onContention = OnContention.SKIP)
		public String call() {
			return "";
		}

	}

	@NullMarked
	static class SkippedNullable {

		@DistributedLock(name = "a", onContention = OnContention.SKIP)
		public @Nullable String call() {
			return "";
		}

		@DistributedLock(name = "a", onContention = OnContention.SKIP)
		public CompletableFuture<String> stage() {
			return CompletableFuture.completedFuture("");
		}

	}

	static class UnknownProperty {

		@DistributedLock("${no.such.property}-job")
		public void call() {
		}

	}

	static class BadMaxWait {

		@DistributedLock(name = "a", maxWait = "soon")
		public void call() {
		}

	}

	static class BadMinHold {

		@DistributedLock(name = "a", minHold = "-1s")
		public void call() {
		}

	}

	static class EmptyName {

		@DistributedLock
		public void call() {
		}

	}

	static class UnknownParameter {

		@DistributedLock("a-#{#nr}")
		public void call(long id) {
		}

	}

	static class MistakeBesideGoodOnes {

		@DistributedLock("a")
		public void aGood() {
		}

		@DistributedLock(name = "a", maxWait = "soon")
		public void bad() {
		}

		@DistributedLock("z")
		public void zGood() {
		}

	}

	static class PlainFuture {

		@DistributedLock("a")
		public Future<String> call() {
			return CompletableFuture.completedFuture("");
		}

	}

	static class SpecialFuture {

		@DistributedLock("a")
		public FutureTask<String> call() {
			return new FutureTask<>(() -> "");
		}

	}

	interface Plain {

		void other();

	}

	/**
	 * Its proxy has the same class as those of the bad ones.
	 */
	static class GoodPlain implements Plain {

		@Override
		@DistributedLock("a")
		public void other() {
		}

	}

	static class ProtectedMethod implements Plain {

		@DistributedLock("a")
		protected void call() {
		}

		@Override
		public void other() {
		}

	}

	static class PackagePrivateMethod implements Plain {

		@DistributedLock("a")
		void call() {
		}

		@Override
		@DistributedLock("b")
		public void other() {
		}

	}

	static class NotInInterface implements Plain {

		@DistributedLock("a")
		public void call() {
		}

		@Override
		public void other() {
		}

	}

	static class Factory<T> implements FactoryBean<T> {

		private final T product;

		Factory(T product) {
			this.product = product;
		}

		@Override
		public T getObject() {
			return this.product;
		}

		@Override
		public Class<?> getObjectType() {
			return this.product.getClass();
		}

	}

	/**
	 * Does not say what it makes.
	 */
	static class LazyFactory<T> extends Factory<T> {

		LazyFactory(T product) {
			super(product);
		}

		@Override
		public Class<?> getObjectType() {
			return Object.class;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class ScopedConfiguration {

		@Bean
		@Scope(scopeName = "thread", proxyMode = ScopedProxyMode.TARGET_CLASS)
		Good scoped() {
			return new Good();
		}

		@Bean
		@Scope(scopeName = "prototype", proxyMode = ScopedProxyMode.TARGET_CLASS)
		GoodType scopedType() {
			return new GoodType();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class EarlyConfiguration {

		@Bean
		static Good early() {
			return new Good();
		}

		@Bean
		static HastyPostProcessor hastyPostProcessor(Good early) {
			return new HastyPostProcessor();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class EarlyProductConfiguration {

		@Bean
		static Factory<Good> earlyProduct() {
			return new Factory<>(new Good());
		}

		@Bean
		static HastyPostProcessor hastyPostProcessor(Good early) {
			return new HastyPostProcessor();
		}

	}

	/**
	 * Is made before all others.
	 */
	static class HastyPostProcessor implements BeanPostProcessor, PriorityOrdered {

		@Override
		public int getOrder() {
			return 0;
		}

	}

	static class SelfInjected {

		@Autowired
		private SelfInjected self;

		@DistributedLock("self")
		public void call() {
			this.self.call();
		}

	}

	static class AsyncSelfInjected {

		@Autowired
		private AsyncSelfInjected self;

		@Async
		@DistributedLock("self")
		public void call() {
			this.self.call();
		}

	}

	static class LazilySelfInjected {

		@Autowired
		@Lazy
		private LazilySelfInjected self;

		@DistributedLock("self")
		public List<String> call() {
			return locked("self");
		}

		public List<String> callSelf() {
			return this.self.call();
		}

	}

	static class Hen {

		@Autowired
		private Egg egg;

		@DistributedLock("hen")
		public List<String> call() {
			assertThat(this.egg).isNotNull();
			return locked("hen");
		}

	}

	static class Egg {

		@Autowired
		private Hen hen;

		List<String> callHen() {
			return this.hen.call();
		}

	}

	@SuppressWarnings("unused")
	static class LeaderPrivateMethod {

		@LeaderOnly
		private void call() {
		}

	}

	static class LeaderFinalMethod {

		@LeaderOnly
		public final void call() {
		}

	}

	@LeaderOnly
	static class LeaderFinalMethodOfType {

		public final void call() {
		}

	}

	static final class LeaderFinalClass {

		@LeaderOnly
		public void call() {
		}

	}

	static class LeaderPrimitive {

		@LeaderOnly
		public int call() {
			return 1;
		}

	}

	@NullMarked
	static class LeaderNonNull {

		@LeaderOnly
		public String call() {
			return "";
		}

	}

	@NullMarked
	@LeaderOnly
	static class LeaderNonNullOfType {

		public String call() {
			return "";
		}

	}

	@Retention(RetentionPolicy.RUNTIME)
	@LeaderOnly
	@interface Composed {

		@AliasFor(annotation = LeaderOnly.class)
		String role() default "";

	}

	@NullMarked
	static class LeaderNonNullComposed {

		@Composed
		public String call() {
			return "";
		}

	}

	@NullMarked
	interface NonNullJob {

		@LeaderOnly
		String call();

	}

	@NullMarked
	static class LeaderNonNullByInterface implements NonNullJob {

		@Override
		public String call() {
			return "";
		}

	}

	static class LeaderUnknownProperty {

		@LeaderOnly("${no.such.property}")
		public void call() {
		}

	}

	static class LeaderPlainFuture {

		@LeaderOnly
		public Future<String> call() {
			return CompletableFuture.completedFuture("");
		}

	}

	static class LeaderTwice {

		@LeaderOnly("a")
		@Composed(role = "b")
		public void call() {
		}

	}

	static class LeaderInitialized {

		@PostConstruct
		@LeaderOnly
		public void prepare() {
		}

	}

	static class LeaderNotInInterface implements Plain {

		@LeaderOnly
		public void call() {
		}

		@Override
		public void other() {
		}

	}

	static class LeaderComposed {

		@Composed(role = "${no.such.property:shop}")
		public @Nullable String call() {
			return "ran";
		}

	}

	@LeaderOnly
	static class LeaderOfType {

		public @Nullable String call() {
			return "ran";
		}

		@Override
		public String toString() {
			return "not advised";
		}

	}

	interface LeaderJob {

		@LeaderOnly
		@Nullable String call();

	}

	static class LeaderByInterface implements LeaderJob {

		@Override
		public @Nullable String call() {
			return "ran";
		}

	}

	static class LeaderThrowing {

		@LeaderOnly(onNotLeading = OnNotLeading.THROW)
		public int call() {
			return 1;
		}

	}

	static class LockedPublisher {

		@DistributedLock("a")
		public Mono<String> call() {
			return Mono.empty();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class FrozenPublisherConfiguration {

		@Bean
		LockedPublisher frozenPublisher() {
			ProxyFactory factory = new ProxyFactory(new LockedPublisher());
			factory.setProxyTargetClass(true);
			factory.setFrozen(true);
			return (LockedPublisher) factory.getProxy();
		}

	}

}
