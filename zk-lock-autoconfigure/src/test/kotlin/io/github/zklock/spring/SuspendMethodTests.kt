package io.github.zklock.spring

import java.util.Optional

import io.github.zklock.AnsweredLocks
import io.github.zklock.LockProbe
import io.github.zklock.LockTimeoutException
import io.github.zklock.embedded.ConnectString
import io.github.zklock.embedded.EmbeddedZooKeeper
import io.github.zklock.spring.aop.LeaderAdvisingPostProcessor
import io.github.zklock.spring.aop.LockAdvisingPostProcessor
import io.github.zklock.spring.leader.LeaderRoles
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.flow.flowOf
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.launch
import kotlinx.coroutines.reactor.awaitSingle
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext
import org.assertj.core.api.Assertions.assertThat
import org.awaitility.Awaitility.await
import org.junit.jupiter.api.Assertions.assertThrows
import org.junit.jupiter.api.Test
import org.springframework.beans.factory.BeanCreationException
import org.springframework.beans.factory.getBean
import org.springframework.context.annotation.AnnotationConfigApplicationContext
import org.springframework.context.support.registerBean
import org.springframework.core.Ordered

/**
 * Annotated suspending functions.
 */
internal class SuspendMethodTests(server: EmbeddedZooKeeper, @ConnectString connectString: String) :
	AsyncTestSupport(server, connectString) {

	private val context = closing(AnnotationConfigApplicationContext().apply {
		registerBean<LockTemplate> { LockTemplate(AnsweredLocks(this@SuspendMethodTests.locks), PATIENCE) { it.run() } }
		registerBean<LockAdvisingPostProcessor> { LockAdvisingPostProcessor(Ordered.LOWEST_PRECEDENCE - 100, true) }
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

	@Test
	fun flowHoldsItsLockWhileItIsCollected() = runBlocking<Unit> {
		val flow = inner.payments { !LockProbe.isFree(elsewhere, "payments") }
		assertFree("payments")
		repeat(2) {
			assertThat(flow.toList()).containsExactly(true, true)
			assertFree("payments")
		}
	}

	@Test
	fun functionThatSuspendsAndReturnsAFlowIsRefused() {
		assertRefused<SuspendingFlow>("@DistributedLock", "suspends and returns a Flow")
		assertRefused<LeadingFlow>("@LeaderOnly", "suspends and returns a Flow")
	}

	@Test
	fun functionThatSuspendsAndTurnsOutToReturnAFlowFails() {
		val anything = start<Anything>().getBean<Anything>()
		val failure = assertThrows(IllegalStateException::class.java) { runBlocking { anything.pay() } }
		assertThat(failure).hasMessageStartingWith("@DistributedLock on").hasMessageContaining("would run without protection")
		assertFree("a")
		await().atMost(PATIENCE).until(this.locks.election("role").leadership()::isLeader)
		assertThat(assertThrows(IllegalStateException::class.java) { runBlocking { anything.lead() } })
			.hasMessageStartingWith("@LeaderOnly on")
	}

	@Test
	fun functionWithAResultIsNotSkipped() {
		assertRefused<SkippedResult>("onContention=SKIP", "must not return null")
		assertRefused<LeadingResult>("onNotLeading=SKIP", "must not return null")
	}

	@Test
	fun onlyTheLeaderRunsAFunction() {
		val election = this.elsewhere.election("role")
		election.join()
		await().atMost(PATIENCE).until(election.leadership()::isLeader)
		val leader = start<Leader>().getBean<Leader>()
		assertThat(runBlocking { leader.leadIfPossible() }).isNull()
		assertThat(runBlocking { leader.leads() }).isEmpty()
		assertThrows(NotLeaderException::class.java) { runBlocking { leader.lead() } }
		election.leave()
		await().atMost(PATIENCE).until { runBlocking { leader.leadIfPossible() } == "led" }
		assertThat(runBlocking { leader.lead() }).isEqualTo("led")
		assertThat(runBlocking { leader.leads() }).contains("led")
	}

	private inline fun <reified T : Any> start() = closing(AnnotationConfigApplicationContext().apply {
		registerBean<LockTemplate> { LockTemplate(AnsweredLocks(this@SuspendMethodTests.locks), PATIENCE) { it.run() } }
		registerBean<LockAdvisingPostProcessor> { LockAdvisingPostProcessor(Ordered.LOWEST_PRECEDENCE - 100, true) }
		registerBean<LeaderAdvisingPostProcessor> { LeaderAdvisingPostProcessor(Ordered.LOWEST_PRECEDENCE - 101, true) }
		registerBean<LeaderRoles> { LeaderRoles(this, { this@SuspendMethodTests.locks }, null, listOf(), true) }
		registerBean<T>()
		refresh()
	})

	private inline fun <reified T : Any> assertRefused(vararg texts: String) {
		val refused = assertThrows(BeanCreationException::class.java) { start<T>() }.rootCause
		assertThat(refused).isInstanceOf(LockConfigurationException::class.java)
		assertThat(refused?.message).contains(*texts)
	}

	open class Suspending {

		@DistributedLock("a")
		open suspend fun pay(): String = "paid"

	}

	open class Anything {

		@DistributedLock("a")
		open suspend fun pay(): Any = flowOf("paid")

		@LeaderOnly("role", onNotLeading = OnNotLeading.THROW)
		open suspend fun lead(): Any = flowOf("led")

	}

	open class SuspendingFlow {

		@DistributedLock("a")
		open suspend fun pay(): Flow<String> = flowOf("paid")

	}

	open class LeadingFlow {

		@LeaderOnly("role")
		open suspend fun pay(): Flow<String> = flowOf("paid")

	}

	open class SkippedResult {

		@DistributedLock("a", onContention = OnContention.SKIP)
		open suspend fun pay(): String = "paid"

	}

	open class LeadingResult {

		@LeaderOnly("role")
		open suspend fun pay(): String = "paid"

	}

	open class Leader {

		@LeaderOnly("role")
		open suspend fun leadIfPossible(): String? = withContext(Dispatchers.Default) { "led" }

		@LeaderOnly("role")
		open suspend fun leads(): Optional<String> = withContext(Dispatchers.Default) { Optional.of("led") }

		@LeaderOnly("role", onNotLeading = OnNotLeading.THROW)
		open suspend fun lead(): String = withContext(Dispatchers.Default) { "led" }

	}

	open class Inner {

		@DistributedLock("payments")
		open fun payments(look: () -> Boolean): Flow<Boolean> = flow {
			emit(look())
			emit(look())
		}

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
