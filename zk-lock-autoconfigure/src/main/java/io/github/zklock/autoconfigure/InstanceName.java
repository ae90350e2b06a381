package io.github.zklock.autoconfigure;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.UUID;

import io.github.zklock.LockNames;
import org.jspecify.annotations.Nullable;

import org.springframework.util.StringUtils;

/**
 * The name of an instance whose user has given it none: people recognise the application
 * and the host, and something random tells two of them apart.
 */
final class InstanceName {

	private static final int LONGEST = 100;

	private InstanceName() {
	}

	/**
	 * Return a new name.
	 * @param application the name of the application, if it has one
	 */
	static String next(@Nullable String application) {
		return next(application, host());
	}

	static String next(@Nullable String application, String host) {
		String random = "-" + UUID.randomUUID().toString().substring(0, 8);
		String suffix = cut(host, LONGEST / 2) + random;
		if (!StringUtils.hasText(application)) {
			return suffix;
		}
		return cut(application, LONGEST - 1 - LockNames.segment(suffix).length()) + "-" + suffix;
	}

	/**
	 * Return the beginning of a text, with at most so many bytes when it is
	 * percent-encoded.
	 */
	private static String cut(String text, int bytes) {
		String start = text.substring(0,
				text.offsetByCodePoints(0, Math.min(text.codePointCount(0, text.length()), bytes)));
		while (!start.isEmpty() && LockNames.segment(start).length() > bytes) {
			start = start.substring(0, start.offsetByCodePoints(start.length(), -1));
		}
		return start;
	}

	private static String host() {
		try {
			return InetAddress.getLocalHost().getHostName();
		}
		catch (UnknownHostException ex) {
			return "unknown";
		}
	}

}
