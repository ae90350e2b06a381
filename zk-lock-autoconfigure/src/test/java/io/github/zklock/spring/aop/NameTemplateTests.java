package io.github.zklock.spring.aop;

import java.lang.reflect.Method;
import java.time.Duration;
import java.time.LocalDate;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

import io.github.zklock.spring.LockConfigurationException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.support.PropertySourcesPlaceholderConfigurer;
import org.springframework.core.env.MapPropertySource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/**
 * Names of locks and other texts of the annotation: what they become, and what is wrong
 * with them. No part of a name vanishes.
 */
class NameTemplateTests {

	private static final String WHERE = "The @DistributedLock of " + Service.class.getName();

	private final AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();

	private NameTemplate template(String text) {
		return template(text, method("pay"));
	}

	private NameTemplate template(String text, Method method) {
		return new NameTemplate(text, method, this.context);
	}

	private static Method method(String name) {
		return Arrays.stream(Service.class.getDeclaredMethods())
			.filter((method) -> method.getName().equals(name))
			.findFirst()
			.orElseThrow();
	}

	@SuppressWarnings("NullAway") // arguments may be null
	private String name(String text, @Nullable Object... arguments) {
		return template(text).evaluate(new Service(), arguments);
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '"',
			value = { "invoices | invoices", "invoice-#{#id} | invoice-7", "#{#id} | 7",
					"#{#order.customer}/#{#id} | ann/7", "invoice-#{#p0} | invoice-7",
					"invoice-#{#a1.customer} | invoice-ann", "#{#root.method.name}-#{#id} | pay-7",
					"#{method.name}-#{#id} | pay-7", "#{#root.args[0]} | 7", "#{#root.target.tenant}-#{#id} | blue-7",
					"#{target.tenant}-#{#id} | blue-7", "#{@numbers.next()}-#{#id} | next-7",
					"#{#id > 5 ? 'large' : 'small'} | large", "#{#order.items.![#this.toUpperCase()]} | A,B",
					"ticket #9 of #{#id} | ticket #9 of 7", "#{'#id'}-#{#id} | #id-7" })
	void names(String text, String expected) {
		this.context.registerBean("numbers", Numbers.class);
		this.context.refresh();
		assertThat(name(text, 7L, new Order("ann", List.of("a", "b")))).isEqualTo(expected);
		this.context.close();
	}

	@Test
	void valuesBecomeText() {
		Order order = new Order("ann", List.of());
		UUID uuid = UUID.randomUUID();
		for (Object value : new Object[] { "text", 'c', 1, 2L, 3.5, true, uuid, LocalDate.of(2026, 11, 16),
				Thread.State.NEW, order }) {
			assertThat(template("#{#value}", method("any")).evaluate(null, new Object[] { value }))
				.isEqualTo(value.toString());
		}
		assertThat(template("#{#value}", method("any")).evaluate(null, new Object[] { Optional.of("x") }))
			.isEqualTo("x");
		assertThat(template("#{#value}", method("any")).evaluate(null, new Object[] { new int[] { 1, 2 } }))
			.isEqualTo("1,2");
	}

	@ParameterizedTest
	@ValueSource(strings = { "#{#order}", "${user.home}", "#{T(java.lang.System).exit(1)}", "#id", "a/../b" })
	void argumentsAreData(String argument) {
		assertThat(name("user-#{#order.customer}", 1L, new Order(argument, List.of()))).isEqualTo("user-" + argument);
	}

	@Test
	void varargsAreOneText() {
		assertThat(template("#{#items}", method("several")).evaluate(null, new Object[] { new String[] { "a", "b" } }))
			.isEqualTo("a,b");
	}

	@Nested
	class AtCall {

		@Test
		void nullPartIsRefused() {
			assertIncomplete("invoice-#{#id}", "#{#id}' is null", null, null);
		}

		@Test
		void emptyPartIsRefused() {
			assertIncomplete("user-#{#order.customer}", "#{#order.customer}' is empty", 1L, new Order("", List.of()));
		}

		@Test
		void emptyOptionalIsRefused() {
			assertThatIllegalArgumentException()
				.isThrownBy(
						() -> template("x-#{#value}", method("any")).evaluate(null, new Object[] { Optional.empty() }))
				.withMessageContaining("'x-#{#value}'")
				.withMessageContaining("'#{#value}' is null");
		}

		@Test
		void oneMissingPartOfTwoIsRefused() {
			assertIncomplete("#{#order.customer}-#{#id}", "#{#id}' is null", null, new Order("ann", List.of()));
		}

		@Test
		void nullOnTheWayIsRefused() {
			assertIncomplete("user-#{#order?.customer}", "#{#order?.customer}' is null", 1L, null);
			assertFails("user-#{#order.customer}", "#{#order.customer}' fails: ", 1L, null);
		}

		@Test
		void unknownPropertyIsNamed() {
			assertFails("user-#{#order.nothing}", "#{#order.nothing}' fails: ", 1L, new Order("ann", List.of()));
		}

		@Test
		void failureOfAMethodIsTold() {
			assertFails("user-#{#order.fail()}", "#{#order.fail()}' fails: no such user", 1L,
					new Order("ann", List.of()));
		}

		@Test
		void textThatNoOtherProcessHasIsRefused() {
			assertThatIllegalArgumentException()
				.isThrownBy(() -> template("x-#{#value}", method("any")).evaluate(null, new Object[] { new Service() }))
				.withMessageContaining("'#{#value}' fails: " + Service.class.getName() + " has no toString()");
		}

		private void assertIncomplete(String text, String problem, @Nullable Object... arguments) {
			assertThatIllegalArgumentException().isThrownBy(() -> name(text, arguments))
				.withMessage(
						"The name '%s' of the lock on %s.pay(Long, NameTemplateTests.Order) is incomplete because '%s"
							.formatted(text, Service.class.getName(), problem));
		}

		private void assertFails(String text, String problem, @Nullable Object... arguments) {
			assertThatIllegalArgumentException().isThrownBy(() -> name(text, arguments))
				.withMessageStartingWith(
						"The name '%s' of the lock on %s.pay(Long, NameTemplateTests.Order) cannot be evaluated because '%s"
							.formatted(text, Service.class.getName(), problem));
		}

	}

	@Nested
	class AtStartUp {

		@ParameterizedTest
		@ValueSource(strings = { "", " " })
		void empty(String text) {
			assertError(text, "has an empty name.",
					"Give it a name, for example @DistributedLock(\"invoice-#{#id}\").");
		}

		@ParameterizedTest
		@ValueSource(strings = { "a-#{#id", "a-#{}", "a-#{#id +}", "a-#{1 2}", "a-#{#id)}" })
		void unparsable(String text) {
			assertThat(error(text, method("pay"))).hasMessageStartingWith(
					"The @DistributedLock of %s.pay(Long, NameTemplateTests.Order) has the name '%s', which cannot be parsed: "
						.formatted(Service.class.getName(), text));
		}

		@ParameterizedTest
		@ValueSource(strings = { "#{#ID}", "#{#p2}", "#{#a9}", "#{1 + (#other.x)}", "#{#order.items.?[#that]}",
				"#{#order.pay(#x)}", "#{#fn(#id)}", "#{{#id, #y}}", "#{#id ?: #z}", "#{#order[#k]}", "#{#größe}" })
		void unknownVariable(String text) {
			LockConfigurationException error = error("a-" + text, method("pay"));
			assertThat(error).hasMessageMatching(
					".* has the name 'a-.*', but '#(ID|p2|a9|other|that|x|fn|y|z|k|größe)' is not a parameter of the method\\.");
			assertThat(error.action()).isEqualTo("Use one of [id, order], by position '#p0', '#p1', ..., or '#root'.");
		}

		@ParameterizedTest
		@ValueSource(strings = { "id", "order.customer" })
		void forgottenHash(String text) {
			LockConfigurationException error = error("a-#{" + text + "}", method("pay"));
			assertThat(error).hasMessageEndingWith("is not a property of '#root'.");
			assertThat(error.action()).startsWith("Did you mean '#");
		}

		@ParameterizedTest
		@ValueSource(strings = { "invoice-#id", "#id", "a #p0 b", "#order.customer", "#{#id}#order" })
		void variableOutsideOfExpression(String text) {
			LockConfigurationException error = error(text, method("pay"));
			assertThat(error).hasMessageContaining("is plain text: every call would take the same lock");
			assertThat(error.action()).matches("Did you mean '#\\{#(id|p0|order)}'\\?");
		}

		/**
		 * The JDK is compiled without the names of parameters.
		 */
		@Test
		void missingParameterNamesAreExplained() throws Exception {
			Method concat = String.class.getMethod("concat", String.class);
			LockConfigurationException error = error("a-#{#str}", concat);
			assertThat(error).hasMessage(
					"The @DistributedLock of java.lang.String.concat(String) has the name 'a-#{#str}', but the names of the method's parameters are not known.");
			assertThat(error.action()).contains("-parameters").contains("#p0");
			assertThat(template("a-#{#p0}", concat).evaluate("", new Object[] { "x" })).isEqualTo("a-x");
		}

		private void assertError(String text, String problem, String action) {
			LockConfigurationException error = error(text, method("pay"));
			assertThat(error).hasMessage(WHERE + ".pay(Long, NameTemplateTests.Order) " + problem);
			assertThat(error.action()).isEqualTo(action);
		}

		private LockConfigurationException error(String text, Method method) {
			LockConfigurationException error = catchThrowableOfType(LockConfigurationException.class,
					() -> template(text, method));
			assertThat(error).as(text).isNotNull();
			return error;
		}

	}

	@Nested
	class Properties {

		@ParameterizedTest
		@ValueSource(booleans = { true, false })
		void placeholders(boolean configurer) {
			AnnotationValues texts = texts(configurer);
			assertThat(texts.resolve("${zone}-jobs", "where", "name")).isEqualTo("eu-jobs");
			assertThat(texts.resolve("${missing:none}-jobs", "where", "name")).isEqualTo("none-jobs");
			assertThat(texts.resolve("${${key}}", "where", "name")).isEqualTo("eu");
			assertThat(texts.resolve("plain", "where", "name")).isEqualTo("plain");
		}

		@ParameterizedTest
		@ValueSource(booleans = { true, false })
		void expressionsSurvive(boolean configurer) {
			AnnotationValues texts = texts(configurer);
			assertThat(texts.resolve("${zone}-invoice-#{#id}", "where", "name")).isEqualTo("eu-invoice-#{#id}");
			assertThat(texts.resolve("invoice-#{#id}", "where", "name")).isEqualTo("invoice-#{#id}");
			assertThat(texts.resolve("${template}", "where", "name")).isEqualTo("t-#{#id}");
		}

		@ParameterizedTest
		@ValueSource(booleans = { true, false })
		void unknown(boolean configurer) {
			assertThatExceptionOfType(LockConfigurationException.class)
				.isThrownBy(() -> texts(configurer).resolve("${missing}-#{#id}", "The lock", "name"))
				.withMessage("The lock has '${missing}-#{#id}' as its name, with a property that is not set.")
				.satisfies((ex) -> assertThat(ex.action()).contains("${property:default}"));
		}

		@ParameterizedTest
		@CsvSource({ "10s, 10000", "PT10S, 10000", "250, 250", "250ms, 250", "1m, 60000", "${wait}, 3000",
				"${missing:7s}, 7000", "0, 0" })
		void durations(String text, long millis) {
			assertThat(texts(false).duration(text, "where", "maxWait")).isEqualTo(Duration.ofMillis(millis));
		}

		@Test
		void emptyDurationIsNone() {
			assertThat(texts(false).duration("", "where", "maxWait")).isNull();
			assertThat(texts(false).duration("${missing:}", "where", "maxWait")).isNull();
		}

		@ParameterizedTest
		@ValueSource(strings = { "soon", "-1s", "-5", "10 seconds", "99999999999999999999s", "9223372036854775807d",
				"#{10}s", "PT" })
		void badDurationsAreRefused(String text) {
			assertThatExceptionOfType(LockConfigurationException.class)
				.isThrownBy(() -> texts(false).duration(text, "The lock", "maxWait"))
				.withMessage("The lock has '%s' as its maxWait, which is not a duration.", text)
				.satisfies((ex) -> assertThat(ex.action()).contains("10s"));
		}

		@Test
		void unknownPlaceholderInADurationIsNamed() {
			assertThatExceptionOfType(LockConfigurationException.class)
				.isThrownBy(() -> texts(false).duration("${missing}", "The lock", "minHold"))
				.withMessage("The lock has '${missing}' as its minHold, with a property that is not set.");
		}

		private AnnotationValues texts(boolean configurer) {
			try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
				context.getEnvironment()
					.getPropertySources()
					.addFirst(new MapPropertySource("test",
							Map.of("zone", "eu", "key", "zone", "template", "t-#{#id}", "wait", "3s")));
				if (configurer) {
					context.registerBean(PropertySourcesPlaceholderConfigurer.class);
				}
				context.refresh();
				return new AnnotationValues(context.getBeanFactory());
			}
		}

	}

	record Order(String customer, List<String> items) {

		public String fail() {
			throw new IllegalStateException("no such user");
		}

	}

	static class Numbers {

		public String next() {
			return "next";
		}

	}

	static class Service {

		public String getTenant() {
			return "blue";
		}

		void pay(Long id, Order order) {
		}

		void any(Object value) {
		}

		void several(String... items) {
		}

	}

}
