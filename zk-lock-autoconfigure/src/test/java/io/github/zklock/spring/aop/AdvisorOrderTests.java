package io.github.zklock.spring.aop;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

import io.github.zklock.LockRegistry;
import io.github.zklock.leader.LeaderElection;
import io.github.zklock.leader.LeaderWork;
import io.github.zklock.leader.Leadership;
import io.github.zklock.spring.DistributedLock;
import io.github.zklock.spring.LeaderOnly;
import io.github.zklock.spring.LockTemplate;
import io.github.zklock.spring.leader.LeaderRoles;
import org.aopalliance.intercept.MethodInterceptor;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.aop.config.AopConfigUtils;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.framework.autoproxy.AbstractBeanFactoryAwareAdvisingPostProcessor;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.cache.CacheManager;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.concurrent.ConcurrentMapCache;
import org.springframework.cache.support.SimpleCacheManager;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.core.env.Environment;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.task.TaskExecutor;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.resilience.annotation.Retryable;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.security.access.prepost.PreAuthorize;
import org.springframework.security.config.annotation.method.configuration.EnableMethodSecurity;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;

import static io.github.zklock.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Where the lock is among all else that happens around a method, observed by what
 * happens: each event tells whether the lock was held at that moment.
 */
class AdvisorOrderTests extends LockedBeansSupport {

	private static final List<String> EXPECTED = List.of("async free", "security free", "leader free", "cache held",
			"begin held", "work held", "rollback held", "led free", "security free", "leader free", "cache held",
			"begin held", "work held", "commit held", "cached held", "led free");

	@Test
	@Tag("H18")
	void lockIsBetweenSecurityAndCache() throws Exception {
		assertThat(events(byClass())).isEqualTo(EXPECTED);
	}

	@Test
	void lockIsBetweenSecurityAndCacheWithoutAspectJ() throws Exception {
		assertThat(events(byClass(), (context) -> context.setClassLoader(new FilteredClassLoader("org.aspectj"))))
			.isEqualTo(EXPECTED);
	}

	/**
	 * Where Spring puts an advice by default: the lock would be given back before the
	 * commit.
	 */
	@Test
	@Tag("H18")
	void lockAtTheEndWouldBeInsideTheTransaction() throws Exception {
		assertThat(events(new NaivePostProcessor(false))).contains("begin free", "work held")
			.doesNotContain("begin held");
	}

	/**
	 * Where Spring puts an advice that is to be in front: who may not even call the
	 * method would take its lock.
	 */
	@Test
	void lockAtTheFrontWouldBeOutsideOfSecurity() throws Exception {
		assertThat(events(new NaivePostProcessor(true))).contains("security held", "begin held")
			.doesNotContain("security free");
	}

	@Test
	void lockHasThePlaceThatItsOrderGives() throws Exception {
		assertThat(events(withOrder(0), leading(-1), AdvisorOrderTests::alone)).containsSequence("async free",
				"leader free", "security held", "cache held", "begin held");
		assertThat(events(withOrder(Ordered.LOWEST_PRECEDENCE), leading(Ordered.LOWEST_PRECEDENCE - 1),
				AdvisorOrderTests::alone))
			.containsSequence("security free", "leader free", "cache free", "begin free", "work held");
	}

	@Test
	void refusedCallTakesNoLock() throws Exception {
		List<String> events = events(byClass(),
				(context) -> context.getEnvironment()
					.getPropertySources()
					.addFirst(new MapPropertySource("test", Map.of("refuse", "true"))));
		assertThat(events).containsOnly("async free", "security free");
	}

	@Test
	void followerTakesNoLock() throws Exception {
		LeaderElection elsewhere = others().election("shop");
		elsewhere.join();
		await().atMost(PATIENCE).until(elsewhere.leadership()::isLeader);
		try {
			assertThat(events(byClass(), leading(ORDER - 1), AdvisorOrderTests::alone, false))
				.containsExactly("async free", "security free", "leader free");
		}
		finally {
			elsewhere.leave();
		}
	}

	@Test
	void locksWithoutAutoProxies() {
		AnnotationConfigApplicationContext context = start((beans) -> {
			beans.getEnvironment()
				.getPropertySources()
				.addFirst(new MapPropertySource("test", Map.of("spring.aop.auto", "false")));
			beans.register(AopAutoConfiguration.class, Simple.class);
		});
		assertThat(context.containsBean(AopConfigUtils.AUTO_PROXY_CREATOR_BEAN_NAME)).isFalse();
		assertThat(context.getBean(Simple.class).call()).containsExactly("simple");
	}

	/**
	 * Add nothing.
	 */
	private static void alone(AnnotationConfigApplicationContext context) {
	}

	private static LeaderAdvisingPostProcessor leading(int order) {
		return new LeaderAdvisingPostProcessor(order, true);
	}

	private static LockAdvisingPostProcessor withOrder(int order) {
		return new LockAdvisingPostProcessor(order, true);
	}

	private List<String> events(BeanPostProcessor locking) throws Exception {
		return events(locking, AdvisorOrderTests::alone);
	}

	private List<String> events(BeanPostProcessor locking, Consumer<AnnotationConfigApplicationContext> customizer)
			throws Exception {
		return events(locking, leading(ORDER - 1), customizer);
	}

	private List<String> events(BeanPostProcessor locking, LeaderAdvisingPostProcessor leading,
			Consumer<AnnotationConfigApplicationContext> customizer) throws Exception {
		return events(locking, leading, customizer, true);
	}

	@SuppressWarnings("unchecked")
	private List<String> events(BeanPostProcessor locking, LeaderAdvisingPostProcessor leading,
			Consumer<AnnotationConfigApplicationContext> customizer, boolean leader) throws Exception {
		try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
			customizer.accept(context);
			context.registerBean("lockPostProcessor", (Class<BeanPostProcessor>) locking.getClass(), () -> locking);
			context.registerBean(LeaderAdvisingPostProcessor.class, () -> leading);
			context.registerBean(LockTemplate.class, () -> new LockTemplate(locks(), PATIENCE, Runnable::run));
			context.registerBean(LeaderRoles.class, () -> new LeaderRoles(context,
					() -> context.getBean(Events.class).observe(locks()), "shop", List.of(), true));
			context.register(Everything.class, Shop.class);
			context.refresh();
			if (leader) {
				await().atMost(PATIENCE).until(locks().election("shop").leadership()::isLeader);
			}
			context.getBean(Shop.class).order();
			Events events = context.getBean(Events.class);
			events.done.get(120, TimeUnit.SECONDS);
			assertThat(isFree("order")).isTrue();
			return events.seen;
		}
	}

	/**
	 * What happens, and whether the lock is held then.
	 */
	static class Events {

		final List<String> seen = new CopyOnWriteArrayList<>();

		final CompletableFuture<Void> done = new CompletableFuture<>();

		void add(String event) {
			this.seen.add(event + (isFree("order") ? " free" : " held"));
		}

		/**
		 * Hear of the work of a leader.
		 */
		LockRegistry observe(LockRegistry registry) {
			return observe(LockRegistry.class, registry, "election", this::observeElection);
		}

		private LeaderElection observeElection(LeaderElection election) {
			return observe(LeaderElection.class, election, "leadership", this::observeLeadership);
		}

		private Leadership observeLeadership(Leadership leadership) {
			return observe(Leadership.class, leadership, "enter", this::entered);
		}

		private Optional<LeaderWork> entered(Optional<LeaderWork> work) {
			add("leader");
			return work.map((entered) -> observe(LeaderWork.class, entered, "close", (closed) -> {
				add("led");
				return closed;
			}));
		}

		@SuppressWarnings({ "unchecked", "NullAway" }) // R may be nullable
		private static <T, R extends @Nullable Object> T observe(Class<T> type, T target, String method,
				UnaryOperator<R> result) {
			MethodInterceptor observer = (invocation) -> {
				Object returned = invocation.proceed();
				return invocation.getMethod().getName().equals(method) ? result.apply((R) returned) : returned;
			};
			ProxyFactory factory = new ProxyFactory(type, observer);
			factory.setTarget(target);
			return (T) factory.getProxy();
		}

	}

	public static class Shop {

		private final Events events;

		private int attempts;

		public Shop(Events events) {
			this.events = events;
		}

		@Async
		@Retryable(maxRetries = 1, delay = 0)
		@PreAuthorize("@guard.check()")
		@LeaderOnly
		@DistributedLock("order")
		@Cacheable("orders")
		@Transactional
		public void order() {
			this.events.add("work");
			if (this.attempts++ == 0) {
				throw new IllegalStateException("the first attempt");
			}
		}

	}

	public static class Guard {

		private final Events events;

		private final boolean refusing;

		Guard(Events events, boolean refusing) {
			this.events = events;
			this.refusing = refusing;
		}

		public boolean check() {
			this.events.add("security");
			return !this.refusing;
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAsync(proxyTargetClass = true)
	@EnableResilientMethods(proxyTargetClass = true)
	@EnableMethodSecurity(proxyTargetClass = true)
	@EnableCaching(proxyTargetClass = true)
	@EnableTransactionManagement(proxyTargetClass = true)
	static class Everything {

		@Bean
		Events events() {
			return new Events();
		}

		@Bean
		Guard guard(Events events, Environment environment) {
			return new Guard(events, environment.getProperty("refuse", Boolean.class, false));
		}

		@Bean
		TaskExecutor taskExecutor(Events events) {
			return (task) -> {
				events.add("async");
				new Thread(() -> {
					task.run();
					events.done.complete(null);
				}).start();
			};
		}

		@Bean
		PlatformTransactionManager transactionManager(Events events) {
			return new ObservedTransactions(events);
		}

		@Bean
		CacheManager cacheManager(Events events) {
			SimpleCacheManager manager = new SimpleCacheManager();
			manager.setCaches(List.of(new ObservedCache(events)));
			return manager;
		}

	}

	static class ObservedCache extends ConcurrentMapCache {

		private final Events events;

		ObservedCache(Events events) {
			super("orders");
			this.events = events;
		}

		@Override
		protected @Nullable Object lookup(Object key) {
			this.events.add("cache");
			return super.lookup(key);
		}

		@Override
		public void put(Object key, @Nullable Object value) {
			this.events.add("cached");
			super.put(key, value);
		}

	}

	static class ObservedTransactions extends AbstractPlatformTransactionManager {

		private static final long serialVersionUID = 1L;

		private final transient Events events;

		ObservedTransactions(Events events) {
			this.events = events;
		}

		@Override
		protected Object doGetTransaction() {
			return new Object();
		}

		@Override
		protected void doBegin(Object transaction, TransactionDefinition definition) {
			this.events.add("begin");
		}

		@Override
		protected void doCommit(DefaultTransactionStatus status) {
			this.events.add("commit");
		}

		@Override
		protected void doRollback(DefaultTransactionStatus status) {
			this.events.add("rollback");
		}

	}

	/**
	 * Has the same advice, in one of the places that Spring offers.
	 */
	static class NaivePostProcessor extends AbstractBeanFactoryAwareAdvisingPostProcessor {

		private static final long serialVersionUID = 1L;

		NaivePostProcessor(boolean beforeExistingAdvisors) {
			setBeforeExistingAdvisors(beforeExistingAdvisors);
			setProxyTargetClass(true);
			setOrder(Ordered.LOWEST_PRECEDENCE - 10);
		}

		@Override
		public void setBeanFactory(BeanFactory beanFactory) {
			super.setBeanFactory(beanFactory);
			LockedMethods methods = new LockedMethods((ConfigurableListableBeanFactory) beanFactory);
			Supplier<LockTemplate> template = () -> beanFactory.getBean(LockTemplate.class);
			this.advisor = new DefaultPointcutAdvisor(new StaticMethodMatcherPointcut() {

				@Override
				public boolean matches(Method method, Class<?> targetClass) {
					return methods.isLocked(method, targetClass);
				}

			}, new DistributedLockInterceptor(methods, template));
		}

	}

	static class Simple {

		@DistributedLock("simple")
		public List<String> call() {
			return locked("simple");
		}

	}

}
