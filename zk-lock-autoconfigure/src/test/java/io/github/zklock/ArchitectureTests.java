package io.github.zklock;

import java.time.Clock;
import java.time.Instant;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.Timer;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

import com.tngtech.archunit.core.domain.JavaCall;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaConstructor;
import com.tngtech.archunit.core.domain.JavaPackage;
import com.tngtech.archunit.core.domain.properties.HasName;
import com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.conditions.ArchConditions;
import io.github.zklock.embedded.EmbeddedZooKeeperMain;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * The arrows between modules and packages. This module sees all those that are published.
 * Plain tests, because the rules of ArchUnit's own engine do not run on JUnit 6.
 */
class ArchitectureTests {

	private static final String API = "io.github.zklock";

	private static final String LEADER = "io.github.zklock.leader..";

	private static final String ENGINE = "io.github.zklock.engine..";

	private static final String ZOOKEEPER = "io.github.zklock.zookeeper..";

	private static final String LOCAL = "io.github.zklock.local..";

	private static final String PLATFORM = "io.github.zklock.platform..";

	private static final String CLIENT = "org.apache.zookeeper..";

	private static final String[] CORE = { API, LEADER, ENGINE, PLATFORM, ZOOKEEPER, LOCAL };

	private static final String SPRING = "io.github.zklock.spring..";

	private static final String AUTOCONFIGURE = "io.github.zklock.autoconfigure..";

	private static final String EMBEDDED = "io.github.zklock.embedded..";

	// What tests share comes in a jar of its own
	private final JavaClasses classes = new ClassFileImporter().withImportOption(new ImportOption.DoNotIncludeTests())
		.withImportOption((location) -> !location.contains("/io/github/zklock/testing/"))
		.importPackages("io.github.zklock");

	@Test
	void allModulesAreSeen() {
		assertThat(this.classes).extracting(JavaClass::getPackageName)
			.contains("io.github.zklock", "io.github.zklock.leader", "io.github.zklock.engine",
					"io.github.zklock.zookeeper", "io.github.zklock.local", "io.github.zklock.platform",
					"io.github.zklock.spring", "io.github.zklock.autoconfigure", "io.github.zklock.embedded");
	}

	@Test
	void coreKnowsNoSpringAndNoOtherModule() {
		noClasses().that()
			.resideInAnyPackage(CORE)
			.should()
			.dependOnClassesThat()
			.resideInAnyPackage("org.springframework..", SPRING, AUTOCONFIGURE, EMBEDDED)
			.check(this.classes);
	}

	@Test
	void coreUsesItsThreeLibrariesOnly() {
		noClasses().that()
			.resideInAnyPackage(CORE)
			.should()
			.dependOnClassesThat()
			.resideOutsideOfPackages("java..", "io.github.zklock..", "org.apache.zookeeper..", "org.slf4j..",
					"org.jspecify..")
			.check(this.classes);
	}

	@Test
	void callersNeedNotKnowWhatIsBehindTheInterfaces() {
		noClasses().that()
			.resideInAnyPackage(API, LEADER)
			.should()
			.dependOnClassesThat()
			.resideInAnyPackage(ENGINE, PLATFORM, ZOOKEEPER, LOCAL, CLIENT)
			.check(this.classes);
	}

	@Test
	void engineKnowsNodesAndNotZooKeeper() {
		noClasses().that()
			.resideInAPackage(ENGINE)
			.should()
			.dependOnClassesThat()
			.resideInAnyPackage(PLATFORM, ZOOKEEPER, LOCAL, CLIENT)
			.check(this.classes);
	}

	/**
	 * Or a schedule could not be had again by its seed.
	 */
	@Test
	void engineTakesTimeChanceThreadsAndWaitsFromItsPlatform() {
		noClasses().that()
			.resideInAPackage(ENGINE)
			.should(callAnyOf(System.class, "nanoTime", "currentTimeMillis"))
			.orShould(callAnyOf(Instant.class, "now"))
			.orShould(callAnyOf(Object.class, "wait", "notify", "notifyAll"))
			.orShould(callAnyOf(Thread.class, "sleep", "join", "start", "yield", "onSpinWait", "ofVirtual",
					"ofPlatform", "startVirtualThread", JavaConstructor.CONSTRUCTOR_NAME))
			.orShould(callAnyOf(UUID.class, "randomUUID"))
			.orShould(callAnyOf(Math.class, "random"))
			.orShould(callAnyOf(CompletableFuture.class, "orTimeout", "completeOnTimeout", "delayedExecutor",
					"supplyAsync", "runAsync", "join"))
			.orShould()
			.dependOnClassesThat()
			.belongToAnyOf(Clock.class, LockSupport.class, ReentrantLock.class, CountDownLatch.class, Semaphore.class,
					CyclicBarrier.class, LinkedBlockingQueue.class, SynchronousQueue.class, ThreadLocalRandom.class,
					Random.class, SplittableRandom.class, Executors.class, ThreadPoolExecutor.class, ForkJoinPool.class,
					ThreadFactory.class, Timer.class)
			.check(this.classes);
	}

	/**
	 * What has no order of its own is only asked whether it contains something.
	 */
	@Test
	void engineGoesThroughNothingInTheOrderOfHashCodes() {
		noClasses().that()
			.resideInAPackage(ENGINE)
			.and()
			.doNotHaveSimpleName("AccessCheck")
			.and()
			.doNotHaveSimpleName("Elections")
			.and()
			.doNotHaveSimpleName("OldNodes")
			.should(callAnyOf(ConcurrentHashMap.class, "newKeySet"))
			.orShould()
			.dependOnClassesThat()
			.belongToAnyOf(HashSet.class, IdentityHashMap.class)
			.check(this.classes);
	}

	private static ArchCondition<JavaClass> callAnyOf(Class<?> owner, String... methods) {
		return ArchConditions.callCodeUnitWhere(JavaCall.Predicates.target(With.owner(JavaClass.Predicates.type(owner)))
			.and(JavaCall.Predicates.target(HasName.Predicates.nameMatching(String.join("|", methods)))));
	}

	@Test
	void platformKnowsTheEngineOnly() {
		noClasses().that()
			.resideInAPackage(PLATFORM)
			.should()
			.dependOnClassesThat()
			.resideInAnyPackage(API, LEADER, ZOOKEEPER, LOCAL, CLIENT)
			.check(this.classes);
	}

	@Test
	void storesDoNotKnowEachOther() {
		noClasses().that()
			.resideInAPackage(LOCAL)
			.should()
			.dependOnClassesThat()
			.resideInAnyPackage(ZOOKEEPER, CLIENT)
			.check(this.classes);
		noClasses().that()
			.resideInAPackage(ZOOKEEPER)
			.should()
			.dependOnClassesThat()
			.resideInAPackage(LOCAL)
			.check(this.classes);
	}

	@Test
	void springKnowsNoEngineAndNoStore() {
		noClasses().that()
			.resideInAPackage(SPRING)
			.should()
			.dependOnClassesThat()
			.resideInAnyPackage(ENGINE, PLATFORM, ZOOKEEPER, LOCAL, CLIENT)
			.check(this.classes);
	}

	@Test
	void embeddedKnowsNoSpringAndNoOtherModule() {
		noClasses().that()
			.resideInAPackage(EMBEDDED)
			.should()
			.dependOnClassesThat()
			.resideInAnyPackage("org.springframework..", API, LEADER, ENGINE, PLATFORM, ZOOKEEPER, LOCAL, SPRING,
					AUTOCONFIGURE)
			.check(this.classes);
	}

	@Test
	void annotationsDoNotKnowTheirAutoConfiguration() {
		noClasses().that()
			.resideInAPackage(SPRING)
			.should()
			.dependOnClassesThat()
			.resideInAPackage(AUTOCONFIGURE)
			.check(this.classes);
	}

	/**
	 * A thread of the common pool runs other tasks while it waits for a future, and these
	 * would enter the locks that the thread holds.
	 */
	@Test
	void nobodyWaitsByAFuture() {
		noClasses().that()
			.resideOutsideOfPackages(EMBEDDED, AUTOCONFIGURE)
			.and()
			.doNotHaveSimpleName("Futures")
			.should()
			.callMethod(CompletableFuture.class, "get")
			.orShould()
			.callMethod(CompletableFuture.class, "get", long.class, TimeUnit.class)
			.orShould()
			.callMethod(CompletableFuture.class, "join")
			.check(this.classes);
	}

	@Test
	void packagesHaveNoCycles() {
		slices().matching("io.github.(**)").should().beFreeOfCycles().check(this.classes);
	}

	@Test
	void everyPackageIsNullMarked() {
		assertThat(this.classes).extracting(JavaClass::getPackage)
			.allMatch((JavaPackage javaPackage) -> javaPackage.isAnnotatedWith(NullMarked.class));
	}

	@Test
	void onlyTheCommandLineEndsTheJvmOrListensForItsEnd() {
		noClasses().that()
			.doNotBelongToAnyOf(EmbeddedZooKeeperMain.class)
			.should()
			.callMethod(System.class, "exit", int.class)
			.orShould()
			.callMethod(Runtime.class, "addShutdownHook", Thread.class)
			.check(this.classes);
	}

}
