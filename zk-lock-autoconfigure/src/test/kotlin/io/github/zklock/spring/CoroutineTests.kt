package io.github.zklock.spring

import java.time.Duration

import io.github.zklock.AnsweredLocks
import io.github.zklock.embedded.ConnectString
import io.github.zklock.embedded.EmbeddedZooKeeper
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.launch
import kotlinx.coroutines.reactor.awaitSingle
import kotlinx.coroutines.reactor.mono
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test

/**
 * Coroutines that hold locks.
 */
internal class CoroutineTests(server: EmbeddedZooKeeper, @ConnectString connectString: String) :
	AsyncTestSupport(server, connectString) {

	private val template = ReactiveLockTemplate(LockTemplate(AnsweredLocks(this.locks), PATIENCE) { it.run() })

	private suspend fun <T : Any> locked(body: suspend () -> T): T =
		this.template.mono(LockOptions.of("lock").maxWait(Duration.ZERO)) { mono(Dispatchers.Unconfined) { body() } }
			.awaitSingle()

	@Test
	fun coroutineHoldsTheLockOnWhicheverThreadAndEntersItAgain() = runBlocking<Unit> {
		val held = locked {
			withContext(Dispatchers.Default) {
				assertHeld("lock")
				locked { ReactiveLockTemplate.currentLease("lock").awaitSingle().isHeld }
			}
		}
		assertThat(held).isTrue()
		assertFree("lock")
	}

	@Test
	fun cancelledCoroutineGivesTheLockBack() = runBlocking<Unit> {
		val started = CompletableDeferred<Unit>()
		val job = launch(Dispatchers.Default) {
			locked {
				started.complete(Unit)
				CompletableDeferred<String>().await()
			}
		}
		started.await()
		assertHeld("lock")
		job.cancelAndJoin()
		awaitFree("lock")
	}

}
