package io.github.zklock.autoconfigure;

import java.util.ArrayList;
import java.util.List;

import io.github.zklock.spring.LockConfigurationException;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooDefs.Perms;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;

/**
 * Reads {@code zk.lock.acl}.
 */
final class AccessControl {

	static final String OPEN = "open";

	static final String CREATOR = "creator";

	private static final String PERMISSIONS = "cdrwa";

	private static final int[] BITS = { Perms.CREATE, Perms.DELETE, Perms.READ, Perms.WRITE, Perms.ADMIN };

	private AccessControl() {
	}

	/**
	 * Read a list of entries. Messages do not show them: they may hold a secret by
	 * mistake.
	 */
	static List<ACL> parse(List<String> entries) {
		if (entries.isEmpty()) {
			throw invalid("'zk.lock.acl' is empty: nobody could do anything.");
		}
		if (entries.size() > 1 && entries.contains(OPEN)) {
			throw invalid("'zk.lock.acl' contains 'open' and other entries, which have no effect then.");
		}
		List<ACL> acl = new ArrayList<>();
		for (int index = 0; index < entries.size(); index++) {
			acl.addAll(parse(index, entries.get(index).trim()));
		}
		return List.copyOf(acl);
	}

	private static List<ACL> parse(int index, String entry) {
		return switch (entry) {
			case OPEN -> Ids.OPEN_ACL_UNSAFE;
			case CREATOR -> Ids.CREATOR_ALL_ACL;
			default -> List.of(parseEntry(index, entry));
		};
	}

	private static ACL parseEntry(int index, String entry) {
		int first = entry.indexOf(':');
		int last = entry.lastIndexOf(':');
		if (first < 1 || first == last) {
			throw invalid("'zk.lock.acl[%d]' does not have the form scheme:id:permissions.".formatted(index));
		}
		return new ACL(permissions(index, entry.substring(last + 1)),
				new Id(entry.substring(0, first), entry.substring(first + 1, last)));
	}

	private static int permissions(int index, String letters) {
		if (letters.isEmpty()) {
			throw invalid("'zk.lock.acl[%d]' ends without any permissions.".formatted(index));
		}
		return letters.chars().map((letter) -> permission(index, letter)).reduce(0, (some, other) -> some | other);
	}

	private static int permission(int index, int letter) {
		int position = PERMISSIONS.indexOf(letter);
		if (position < 0) {
			throw invalid("The permissions at the end of 'zk.lock.acl[%d]' are not letters of '%s'.".formatted(index,
					PERMISSIONS));
		}
		return BITS[position];
	}

	private static LockConfigurationException invalid(String description) {
		return new LockConfigurationException(description,
				"Set 'zk.lock.acl' to 'open', 'creator' or a list of scheme:id:permissions, for example 'digest:user:hash:cdrwa' or 'world:anyone:r'.");
	}

}
