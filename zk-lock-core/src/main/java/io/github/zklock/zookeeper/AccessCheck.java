package io.github.zklock.zookeeper;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

import io.github.zklock.zookeeper.Operation.Access;
import io.github.zklock.zookeeper.ReturnCode.Meaning;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.ClientInfo;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks at who may touch the nodes above those of the locks, and warns of strangers: a
 * node is deleted by whoever has that right on its parent, whatever its own access
 * control list says. Nothing waits for it, nothing is changed by it, and nothing is sent
 * if the nodes are meant to be open to everybody.
 *
 * <p>
 * The root and what is directly below it are looked at with the first connection, and as
 * soon as they exist if they did not; the parent of one name once, after the first node
 * below it was created.
 */
final class AccessCheck {

	private static final Logger logger = LoggerFactory.getLogger(AccessCheck.class);

	private final String root;

	private final List<String> kinds;

	private final AccessRules rules;

	private final boolean open;

	private final boolean createRoot;

	// May wait
	private final Executor background;

	// Of the root and what is directly below it
	private final Set<String> seen = ConcurrentHashMap.newKeySet();

	// Those that were told of, so that it is done once
	private final Set<String> warnedOf = ConcurrentHashMap.newKeySet();

	private final Set<String> namedOthersOf = ConcurrentHashMap.newKeySet();

	AccessCheck(String root, List<String> kinds, List<ACL> acl, boolean createRoot, Executor background) {
		this.root = root;
		this.kinds = kinds.stream().map((kind) -> (root.equals("/") ? "" : root) + "/" + kind).toList();
		this.rules = new AccessRules(acl);
		this.open = this.rules.isOpen();
		this.createRoot = createRoot;
		this.background = background;
	}

	// While locks are in use

	/**
	 * A session has got its first connection.
	 */
	void connected(Session session) {
		if (!this.open) {
			lookAtShared(session, this.root);
			this.kinds.forEach((kind) -> lookAtShared(session, kind));
		}
	}

	/**
	 * A node was created.
	 * @param rootWasMissing whether the levels above it may be others than before
	 * @param firstOfName whether it was the first one of its name
	 */
	void created(Session session, LockPath path, boolean rootWasMissing, boolean firstOfName) {
		if (this.open) {
			return;
		}
		if (rootWasMissing) {
			this.seen.clear();
		}
		String parent = path.parent();
		lookAtShared(session, this.root);
		lookAtShared(session, parent.substring(0, parent.lastIndexOf('/')));
		if (firstOfName) {
			look(session, parent, (access) -> {
				List<ACL> strangers = this.rules.strangers(access.acl());
				if (!strangers.isEmpty()) {
					logger.warn("{}", open(parent, strangers));
				}
			}, () -> {
			});
		}
	}

	private void lookAtShared(Session session, String path) {
		if (this.seen.contains(path)) {
			return;
		}
		look(session, path, (access) -> {
			boolean first = this.seen.add(path);
			List<ACL> strangers = this.rules.strangers(access.acl());
			if (!strangers.isEmpty() && this.warnedOf.add(path)) {
				logger.warn("{}", open(path, strangers));
			}
			nameOthers(session, path, access.acl());
			if (first && path.equals(this.root) && access.stat().getNumChildren() == 0) {
				lookAbove(session);
			}
		}, () -> {
			this.seen.add(path);
			if (this.warnedOf.add(path)) {
				logger.warn("{}: {}", unreadable(path), Refusal.RECIPE);
			}
		});
	}

	/**
	 * Look at the levels above the root, if there is nothing below it: only then could
	 * whoever may delete there put another root into its place.
	 */
	private void lookAbove(Session session) {
		for (int end = this.root.lastIndexOf('/'); end >= 0
				&& this.root.length() > 1; end = this.root.lastIndexOf('/', end - 1)) {
			String above = (end == 0) ? "/" : this.root.substring(0, end);
			look(session, above, (access) -> {
				List<ACL> strangers = this.rules.strangers(access.acl());
				if (!strangers.isEmpty() && this.warnedOf.add(above)) {
					logger.warn(
							"Node '{}' is above '{}' (option 'root', property 'zk.lock.root'), which is empty, and {} there:"
									+ " strangers could put a root of their own into its place. See docs/security.md",
							above, this.root, AccessRules.describe(strangers));
				}
			}, () -> {
			});
		}
	}

	private static String open(String path, List<ACL> strangers) {
		return """
				Node '%s' is open although 'acl' (property 'zk.lock.acl') is not: %s. Strangers can take locks from \
				their holders, or block them. Correct the access control list of the node, as docs/security.md says, \
				or choose another root ('root', 'zk.lock.root')""".formatted(path, AccessRules.describe(strangers));
	}

	private static String unreadable(String path) {
		return "ZooKeeper does not let this application read the access control list of '%s'".formatted(path);
	}

	/**
	 * Tell who else may touch a node. The client can ask who we are only by waiting for
	 * the answer.
	 */
	private void nameOthers(Session session, String path, List<ACL> acl) {
		List<ACL> notNamed = this.rules.notNamed(acl);
		if (!notNamed.isEmpty() && this.namedOthersOf.add(path)) {
			this.background.execute(() -> {
				List<ACL> others = without(whoAmI(session), notNamed);
				if (!others.isEmpty()) {
					logger.info(
							"Node '{}' is also for others than this application ('acl', 'authInfo';"
									+ " properties 'zk.lock.acl', 'zk.lock.auth'): {}",
							path, AccessRules.describe(others));
				}
			});
		}
	}

	private static @Nullable List<ClientInfo> whoAmI(Session session) {
		try {
			return session.zooKeeper().whoAmI();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return null;
		}
	}

	/**
	 * Return the entries that are not for us. If the server has not told who we are, none
	 * is.
	 */
	private static List<ACL> without(@Nullable List<ClientInfo> own, List<ACL> entries) {
		if (own == null) {
			return List.of();
		}
		return entries.stream()
			.filter((entry) -> own.stream()
				.noneMatch((info) -> entry.getId().getScheme().equals(info.getAuthScheme())
						&& AccessRules.user(entry.getId()).equals(info.getUser())))
			.toList();
	}

	/**
	 * Ask for the access control list of a node. Nobody is told if the node does not
	 * exist, or if the session ends.
	 */
	private static void look(Session session, String path, Consumer<Access> found, Runnable refused) {
		// What is only looked at must not cost the session
		session.insistOnRead(() -> true, Operation.getAcl(path), (response) -> EventLoop.attempt(() -> {
			if (response.is(Meaning.OK)) {
				found.accept(response.result());
			}
			else if (response.is(Meaning.REFUSED)) {
				refused.run();
			}
		}));
	}

	// Before locks are in use

	/**
	 * Return what is wrong with the root and what is directly below it. Blocks.
	 * @throws IllegalStateException if ZooKeeper cannot be asked
	 */
	List<String> problems(SessionKeeper keeper) throws InterruptedException {
		if (this.open && this.createRoot) {
			return List.of();
		}
		List<String> problems = new ArrayList<>();
		List<String> paths = new ArrayList<>(List.of(this.root));
		if (!this.open) {
			paths.addAll(this.kinds);
		}
		Session session = keeper.awaitSession();
		for (String path : paths) {
			String problem = problem(path, ask(keeper, session, path));
			if (problem != null) {
				problems.add(problem);
			}
		}
		return problems;
	}

	private @Nullable String problem(String path, Response<Access> response) {
		if (response.is(Meaning.OK)) {
			List<ACL> strangers = this.rules.strangers(response.result().acl());
			return strangers.isEmpty() ? null : open(path, strangers);
		}
		if (response.is(Meaning.NO_NODE)) {
			return (path.equals(this.root) && !this.createRoot)
					? "No lock can be had because " + ParentNodes.missingRoot(this.root) : null;
		}
		KeeperException cause = response.toException(path);
		return unreadable(path) + ": " + cause.getMessage();
	}

	private static Response<Access> ask(SessionKeeper keeper, Session session, String path)
			throws InterruptedException {
		CompletableFuture<Response<Access>> answer = new CompletableFuture<>();
		session.insistOnRead(() -> !answer.isDone(), Operation.getAcl(path), answer::complete);
		try {
			return Durations.get(answer, keeper.connectTimeout().toNanos());
		}
		catch (ExecutionException | TimeoutException ex) {
			throw new IllegalStateException("ZooKeeper (%s) has not answered within %d ms".formatted(keeper.address(),
					keeper.connectTimeout().toMillis()), ex);
		}
		finally {
			answer.cancel(false);
		}
	}

}
