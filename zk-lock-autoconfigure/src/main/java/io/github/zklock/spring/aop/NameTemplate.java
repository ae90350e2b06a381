package io.github.zklock.spring.aop;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.github.zklock.spring.LockConfigurationException;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.context.expression.MethodBasedEvaluationContext;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.core.convert.TypeDescriptor;
import org.springframework.expression.Expression;
import org.springframework.expression.ParseException;
import org.springframework.expression.TypeConverter;
import org.springframework.expression.common.CompositeStringExpression;
import org.springframework.expression.common.LiteralExpression;
import org.springframework.expression.common.TemplateParserContext;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.FunctionReference;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.util.ObjectUtils;
import org.springframework.util.ReflectionUtils;

/**
 * The name of a lock with expressions in it. Parsed and checked once, evaluated for each
 * call. No part of a name may vanish: it would become a name that calls share which have
 * nothing to do with each other.
 */
final class NameTemplate {

	private static final SpelExpressionParser parser = new SpelExpressionParser();

	private static final ParameterNameDiscoverer parameterNames = new DefaultParameterNameDiscoverer();

	private static final TypeDescriptor STRING = TypeDescriptor.valueOf(String.class);

	private static final Pattern VARIABLE = Pattern.compile("#(\\w+)", Pattern.UNICODE_CHARACTER_CLASS);

	private static final Set<String> ROOT_PROPERTIES = Set.of("method", "target", "args");

	private static final Pattern POSITION = Pattern.compile("[pa](\\d{1,3})");

	private final String text;

	private final Method method;

	private final List<Expression> parts;

	private final BeanFactory beanFactory;

	/**
	 * Parse a template.
	 * @param text the template, without placeholders
	 * @param method the method that runs
	 */
	NameTemplate(String text, Method method, BeanFactory beanFactory) {
		this.text = text;
		this.method = method;
		this.beanFactory = beanFactory;
		this.parts = parse();
		check();
	}

	private List<Expression> parse() {
		if (this.text.isBlank()) {
			throw error("has an empty name", "Give it a name, for example @DistributedLock(\"invoice-#{#id}\").", null);
		}
		try {
			Expression expression = parser.parseExpression(this.text, new TemplateParserContext());
			return (expression instanceof CompositeStringExpression composite) ? List.of(composite.getExpressions())
					: List.of(expression);
		}
		catch (ParseException | IllegalStateException ex) {
			throw error("has the name '%s', which cannot be parsed: %s".formatted(this.text, ex.getMessage()),
					"Correct the expression in #{...}.", ex);
		}
	}

	private void check() {
		@Nullable String @Nullable [] names = parameterNames.getParameterNames(this.method);
		for (Expression part : this.parts) {
			if (part instanceof LiteralExpression literal) {
				checkLiteral(literal.getExpressionString(), names);
			}
			else if (part instanceof SpelExpression expression) {
				checkVariables(expression.getAST(), names);
				checkProperty(expression.getAST());
			}
		}
	}

	private void checkLiteral(String literal, @Nullable String @Nullable [] names) {
		Matcher matcher = VARIABLE.matcher(literal);
		while (matcher.find()) {
			String word = matcher.group(1);
			if (isParameter(word, names)) {
				throw error("has the name '%s', in which '#%s' is plain text: every call would take the same lock"
					.formatted(this.text, word), "Did you mean '#{#%s}'?".formatted(word), null);
			}
		}
	}

	private void checkVariables(SpelNode node, @Nullable String @Nullable [] names) {
		if (node instanceof VariableReference || node instanceof FunctionReference) {
			checkVariable(node.toStringAST().substring(1).replaceFirst("\\(.*$", ""), names);
		}
		for (int index = 0; index < node.getChildCount(); index++) {
			checkVariables(node.getChild(index), names);
		}
	}

	/**
	 * What is neither a variable nor anything else is a property of the root.
	 */
	private void checkProperty(SpelNode node) {
		SpelNode first = (node instanceof CompoundExpression) ? node.getChild(0) : node;
		if (first instanceof PropertyOrFieldReference property && !ROOT_PROPERTIES.contains(property.getName())) {
			throw error(
					"has the name '%s', but '%s' is not a property of '#root'".formatted(this.text, property.getName()),
					"Did you mean '#%s'?".formatted(property.getName()), null);
		}
	}

	private void checkVariable(String variable, @Nullable String @Nullable [] names) {
		if (variable.equals("root") || variable.equals("this") || isParameter(variable, names)) {
			return;
		}
		if (names == null && this.method.getParameterCount() > 0) {
			throw error(
					"has the name '%s', but the names of the method's parameters are not known".formatted(this.text),
					"Compile with the option '-parameters', or use the position: '#p0' is the first parameter.", null);
		}
		throw error("has the name '%s', but '#%s' is not a parameter of the method".formatted(this.text, variable),
				"Use one of %s, by position '#p0', '#p1', ..., or '#root'.".formatted(Arrays.toString(names)), null);
	}

	private boolean isParameter(String word, @Nullable String @Nullable [] names) {
		Matcher position = POSITION.matcher(word);
		return (position.matches() && Integer.parseInt(position.group(1)) < this.method.getParameterCount())
				|| (names != null && Arrays.asList(names).contains(word));
	}

	private LockConfigurationException error(String problem, String action, @Nullable Throwable cause) {
		return new LockConfigurationException("The @DistributedLock of %s %s.".formatted(describe(), problem), action,
				cause);
	}

	private String describe() {
		return MethodNames.of(this.method);
	}

	/**
	 * Return the name for a call.
	 * @throws IllegalArgumentException if a part is null, empty, or fails
	 */
	@SuppressWarnings("NullAway") // arguments may be null
	String evaluate(@Nullable Object target, @Nullable Object[] arguments) {
		if (this.parts.size() == 1 && this.parts.get(0) instanceof LiteralExpression) {
			return this.text;
		}
		MethodBasedEvaluationContext context = new MethodBasedEvaluationContext(
				new NameRoot(this.method, target, arguments), this.method, arguments, parameterNames);
		context.setBeanResolver(new BeanFactoryResolver(this.beanFactory));
		StringBuilder name = new StringBuilder();
		for (Expression part : this.parts) {
			name.append(evaluate(part, context));
		}
		return name.toString();
	}

	private String evaluate(Expression part, MethodBasedEvaluationContext context) {
		String value;
		try {
			Object object = ObjectUtils.unwrapOptional(part.getValue(context));
			value = (object != null) ? text(object, context.getTypeConverter()) : null;
		}
		catch (RuntimeException ex) {
			throw new IllegalArgumentException(
					"The name '%s' of the lock on %s cannot be evaluated because '#{%s}' fails: %s".formatted(this.text,
							describe(), part.getExpressionString(), ex.getMessage()),
					ex);
		}
		if (value == null || value.isEmpty()) {
			throw new IllegalArgumentException("The name '%s' of the lock on %s is incomplete because '#{%s}' is %s"
				.formatted(this.text, describe(), part.getExpressionString(), (value != null) ? "empty" : "null"));
		}
		return value;
	}

	/**
	 * Reject objects without a toString() of their own: that of Object has the identity
	 * hash, so equal objects would give different names in different processes.
	 */
	private static @Nullable String text(Object object, TypeConverter converter) {
		TypeDescriptor type = TypeDescriptor.forObject(object);
		if (converter.canConvert(type, STRING)) {
			return (String) converter.convertValue(object, type, STRING);
		}
		Method toString = ReflectionUtils.findMethod(object.getClass(), "toString");
		if (toString == null || toString.getDeclaringClass() == Object.class) {
			throw new IllegalStateException("%s has no toString()".formatted(object.getClass().getName()));
		}
		return object.toString();
	}

	@Override
	public String toString() {
		return this.text;
	}

}
