package io.github.zklock.spring.aop;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Objects;

import io.github.zklock.spring.DistributedLock;
import io.github.zklock.spring.DistributedLocks;
import io.github.zklock.spring.OnContention;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.annotation.AnnotationMatchingPointcut;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.AliasFor;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.util.ReflectionUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Wherever an annotation is, the body runs under its lock, which another process is
 * refused.
 */
class AnnotationLookupTests extends LockedBeansSupport {

	@Test
	void methodsOfAClassAreLocked() {
		Methods bean = start(Methods.class).getBean(Methods.class);
		assertThat(bean.one()).containsExactly("one");
		assertThat(bean.two()).containsExactly("two-a", "two-b");
		assertThat(bean.container()).containsExactly("container-a", "container-b");
		assertThat(bean.composed()).containsExactly("composed");
		assertThat(bean.composedOverTwoLevels()).containsExactly("composed");
		assertThat(bean.composedOfTwo()).containsExactly("both-a", "both-b");
		assertThat(bean.composedWithAttribute()).containsExactly("attribute");
		assertThat(bean.oneAndComposed()).containsExactly("plain", "composed");
		assertThat(bean.twoAndComposedOfTwo()).containsExactly("two-a", "two-b", "both-a", "both-b");
		assertThat(bean.protectedOne()).containsExactly("protected");
		assertThat(bean.packagePrivate()).containsExactly("package");
		assertThat(bean.none()).isEmpty();
	}

	/**
	 * Why the lookup is what it is: those for one annotation do not see two, and the body
	 * would run unlocked.
	 */
	@Test
	void lookupForOneAnnotationMissesTwo() {
		AnnotationMatchingPointcut pointcut = new AnnotationMatchingPointcut(null, DistributedLock.class, true);
		LockedMethods methods = new LockedMethods(start(Methods.class).getBeanFactory());
		Method one = method("one");
		assertThat(AopUtils.canApply(pointcut, Methods.class)).isTrue();
		assertThat(pointcut.getMethodMatcher().matches(one, Methods.class)).isTrue();
		assertThat(AnnotatedElementUtils.findMergedAnnotation(one, DistributedLock.class)).isNotNull();
		assertThat(methods.isLocked(one, Methods.class)).isTrue();
		Method two = method("two");
		assertThat(pointcut.getMethodMatcher().matches(two, Methods.class)).isFalse();
		assertThat(AnnotatedElementUtils.findMergedAnnotation(two, DistributedLock.class)).isNull();
		assertThat(methods.isLocked(two, Methods.class)).isTrue();
	}

	private static Method method(String name) {
		return Objects.requireNonNull(ReflectionUtils.findMethod(Methods.class, name));
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void methodOfAnInterfaceIsLocked(boolean byClass) {
		Api bean = start(byClass ? byClass() : byInterface(), ApiBean.class).getBean(Api.class);
		assertThat(Proxy.isProxyClass(bean.getClass())).isEqualTo(!byClass);
		assertThat(bean.call()).containsExactly("api");
		assertThat(bean.callTwo()).containsExactly("api-a", "api-b");
		assertThat(bean.byDefault()).containsExactly("default");
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void methodOfAClassIsLockedWhenItIsCalledThroughAnInterface(boolean byClass) {
		Plain bean = start(byClass ? byClass() : byInterface(), PlainBean.class).getBean(Plain.class);
		assertThat(Proxy.isProxyClass(bean.getClass())).isEqualTo(!byClass);
		assertThat(bean.call()).containsExactly("plain");
	}

	@Test
	void finalClassBehindAnInterfaceIsLocked() {
		Api bean = start(byInterface(), FinalApiBean.class).getBean(Api.class);
		assertThat(bean.call()).containsExactly("api");
	}

	@Test
	void overriddenMethodIsLocked() {
		assertThat(start(Overriding.class).getBean(Base.class).call()).containsExactly("base");
		assertThat(start(Inheriting.class).getBean(Base.class).call()).containsExactly("base");
	}

	@Test
	void annotationOnOverridingMethodReplacesTheOther() {
		assertThat(start(Replacing.class).getBean(Base.class).call()).containsExactly("replacing");
		assertThat(start(ReplacingHeir.class).getBean(Base.class).call()).containsExactly("replacing");
	}

	@Test
	void annotationsOfTwoInterfacesAreTwoLocks() {
		assertThat(start(LeftAndRight.class).getBean(Left.class).call()).containsExactly("left", "right");
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void genericMethodsAreLocked(boolean byClass) {
		LockAdvisingPostProcessor postProcessor = byClass ? byClass() : byInterface();
		@SuppressWarnings("unchecked")
		Handler<String> handler = start(postProcessor, StringHandler.class).getBean(Handler.class);
		assertThat(handler.handle("x")).containsExactly("handler-x");
		@SuppressWarnings("unchecked")
		AnnotatedHandler<String> annotated = start(byClass ? byClass() : byInterface(), AnnotatedStringHandler.class)
			.getBean(AnnotatedHandler.class);
		assertThat(annotated.handleIt("x")).containsExactly("annotated-x");
	}

	@Test
	void methodOfAGenericSuperclassIsLocked() {
		@SuppressWarnings("unchecked")
		GenericBase<String> bean = start(GenericHeir.class).getBean(GenericBase.class);
		assertThat(bean.process("x")).containsExactly("generic-x");
	}

	@Test
	void annotatedTypeLocksItsMethods() {
		TypeLevel bean = start(TypeLevel.class).getBean(TypeLevel.class);
		assertThat(bean.call()).containsExactly("type");
		assertThat(bean.own()).containsExactly("own");
		assertThat(bean.inherited()).containsExactly("type");
		assertThat(bean.notPublic()).isEmpty();
		assertThat(bean).hasToString("[]");
	}

	@Test
	void typeDoesNotLockMethodsOfObject() throws Exception {
		LockedMethods methods = new LockedMethods(start(Methods.class).getBeanFactory());
		assertThat(methods.isLocked(TypeLevel.class.getMethod("call"), TypeLevel.class)).isTrue();
		assertThat(methods.isLocked(TypeLevel.class.getMethod("equals", Object.class), TypeLevel.class)).isFalse();
		assertThat(methods.isLocked(TypeLevel.class.getMethod("hashCode"), TypeLevel.class)).isFalse();
		assertThat(methods.isLocked(TypeLevel.class.getMethod("toString"), TypeLevel.class)).isFalse();
		assertThat(methods.isLocked(TypeLevel.class.getMethod("getClass"), TypeLevel.class)).isFalse();
	}

	@Test
	void typeWithTwoAnnotationsHasTwoLocks() {
		assertThat(start(TwiceAnnotated.class).getBean(TwiceAnnotated.class).call()).containsExactly("twice-a",
				"twice-b");
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void annotatedInterfaceLocksTheMethodsOfItsBeans(boolean byClass) {
		LockedType bean = start(byClass ? byClass() : byInterface(), LockedTypeBean.class).getBean(LockedType.class);
		assertThat(bean.call()).containsExactly("interface");
		assertThat(bean).hasToString("[]");
	}

	@Test
	void annotatedSuperclassLocksTheMethodsOfItsHeirs() {
		TypeLevelHeir bean = start(TypeLevelHeir.class).getBean(TypeLevelHeir.class);
		assertThat(bean.call()).containsExactly("type");
		assertThat(bean.additional()).containsExactly("type");
	}

	@Test
	void typeReplacesThatOfSuperclass() {
		assertThat(start(OtherTypeLevelHeir.class).getBean(TypeLevel.class).call()).containsExactly("other-type");
	}

	@Test
	void methodOfInterfaceReplacesType() {
		assertThat(start(TypeLevelApi.class).getBean(Api.class).call()).containsExactly("api");
	}

	@Test
	void fallbackIsNotLockedByItsType() throws Exception {
		TypeWithFallback bean = start(TypeWithFallback.class).getBean(TypeWithFallback.class);
		assertThat(bean.work("x")).containsExactly("fallback-type");
		assertThat(bean.busy("x")).isEmpty();
		assertThat(bean.rest()).containsExactly("fallback-type");
		assertThat(bean.busy()).isEmpty();
		assertThat(bean.own()).containsExactly("fallback-own");
		assertThat(bean.ownBusy()).isEmpty();
		try (var lease = heldByOthers("fallback-type")) {
			assertThat(bean.work("x")).containsExactly("busy");
		}
	}

	@Test
	void overloadOfFallbackThatStandsInForNothingIsNotUnlocked() {
		assertThat(failure(TypeWithOverloadedFallback.class))
			.hasMessage(TypeWithOverloadedFallback.class.getName() + ".busy(int) is its own fallback.");
	}

	@Test
	void overloadOfFallbackForMethodWithAnotherLockIsNotUnlocked() {
		assertThat(failure(TypeWithStrangeFallback.class))
			.hasMessage(TypeWithStrangeFallback.class.getName() + ".busy(int) is its own fallback.");
	}

	@Test
	void lambdaIsLocked() {
		Single bean = start(LambdaConfiguration.class).getBean(Single.class);
		assertThat(bean.call("x")).containsExactly("lambda-x");
	}

	/**
	 * As HTTP clients are made.
	 */
	@Test
	void proxyWithoutATargetIsLocked() {
		Client bean = start(ClientConfiguration.class).getBean(Client.class);
		assertThat(bean.inherited()).containsExactly("client");
		assertThat(bean.own("x")).containsExactly("client-x");
	}

	/**
	 * As repositories are made.
	 */
	@Test
	void proxyWhoseTargetDoesNotHaveTheInterfaceIsLocked() {
		Client bean = start(RepositoryConfiguration.class).getBean(Client.class);
		assertThat(bean.inherited()).containsExactly("client");
		assertThat(bean.own("x")).containsExactly("client-x");
	}

	@Test
	void methodIsLookedUpOnce() throws Exception {
		AnnotatedMethods<DistributedLock> methods = new AnnotatedMethods<>(DistributedLock.class);
		Method method = Base.class.getMethod("call");
		assertThat(methods.find(method, Base.class)).hasSize(1).isSameAs(methods.find(method, Base.class));
	}

	@Test
	void frozenProxyIsLocked() {
		assertThat(start(FrozenConfiguration.class).getBean(Base.class).call()).containsExactly("base");
	}

	@Test
	void oneObjectAsTwoBeansIsAdvisedOnce() {
		var context = start(TwoNamesConfiguration.class);
		Base bean = context.getBean("first", Base.class);
		assertThat(bean).isSameAs(context.getBean("second"));
		assertThat(((Advised) bean).getAdvisors()).hasSize(1);
		assertThat(bean.call()).containsExactly("base");
	}

	@Test
	void proxyAroundAdvisedBeanIsNotAdvisedAgain() {
		Base bean = start(ProxyOfProxyConfiguration.class).getBean("outer", Base.class);
		assertThat(((Advised) bean).getAdvisors()).hasSize(1);
		assertThat(bean.call()).containsExactly("base");
	}

	@Target({ ElementType.METHOD, ElementType.TYPE })
	@Retention(RetentionPolicy.RUNTIME)
	@DistributedLock("composed")
	@interface Composed {

	}

	@Target(ElementType.METHOD)
	@Retention(RetentionPolicy.RUNTIME)
	@Composed
	@interface ComposedOverTwoLevels {

	}

	@Target(ElementType.METHOD)
	@Retention(RetentionPolicy.RUNTIME)
	@DistributedLock("both-a")
	@DistributedLock("both-b")
	@interface ComposedOfTwo {

	}

	@Target(ElementType.METHOD)
	@Retention(RetentionPolicy.RUNTIME)
	@DistributedLock
	@interface ComposedWithAttribute {

		@AliasFor(annotation = DistributedLock.class, attribute = "name")
		String key();

	}

	static class Methods {

		@DistributedLock("one")
		public List<String> one() {
			return locked("one");
		}

		@DistributedLock("two-a")
		@DistributedLock("two-b")
		public List<String> two() {
			return locked("two-a", "two-b");
		}

		@DistributedLocks({ @DistributedLock("container-a"), @DistributedLock("container-b") })
		public List<String> container() {
			return locked("container-a", "container-b");
		}

		@Composed
		public List<String> composed() {
			return locked("composed");
		}

		@ComposedOverTwoLevels
		public List<String> composedOverTwoLevels() {
			return locked("composed");
		}

		@ComposedOfTwo
		public List<String> composedOfTwo() {
			return locked("both-a", "both-b");
		}

		@ComposedWithAttribute(key = "attribute")
		public List<String> composedWithAttribute() {
			return locked("attribute");
		}

		@DistributedLock("plain")
		@Composed
		public List<String> oneAndComposed() {
			return locked("plain", "composed");
		}

		@DistributedLock("two-a")
		@ComposedOfTwo
		@DistributedLock("two-b")
		public List<String> twoAndComposedOfTwo() {
			return locked("two-a", "two-b", "both-a", "both-b");
		}

		@DistributedLock("protected")
		protected List<String> protectedOne() {
			return locked("protected");
		}

		@DistributedLock("package")
		List<String> packagePrivate() {
			return locked("package");
		}

		public List<String> none() {
			return locked("one", "composed");
		}

	}

	interface Api {

		@DistributedLock("api")
		List<String> call();

		@DistributedLock("api-a")
		@DistributedLock("api-b")
		List<String> callTwo();

		@DistributedLock("default")
		default List<String> byDefault() {
			return locked("default");
		}

	}

	static class ApiBean implements Api {

		@Override
		public List<String> call() {
			return locked("api");
		}

		@Override
		public List<String> callTwo() {
			return locked("api-a", "api-b");
		}

	}

	static final class FinalApiBean implements Api {

		@Override
		public List<String> call() {
			return locked("api");
		}

		@Override
		public List<String> callTwo() {
			return locked("api-a", "api-b");
		}

	}

	interface Plain {

		List<String> call();

	}

	static class PlainBean implements Plain {

		@Override
		@DistributedLock("plain")
		public List<String> call() {
			return locked("plain");
		}

	}

	static class Base {

		@DistributedLock("base")
		public List<String> call() {
			return locked("base", "replacing");
		}

	}

	static class Overriding extends Base {

		@Override
		public List<String> call() {
			return super.call();
		}

	}

	static class Inheriting extends Base {

	}

	static class Replacing extends Base {

		@Override
		@DistributedLock("replacing")
		public List<String> call() {
			return super.call();
		}

	}

	static class ReplacingHeir extends Replacing {

		@Override
		public List<String> call() {
			return super.call();
		}

	}

	interface Left {

		@DistributedLock("left")
		List<String> call();

	}

	interface Right {

		@DistributedLock("right")
		List<String> call();

	}

	static class LeftAndRight implements Left, Right {

		@Override
		public List<String> call() {
			return locked("left", "right");
		}

	}

	interface Handler<T> {

		List<String> handle(T item);

	}

	static class StringHandler implements Handler<String> {

		@Override
		@DistributedLock("handler-#{#item}")
		public List<String> handle(String item) {
			return locked("handler-" + item);
		}

	}

	interface AnnotatedHandler<T> {

		@DistributedLock("annotated-#{#item}")
		List<String> handleIt(T item);

	}

	static class AnnotatedStringHandler implements AnnotatedHandler<String> {

		@Override
		public List<String> handleIt(String item) {
			return locked("annotated-" + item);
		}

	}

	abstract static class GenericBase<T> {

		@DistributedLock("generic-#{#item}")
		abstract List<String> process(T item);

	}

	static class GenericHeir extends GenericBase<String> {

		@Override
		List<String> process(String item) {
			return locked("generic-" + item);
		}

	}

	static class Unlocked {

		public List<String> inherited() {
			return locked("type", "own");
		}

	}

	@DistributedLock("type")
	static class TypeLevel extends Unlocked {

		public List<String> call() {
			return locked("type", "own", "other-type");
		}

		@DistributedLock("own")
		public List<String> own() {
			return locked("type", "own");
		}

		List<String> notPublic() {
			return locked("type");
		}

		@Override
		public String toString() {
			return locked("type").toString();
		}

		@Override
		public boolean equals(Object other) {
			return other == this;
		}

		@Override
		public int hashCode() {
			return 1;
		}

	}

	static class TypeLevelHeir extends TypeLevel {

		public List<String> additional() {
			return locked("type");
		}

	}

	@DistributedLock("other-type")
	static class OtherTypeLevelHeir extends TypeLevel {

	}

	@DistributedLock("twice-a")
	@DistributedLock("twice-b")
	static class TwiceAnnotated {

		public List<String> call() {
			return locked("twice-a", "twice-b");
		}

	}

	@DistributedLock("interface")
	interface LockedType {

		List<String> call();

	}

	static class LockedTypeBean implements LockedType {

		@Override
		public List<String> call() {
			return locked("interface");
		}

		@Override
		public String toString() {
			return locked("interface").toString();
		}

	}

	@DistributedLock("type-level-api")
	static class TypeLevelApi extends ApiBean {

		@Override
		public List<String> call() {
			return locked("api", "type-level-api");
		}

	}

	@DistributedLock(name = "fallback-type", onContention = OnContention.FALLBACK, fallback = "busy")
	static class TypeWithFallback {

		public List<String> work(String item) {
			return locked("fallback-type");
		}

		public List<String> rest() {
			return locked("fallback-type");
		}

		public List<String> busy(String item) {
			return isFree("fallback-type") ? locked("fallback-type") : List.of("busy");
		}

		public List<String> busy() {
			return locked("fallback-type");
		}

		@DistributedLock(name = "fallback-own", onContention = OnContention.FALLBACK, fallback = "ownBusy")
		List<String> own() {
			return locked("fallback-type", "fallback-own");
		}

		public List<String> ownBusy() {
			return locked("fallback-type", "fallback-own");
		}

	}

	@DistributedLock(name = "fallback", onContention = OnContention.FALLBACK, fallback = "busy")
	static class TypeWithOverloadedFallback {

		public void work() {
		}

		public void busy() {
		}

		public void busy(int count) {
		}

	}

	@DistributedLock(name = "fallback", onContention = OnContention.FALLBACK, fallback = "busy")
	static class TypeWithStrangeFallback {

		public void work() {
		}

		public void busy() {
		}

		@DistributedLock("without-fallback")
		public void count(int count) {
		}

		public void busy(int count) {
		}

	}

	interface Single {

		@DistributedLock("lambda-#{#item}")
		List<String> call(String item);

	}

	@Configuration(proxyBeanMethods = false)
	static class LambdaConfiguration {

		@Bean
		Single single() {
			return (item) -> locked("lambda-" + item);
		}

	}

	interface PlainClient {

		List<String> inherited();

	}

	@DistributedLock("client")
	interface Client extends PlainClient {

		@DistributedLock("client-#{#item}")
		List<String> own(String item);

	}

	private static final MethodInterceptor CLIENT = (invocation) -> locked("client", "client-x");

	@Configuration(proxyBeanMethods = false)
	static class ClientConfiguration {

		@Bean
		Client client() {
			return ProxyFactory.getProxy(Client.class, CLIENT);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class RepositoryConfiguration {

		@Bean
		Client client() {
			ProxyFactory factory = new ProxyFactory();
			factory.setTarget(new Object());
			factory.addInterface(Client.class);
			factory.addAdvice(CLIENT);
			return (Client) factory.getProxy();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class FrozenConfiguration {

		@Bean
		Base frozen() {
			ProxyFactory factory = new ProxyFactory(new Base());
			factory.setProxyTargetClass(true);
			factory.setFrozen(true);
			return (Base) factory.getProxy();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class TwoNamesConfiguration {

		@Bean
		Base first() {
			return new Base();
		}

		@Bean
		Base second(Base first) {
			return first;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class ProxyOfProxyConfiguration {

		@Bean
		Base inner() {
			return new Base();
		}

		@Bean
		Base outer(Base inner) {
			ProxyFactory factory = new ProxyFactory(inner);
			factory.setProxyTargetClass(true);
			factory.addAdvice((MethodInterceptor) (invocation) -> invocation.proceed());
			return (Base) factory.getProxy();
		}

	}

}
