package io.github.zklock.spring;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

/**
 * An application may lack Reactor and context propagation.
 */
class OptionalDependencyTests {

	private static final JavaClasses classes = new ClassFileImporter()
		.withImportOption(new ImportOption.DoNotIncludeTests())
		.importPackages("io.github.zklock.spring");

	@Test
	void onlyTheReactiveClassesTouchReactor() {
		noClasses().that()
			.haveNameNotMatching("io\\.github\\.zklock\\.spring\\.Reactive.*")
			.and()
			.resideInAPackage("io.github.zklock.spring")
			.and()
			.doNotHaveFullyQualifiedName(CommitGuardPostProcessor.class.getName() + "$ReactiveManagers")
			.should()
			.dependOnClassesThat()
			.resideInAnyPackage("reactor..", "org.reactivestreams..")
			.orShould()
			.dependOnClassesThat()
			.haveNameMatching("io\\.github\\.zklock\\.spring\\.Reactive.*")
			.check(classes);
	}

	@Test
	void onlyTheAccessorAndTheSnapshotTouchContextPropagation() {
		noClasses().that()
			.doNotHaveFullyQualifiedName(CurrentLockAccessor.class.getName())
			.and()
			.doNotHaveFullyQualifiedName(ContextSnapshots.class.getName() + "$Snapshots")
			.should()
			.dependOnClassesThat()
			.resideInAPackage("io.micrometer.context..")
			.check(classes);
	}

}
