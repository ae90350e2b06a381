package io.github.zklock.sample.cluster;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;

/**
 * Reads points in time, in the one way that all databases know.
 */
public final class Times {

	private Times() {
	}

	public static Instant read(ResultSet row, String column) throws SQLException {
		return row.getObject(column, OffsetDateTime.class).toInstant();
	}

}
