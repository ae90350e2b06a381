package io.github.zklock.sample.cluster;

import java.sql.SQLException;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.core.NestedExceptionUtils;
import org.springframework.dao.DataAccessException;

/**
 * What an instance writes into the store when it ends. H2 closes the file as soon as the
 * JVM of the instance that has opened it ends, at the same time as the application is
 * closed, and cannot be told to wait while others share the file. What cannot be written
 * then, the others find out by themselves.
 */
final class LastWords {

	/**
	 * H2's "database called at shutdown".
	 */
	private static final int CLOSED_WITH_THE_JVM = 90121;

	private static final Logger logger = LoggerFactory.getLogger(LastWords.class);

	private LastWords() {
	}

	/**
	 * Write something, unless the store was closed because this JVM ends.
	 * @param what for the log
	 * @param writing writes it
	 */
	static void write(String what, Runnable writing) {
		try {
			writing.run();
		}
		catch (DataAccessException ex) {
			if (!isClosedWithTheJvm(ex)) {
				throw ex;
			}
			logger.info("The store has been closed with this JVM, so this is not in it: {}", what);
		}
	}

	private static boolean isClosedWithTheJvm(DataAccessException failure) {
		return NestedExceptionUtils.getMostSpecificCause(failure) instanceof SQLException cause
				&& cause.getErrorCode() == CLOSED_WITH_THE_JVM;
	}

}
