package io.github.zklock.autoconfigure;

import io.github.zklock.spring.LockConfigurationException;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * Shows a {@link LockConfigurationException} as what is wrong and what to do about it.
 */
final class LockConfigurationFailureAnalyzer extends AbstractFailureAnalyzer<LockConfigurationException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, LockConfigurationException cause) {
		return new FailureAnalysis(cause.getMessage(), cause.action(), cause);
	}

}
