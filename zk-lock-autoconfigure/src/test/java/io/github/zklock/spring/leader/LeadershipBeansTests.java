package io.github.zklock.spring.leader;

import io.github.zklock.embedded.ConnectString;
import io.github.zklock.leader.Leadership;
import org.junit.jupiter.api.Test;

import org.springframework.aot.generate.ClassNameGenerator;
import org.springframework.aot.generate.DefaultGenerationContext;
import org.springframework.aot.generate.GeneratedFiles.Kind;
import org.springframework.aot.generate.InMemoryGeneratedFiles;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.BeanDefinitionRegistryPostProcessor;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.javapoet.ClassName;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Leadership that is injected.
 */
class LeadershipBeansTests extends LeaderTestSupport {

	private static final String NAME = "spring.application.name=shop";

	private static final String ROLES = "zk.lock.leader.roles=orders,reports,shop";

	LeadershipBeansTests(@ConnectString String connectString) {
		super(connectString);
	}

	@Test
	void defaultRoleIsInjectedWhereNoneIsNamed() {
		TestApplication application = application(DefaultInjection.class, NAME, "zk.lock.leader.roles=orders");
		Leadership injected = application.context().getBean(DefaultInjection.class).leadership;
		assertThat(injected.role()).isEqualTo("shop");
		awaitLeader(injected);
		assertThat(injected.fencingToken()).isEqualTo(application.election("shop").leadership().fencingToken());
	}

	@Test
	void namedRoleIsInjected() {
		TestApplication application = application(NamedInjection.class, NAME, ROLES);
		Leadership injected = application.context().getBean(NamedInjection.class).leadership;
		assertThat(injected.role()).isEqualTo("orders");
		awaitLeader(injected);
	}

	@Test
	void roleIsNotJoinedUnlessItsBeanIsMade() {
		TestApplication application = application(NAME);
		assertThat(application.context().getBeanNamesForType(Leadership.class))
			.containsExactly("zkLockLeadership-shop");
		assertThat(application.hasRegistry()).isFalse();
		assertThat(application.roles().roles()).isEmpty();
		awaitLeader(application.context().getBean(Leadership.class));
	}

	@Test
	void eachRoleHasOneBean() {
		AnnotationConfigApplicationContext context = application(NAME, ROLES).context();
		assertThat(context.getBeanNamesForType(Leadership.class)).containsExactlyInAnyOrder("zkLockLeadership-shop",
				"zkLockLeadership-orders", "zkLockLeadership-reports");
		BeanDefinition definition = context.getBeanDefinition("zkLockLeadership-shop");
		assertThat(definition.isPrimary()).isTrue();
		assertThat(context.getBeanDefinition("zkLockLeadership-orders").isPrimary()).isFalse();
	}

	@Test
	void withoutANameThereIsNoDefaultRole() {
		TestApplication application = application(OptionalInjection.class);
		assertThat(application.context().getBeanNamesForType(Leadership.class)).isEmpty();
		assertThat(application.context().getBean(OptionalInjection.class).leadership.getIfAvailable()).isNull();
	}

	@Test
	void onlyRoleIsInjectedWithoutAName() {
		TestApplication application = application(DefaultInjection.class, "zk.lock.leader.roles=orders");
		assertThat(application.context().getBean(DefaultInjection.class).leadership.role()).isEqualTo("orders");
	}

	@Test
	void beanOfTheApplicationIsInjectedWhereNoRoleIsNamed() {
		AnnotationConfigApplicationContext context = application(OwnBean.class, NAME, ROLES).context();
		assertThat(context.getBean(DefaultInjection.class).leadership.role()).isEqualTo("own");
		assertThat(context.getBean(NamedInjection.class).leadership.role()).isEqualTo("orders");
		assertThat(context.getBean(Leadership.class).role()).isEqualTo("own");
	}

	@Test
	void beanThatIsDefinedLateIsInjectedToo() {
		AnnotationConfigApplicationContext context = application(LateBean.class, NAME, ROLES).context();
		assertThat(context.getBean(DefaultInjection.class).leadership.role()).isEqualTo("late");
	}

	@Test
	void beanOfTheApplicationWithTheSameNameStays() {
		AnnotationConfigApplicationContext context = application(SameName.class, NAME).context();
		assertThat(context.getBean("zkLockLeadership-shop", Leadership.class).role()).isEqualTo("own");
	}

	@Test
	void definitionsCanBeProcessedAheadOfTime() throws Exception {
		AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
		TestPropertyValues.of(NAME, ROLES).applyTo(context);
		context.register(LeaderTestConfiguration.class, DefaultInjection.class);
		InMemoryGeneratedFiles files = new InMemoryGeneratedFiles();
		DefaultGenerationContext generation = new DefaultGenerationContext(
				new ClassNameGenerator(ClassName.get("shop", "Application")), files);
		new ApplicationContextAotGenerator().processAheadOfTime(context, generation);
		generation.writeGeneratedContent();
		StringBuilder sources = new StringBuilder();
		for (String path : files.getGeneratedFiles(Kind.SOURCE).keySet()) {
			sources.append(files.getGeneratedFileContent(Kind.SOURCE, path));
		}
		assertThat(sources).contains("new AutowireCandidateQualifier(\"org.springframework.beans.factory.annotation."
				+ "Qualifier\", \"reports\")", "setPrimary(true)");
	}

	static class DefaultInjection {

		final Leadership leadership;

		DefaultInjection(Leadership leadership) {
			this.leadership = leadership;
		}

	}

	static class NamedInjection {

		final Leadership leadership;

		NamedInjection(@Qualifier("orders") Leadership leadership) {
			this.leadership = leadership;
		}

	}

	static class OptionalInjection {

		final ObjectProvider<Leadership> leadership;

		OptionalInjection(ObjectProvider<Leadership> leadership) {
			this.leadership = leadership;
		}

	}

	@Configuration(proxyBeanMethods = false)
	@Import({ DefaultInjection.class, NamedInjection.class })
	static class OwnBean {

		@Bean
		Leadership mine(LeaderRoles roles) {
			return roles.use("own");
		}

	}

	@Configuration(proxyBeanMethods = false)
	@Import(DefaultInjection.class)
	static class LateBean {

		@Bean
		static BeanDefinitionRegistryPostProcessor zzz() {
			return new BeanDefinitionRegistryPostProcessor() {

				@Override
				public void postProcessBeanDefinitionRegistry(BeanDefinitionRegistry registry) {
					registry.registerBeanDefinition("mine",
							new RootBeanDefinition(Leadership.class, () -> new LazyLeadership("late", () -> {
								throw new IllegalStateException("not asked");
							})));
				}

			};
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class SameName {

		@Bean("zkLockLeadership-shop")
		Leadership own(LeaderRoles roles) {
			return roles.use("own");
		}

	}

}
