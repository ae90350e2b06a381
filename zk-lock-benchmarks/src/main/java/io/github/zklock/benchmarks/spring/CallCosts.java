package io.github.zklock.benchmarks.spring;

import java.util.List;
import java.util.function.LongUnaryOperator;

import io.github.zklock.embedded.EmbeddedZooKeeper;
import org.aopalliance.intercept.MethodInterceptor;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * Calls of a method whose thread holds the lock already.
 */
final class CallCosts {

	private static final int CALLS = 200_000;

	private final int rounds;

	CallCosts(int rounds) {
		this.rounds = rounds;
	}

	List<Measured> measure() {
		try (EmbeddedZooKeeper server = EmbeddedZooKeeper.startNew();
				ConfigurableApplicationContext context = new SpringApplicationBuilder(LockingApplication.class)
					.web(WebApplicationType.NONE)
					.properties("zk.lock.connect-string=" + server.connectString(), "spring.main.banner-mode=off")
					.run()) {
			return measure(context.getBean(Counter.class));
		}
	}

	private List<Measured> measure(Counter locked) {
		Counter plain = plainProxy();
		Measured direct = new Measured("plain proxy");
		Measured fixed = new Measured("annotated, fixed name");
		Measured named = new Measured("annotated, name with an expression");
		locked.within(1, () -> {
			for (int round = -this.rounds; round < this.rounds; round++) {
				double first = nanosPerCall(plain::fixed);
				double second = nanosPerCall(locked::fixed);
				double third = nanosPerCall(locked::named);
				// the first half warms up
				if (round >= 0) {
					direct.add(first);
					fixed.add(second);
					named.add(third);
				}
			}
		});
		return List.of(direct, fixed, named);
	}

	private static Counter plainProxy() {
		ProxyFactory factory = new ProxyFactory(new Counter());
		factory.setProxyTargetClass(true);
		factory.addAdvice((MethodInterceptor) (invocation) -> invocation.proceed());
		return (Counter) factory.getProxy();
	}

	private static double nanosPerCall(LongUnaryOperator call) {
		long sum = 0;
		long start = System.nanoTime();
		for (int index = 0; index < CALLS; index++) {
			sum += call.applyAsLong(1);
		}
		long nanos = System.nanoTime() - start;
		if (sum == 0) {
			throw new IllegalStateException("Nothing was called");
		}
		return (double) nanos / CALLS;
	}

}
