package io.github.zklock.zookeeper;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooDefs.Perms;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;

/**
 * Compares access control lists of nodes with the one that was asked for. Only the rights
 * to create, to delete and to change the list count: with them locks can be taken away or
 * blocked.
 *
 * @param wanted who was meant to do what
 */
record AccessRules(List<ACL> wanted) {

	private static final int HARMFUL = Perms.CREATE | Perms.DELETE | Perms.ADMIN;

	private static final String DIGEST = "digest";

	// What a server shows instead of a digest to those who may not change the list
	private static final String HIDDEN = ":x";

	/**
	 * Return whether everybody is meant to do anything, so that nobody is a stranger.
	 */
	boolean isOpen() {
		return (allowed(Ids.ANYONE_ID_UNSAFE) & HARMFUL) == HARMFUL;
	}

	/**
	 * Return whether everybody is meant to do something by which locks can be taken away
	 * or blocked.
	 */
	boolean isHarmful() {
		return (allowed(Ids.ANYONE_ID_UNSAFE) & HARMFUL) != 0;
	}

	private int allowed(Id id) {
		return this.wanted.stream()
			.filter((entry) -> entry.getId().equals(id) || entry.getId().equals(Ids.ANYONE_ID_UNSAFE))
			.mapToInt(ACL::getPerms)
			.reduce(0, (some, other) -> some | other);
	}

	private boolean isTooMuch(ACL entry) {
		return (entry.getPerms() & HARMFUL & ~allowed(entry.getId())) != 0;
	}

	/**
	 * Return the entries that let in whoever comes, with no credentials, although nobody
	 * asked for it.
	 */
	List<ACL> strangers(List<ACL> found) {
		return found.stream().filter((entry) -> isForAnybody(entry) && isTooMuch(entry)).toList();
	}

	/**
	 * Return the entries for somebody whom nobody asked for by name. It may be this
	 * process itself.
	 */
	List<ACL> notNamed(List<ACL> found) {
		return found.stream().filter((entry) -> !isForAnybody(entry) && isTooMuch(entry)).toList();
	}

	private static boolean isForAnybody(ACL entry) {
		String scheme = entry.getId().getScheme();
		return scheme.equals("world") || scheme.equals("ip");
	}

	/**
	 * Return whether digests are missing in a list, so that nobody could use a copy.
	 */
	static boolean hidesDigests(List<ACL> found) {
		return found.stream()
			.map(ACL::getId)
			.anyMatch((id) -> id.getScheme().equals(DIGEST) && id.getId().endsWith(HIDDEN));
	}

	/**
	 * Return the name of a user as a server tells it to the user.
	 */
	static String user(Id id) {
		int colon = id.getId().indexOf(':');
		return (id.getScheme().equals(DIGEST) && colon >= 0) ? id.getId().substring(0, colon) : id.getId();
	}

	/**
	 * Describe entries, without their digests.
	 */
	static String describe(List<ACL> entries) {
		Set<String> texts = entries.stream()
			.map((entry) -> "%s:%s may %s".formatted(entry.getId().getScheme(), user(entry.getId()),
					harm(entry.getPerms())))
			.collect(Collectors.toCollection(LinkedHashSet::new));
		return String.join(", ", texts);
	}

	private static String harm(int permissions) {
		StringBuilder text = new StringBuilder();
		append(text, permissions, Perms.CREATE, "create");
		append(text, permissions, Perms.DELETE, "delete");
		append(text, permissions, Perms.ADMIN, "change the list");
		return text.toString();
	}

	private static void append(StringBuilder text, int permissions, int permission, String name) {
		if ((permissions & permission) != 0) {
			text.append(text.isEmpty() ? "" : ", ").append(name);
		}
	}

}
