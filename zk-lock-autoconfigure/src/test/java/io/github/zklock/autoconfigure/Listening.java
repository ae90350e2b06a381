package io.github.zklock.autoconfigure;

import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

import io.github.zklock.LockLease;
import io.github.zklock.LockListener;
import io.github.zklock.LockRegistry;
import io.github.zklock.spring.LockLostEvent;
import io.github.zklock.testing.Patience;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;

/**
 * An application that hears of its locks.
 */
@Configuration(proxyBeanMethods = false)
class Listening {

	private final BlockingQueue<String> heard = new LinkedBlockingQueue<>();

	String next() throws InterruptedException {
		return String.valueOf(Patience.poll(this.heard));
	}

	@EventListener
	void lost(LockLostEvent event) {
		this.heard.add("event " + event.name());
	}

	/**
	 * It needs the registry, which needs its listeners.
	 */
	@Bean
	LockListener listener(LockRegistry registry) {
		return new LockListener() {

			@Override
			public void acquired(LockLease lease, Duration waited) {
				Listening.this.heard.add("acquired " + lease.name());
			}

			@Override
			public void lost(LockLease lease, Duration held) {
				Listening.this.heard.add("lost " + lease.name());
			}

		};
	}

}
