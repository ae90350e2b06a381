package io.github.zklock.engine;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

import io.github.zklock.LockLease;
import io.github.zklock.embedded.EmbeddedZooKeeper;
import io.github.zklock.zookeeper.ZooKeeperLocks;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A process that is stopped in its tracks while it holds a lock.
 */
@Tag("brief")
class PausedProcessIT {

	private static final Duration SESSION = Duration.ofSeconds(12);

	@Test
	@Tag("H02")
	void firstCallAfterAPauseKnowsThatTheLockIsLost() throws Exception {
		try (EmbeddedZooKeeper server = EmbeddedZooKeeper.startNew();
				ZooKeeperLocks locks = registry(server.connectString())) {
			Process holder = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
					"-cp", System.getProperty("java.class.path"), Holder.class.getName(), server.connectString())
				.redirectError(ProcessBuilder.Redirect.INHERIT)
				.start();
			try (BufferedReader answers = holder.inputReader(); BufferedWriter questions = holder.outputWriter()) {
				long token = Long.parseLong(answers.readLine());
				assertThat(ask(questions, answers)).isEqualTo("true");
				signal("STOP", holder);
				try (LockLease next = locks.lock("paused").acquire()) {
					assertThat(next.fencingToken()).isGreaterThan(token);
					questions.write("held?\n");
					questions.flush();
					signal("CONT", holder);
					assertThat(answers.readLine()).isEqualTo("false");
					assertThat(next.isHeld()).isTrue();
				}
			}
			finally {
				holder.destroyForcibly().waitFor();
			}
		}
	}

	private static ZooKeeperLocks registry(String connectString) {
		return ZooKeeperLocks.builder(connectString).sessionTimeout(SESSION).serverTick(Duration.ofMillis(500)).build();
	}

	private static String ask(BufferedWriter questions, BufferedReader answers) throws IOException {
		questions.write("held?\n");
		questions.flush();
		return answers.readLine();
	}

	private static void signal(String signal, Process process) throws Exception {
		Process kill = new ProcessBuilder("kill", "-" + signal, Long.toString(process.pid())).inheritIO().start();
		assertThat(kill.waitFor(60, TimeUnit.SECONDS)).isTrue();
		assertThat(kill.exitValue()).isZero();
	}

	/**
	 * Takes the lock, tells its token, and answers each line with whether it holds it,
	 * until its input ends.
	 */
	static final class Holder {

		private Holder() {
		}

		public static void main(String[] args) throws Exception {
			try (ZooKeeperLocks locks = registry(args[0])) {
				LockLease lease = locks.lock("paused").acquire();
				System.out.println(lease.fencingToken());
				while (System.in.read() >= 0) {
					if (System.in.available() == 0) {
						System.out.println(lease.isHeld());
					}
				}
			}
		}

	}

}
