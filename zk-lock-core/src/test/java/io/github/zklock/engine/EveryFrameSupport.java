package io.github.zklock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import io.github.zklock.embedded.Direction;
import io.github.zklock.embedded.EmbeddedZooKeeper;
import io.github.zklock.embedded.FaultProxy;
import io.github.zklock.embedded.Operation;
import io.github.zklock.zookeeper.ZooKeeperLocks;
import org.apache.zookeeper.ZooKeeper;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Runs a conversation again and again, with every fault at every frame of it.
 */
abstract class EveryFrameSupport extends LockTestSupport {

	private static final int MORE_FRAMES_THAN_ANY_CONVERSATION_HAS = 22;

	/**
	 * Attempts mostly wait. More of them at once would keep each other from being heard
	 * within their sessions.
	 */
	private static final int ATTEMPTS_AT_ONCE = 33;

	EveryFrameSupport(EmbeddedZooKeeper server, String connectString) {
		super(server, connectString);
	}

	enum Fault {

		REQUEST_LOST {

			@Override
			FaultProxy.Trigger inject(FaultProxy proxy, int frame) {
				return proxy.drop(Direction.TO_SERVER, Operation.ANY, frame);
			}

		},

		REPLY_LOST {

			@Override
			FaultProxy.Trigger inject(FaultProxy proxy, int frame) {
				return proxy.drop(Direction.TO_CLIENT, Operation.ANY, frame);
			}

		},

		CUT_BEFORE {

			@Override
			FaultProxy.Trigger inject(FaultProxy proxy, int frame) {
				return proxy.cutBefore(Operation.ANY, frame);
			}

		},

		CUT_AFTER {

			@Override
			FaultProxy.Trigger inject(FaultProxy proxy, int frame) {
				return proxy.cutAfter(Operation.ANY, frame);
			}

		},

		EXPIRED_BEFORE {

			@Override
			FaultProxy.Trigger inject(FaultProxy proxy, int frame) {
				return proxy.hold(Direction.TO_SERVER, Operation.ANY, frame);
			}

		},

		EXPIRED_AFTER {

			@Override
			FaultProxy.Trigger inject(FaultProxy proxy, int frame) {
				return proxy.hold(Direction.TO_CLIENT, Operation.ANY, frame);
			}

		};

		abstract FaultProxy.Trigger inject(FaultProxy proxy, int frame);

		boolean expires() {
			return this == EXPIRED_BEFORE || this == EXPIRED_AFTER;
		}

	}

	interface Attempt {

		/**
		 * Converse with ZooKeeper while something goes wrong.
		 * @param name a name that no other attempt has
		 * @param locks what suffers
		 * @param proxy what does it
		 */
		void run(String name, ZooKeeperLocks locks, FaultProxy proxy) throws Exception;

	}

	/**
	 * Prepare an attempt, before anything goes wrong.
	 */
	abstract void prepare(String attempt) throws Exception;

	void attemptAtEveryFrame(String name, Attempt attempt) throws Exception {
		ExecutorService attempts = Executors.newFixedThreadPool(ATTEMPTS_AT_ONCE);
		try {
			List<Future<Boolean>> runs = new ArrayList<>();
			for (Fault fault : Fault.values()) {
				for (int frame = 1; frame <= MORE_FRAMES_THAN_ANY_CONVERSATION_HAS; frame++) {
					int number = frame;
					runs.add(attempts.submit(() -> run(name + "-" + fault + "-" + number, fault, number, attempt)));
				}
			}
			int fired = 0;
			for (Future<Boolean> run : runs) {
				fired += run.get() ? 1 : 0;
			}
			assertThat(fired).as("faults that happened").isBetween(2 * Fault.values().length, runs.size() - 1);
		}
		finally {
			attempts.shutdownNow();
		}
	}

	private boolean run(String name, Fault fault, int frame, Attempt attempt) {
		try (FaultProxy proxy = FaultProxy.to(server().connectString());
				ZooKeeperLocks locks = builder(proxy.connectString(), Duration.ofSeconds(4)).answerTimeout(ANSWER_TIME)
					.build()) {
			locks.zooKeeper();
			prepare(name);
			FaultProxy.Trigger trigger = fault.inject(proxy, frame);
			if (fault.expires()) {
				expireWhenFired(trigger, proxy, locks);
			}
			attempt.run(name, locks, proxy);
			return trigger.hasFired();
		}
		catch (Exception | AssertionError ex) {
			throw new AssertionError(name + ": " + ex, ex);
		}
	}

	/**
	 * No server expires a session before the lease of all that it has acknowledged has
	 * ended.
	 */
	private void expireWhenFired(FaultProxy.Trigger trigger, FaultProxy proxy, ZooKeeperLocks locks) {
		ZooKeeper victim = locks.zooKeeper();
		call(() -> {
			if (trigger.await(PATIENCE)) {
				proxy.hold(Direction.TO_SERVER);
				awaitLeaseEnd(locks);
				expireOnServer(victim);
				proxy.release(Direction.TO_CLIENT);
				awaitDisconnected(locks);
				proxy.heal();
			}
			return null;
		});
	}

}
