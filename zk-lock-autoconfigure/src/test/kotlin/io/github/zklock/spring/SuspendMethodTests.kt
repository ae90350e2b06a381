package io.github.zklock.spring

import java.time.Duration

import io.github.zklock.LockTimeoutException
import io.github.zklock.embedded.ConnectString
import io.github.zklock.embedded.EmbeddedZooKeeper
import io.github.zklock.spring.aop.LockAdvisingPostProcessor
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.launch
import kotlinx.coroutines.reactor.awaitSingle
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Assertions.assertThrows
import org.junit.jupiter.api.Test
import org.springframework.beans.factory.getBean
import org.springframework.context.annotation.AnnotationConfigApplicationContext
import org.springframework.context.support.registerBean
import org.springframework.core.Ordered

/**
 * Annotated suspending functions.
 */
internal class SuspendMethodTests(server: EmbeddedZooKeeper, @ConnectString connectString: String) :
	AsyncTestSupport(server, connectString, Duration.ofSeconds(30)) {

	private val context = closing(AnnotationConfigApplicationContext().apply {
		registerBean<LockTemplate> { LockTemplate(this@SuspendMethodTests.locks, PATIENCE) { it.run() } }
		registerBean<LockAdvisingPostProcessor> { LockAdvisingPostProcessor(Ordered.LOWEST_PRECEDENCE - 100, true) {} }
		registerBean<Inner>()
		registerBean<Outer>()
		refresh()
	})

	private val outer = this.context.getBean<Outer>()

	private val inner = this.context.getBean<Inner>()

	@Test
	fun functionHoldsItsLockWhileItIsSuspended() = runBlocking<Unit> {
		val started = CompletableDeferred<Unit>()
		val ending = CompletableDeferred<String>()
		val job = launch(Dispatchers.Default) { assertThat(inner.pay(7, started, ending)).isEqualTo("7 paid") }
		started.await()
		assertHeld("invoice-7")
		assertFree("invoice-8")
		ending.complete("paid")
		job.join()
		assertThat(job.isCancelled).isFalse()
		assertFree("invoice-7")
	}

	@Test
	fun functionInsideEntersTheLockAgain() = runBlocking<Unit> {
		assertThat(this@SuspendMethodTests.outer.payAll()).isEqualTo("true on another thread")
		assertFree("all")
	}

	@Test
	fun cancelledFunctionGivesItsLockBack() = runBlocking<Unit> {
		val started = CompletableDeferred<Unit>()
		val job = launch(Dispatchers.Default) { inner.pay(7, started, CompletableDeferred()) }
		started.await()
		assertHeld("invoice-7")
		job.cancelAndJoin()
		awaitFree("invoice-7")
	}

	@Test
	fun contentionFollowsThePolicy() {
		this.elsewhere.lock("all").acquire().use {
			assertThat(runBlocking { inner.payIfFree() }).isNull()
			assertThrows(LockTimeoutException::class.java) { runBlocking { inner.payAgain() } }
			assertThat(runBlocking { inner.payOrElse(7) }).isEqualTo("7: all is taken")
		}
	}

	open class Inner {

		@DistributedLock("invoice-#{#id}")
		open suspend fun pay(id: Int, started: CompletableDeferred<Unit>, ending: CompletableDeferred<String>): String {
			started.complete(Unit)
			return withContext(Dispatchers.Default) { "$id " + ending.await() }
		}

		@DistributedLock("all", maxWait = "0")
		open suspend fun payAgain(): String =
			"${ReactiveLockTemplate.currentLease("all").awaitSingle().isHeld} on another thread"

		@DistributedLock("all", onContention = OnContention.SKIP)
		open suspend fun payIfFree(): String? = "paid"

		@DistributedLock("all", onContention = OnContention.FALLBACK, fallback = "refused")
		open suspend fun payOrElse(id: Int): String = "$id: paid"

		@Suppress("unused") // by the annotation
		private suspend fun refused(id: Int, contention: LockTimeoutException): String =
			withContext(Dispatchers.Default) { "$id: ${contention.name()} is taken" }

	}

	open class Outer(private val inner: Inner) {

		@DistributedLock("all")
		open suspend fun payAll(): String = withContext(Dispatchers.Default) { inner.payAgain() }

	}

}
