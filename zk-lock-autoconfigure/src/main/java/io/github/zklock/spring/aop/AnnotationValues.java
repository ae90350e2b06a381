package io.github.zklock.spring.aop;

import java.time.Duration;
import java.time.temporal.ChronoUnit;

import io.github.zklock.spring.LockConfigurationException;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.boot.convert.DurationStyle;

/**
 * Reads the texts of annotations: properties in <code>${...}</code>, and durations.
 */
final class AnnotationValues {

	private final ConfigurableBeanFactory beanFactory;

	AnnotationValues(ConfigurableBeanFactory beanFactory) {
		this.beanFactory = beanFactory;
	}

	/**
	 * Put the values of properties into a text, and leave expressions as they are.
	 * @param where where the text was found, for messages
	 */
	String resolve(String text, String where, String attribute) {
		if (!text.contains("${")) {
			return text;
		}
		String resolved;
		try {
			resolved = this.beanFactory.resolveEmbeddedValue(text);
		}
		catch (IllegalArgumentException ex) {
			throw unknown(text, where, attribute, ex);
		}
		if (resolved == null || resolved.contains("${")) {
			throw unknown(text, where, attribute, null);
		}
		return resolved;
	}

	private static LockConfigurationException unknown(String text, String where, String attribute,
			@Nullable Throwable cause) {
		return new LockConfigurationException(
				"%s has '%s' as its %s, with a property that is not set.".formatted(where, text, attribute),
				"Set the property, or give a default: ${property:default}.", cause);
	}

	/**
	 * Read a duration.
	 * @return the duration, null if the text is empty
	 */
	@Nullable Duration duration(String text, String where, String attribute) {
		String value = resolve(text, where, attribute).trim();
		if (value.isEmpty()) {
			return null;
		}
		try {
			Duration duration = DurationStyle.detectAndParse(value, ChronoUnit.MILLIS);
			if (!duration.isNegative()) {
				return duration;
			}
			throw badDuration(value, where, attribute, null);
		}
		catch (IllegalArgumentException ex) {
			throw badDuration(value, where, attribute, ex);
		}
	}

	private static LockConfigurationException badDuration(String value, String where, String attribute,
			@Nullable Throwable cause) {
		return new LockConfigurationException(
				"%s has '%s' as its %s, which is not a duration.".formatted(where, value, attribute),
				"Write it as '500ms', '10s', '5m' or 'PT10S'; a bare number is milliseconds.", cause);
	}

}
