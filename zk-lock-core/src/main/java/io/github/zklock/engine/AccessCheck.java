package io.github.zklock.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

import io.github.zklock.engine.ReturnCode.Meaning;
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

	private final boolean open;

	private final boolean createRoot;

	// May wait
	private final Executor background;

	// Of the root and what is directly below it
	private final Set<String> seen = ConcurrentHashMap.newKeySet();

	// Those that were told of, so that it is done once
	private final Set<String> warnedOf = ConcurrentHashMap.newKeySet();

	private final Set<String> namedOthersOf = ConcurrentHashMap.newKeySet();

	AccessCheck(NodePaths paths, boolean open, boolean createRoot, Executor background) {
		String root = paths.root();
		this.root = root;
		this.kinds = NodePaths.KINDS.stream().map((kind) -> (root.equals("/") ? "" : root) + "/" + kind).toList();
		this.open = open;
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
				if (!access.strangers().isEmpty()) {
					logger.warn("{}", open(parent, access));
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
			if (!access.strangers().isEmpty() && this.warnedOf.add(path)) {
				logger.warn("{}", open(path, access));
			}
			nameOthers(path, access);
			if (first && path.equals(this.root) && access.isEmpty()) {
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
				String strangers = access.strangers();
				if (!strangers.isEmpty() && this.warnedOf.add(above)) {
					logger.warn(
							"Node '{}' is above '{}' (option 'root', property 'zk.lock.root'), which is empty, and {} there:"
									+ " strangers could put a root of their own into its place. See docs/security.md",
							above, this.root, strangers);
				}
			}, () -> {
			});
		}
	}

	private static String open(String path, NodeAccess access) {
		return """
				Node '%s' is open although 'acl' (property 'zk.lock.acl') is not: %s. Strangers can take locks from \
				their holders, or block them. Correct the access control list of the node, as docs/security.md says, \
				or choose another root ('root', 'zk.lock.root')""".formatted(path, access.strangers());
	}

	private static String unreadable(String path) {
		return "ZooKeeper does not let this application read the access control list of '%s'".formatted(path);
	}

	/**
	 * Tell who else may touch a node.
	 */
	private void nameOthers(String path, NodeAccess access) {
		if (access.hasOthers() && this.namedOthersOf.add(path)) {
			this.background.execute(() -> {
				String others = access.describeOthers();
				if (!others.isEmpty()) {
					logger.info("Node '{}' is also for others than this application ('acl', 'authInfo';"
							+ " properties 'zk.lock.acl', 'zk.lock.auth'): {}", path, others);
				}
			});
		}
	}

	/**
	 * Ask for the access control list of a node. Nobody is told if the node does not
	 * exist, or if the session ends.
	 */
	private static void look(Session session, String path, Consumer<NodeAccess> found, Runnable refused) {
		// What is only looked at must not cost the session
		session.retries().readUntilAnswered(() -> true, Operation.access(path), (response) -> EventLoop.attempt(() -> {
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

	private @Nullable String problem(String path, Response<NodeAccess> response) {
		if (response.is(Meaning.OK)) {
			NodeAccess access = response.result();
			return access.strangers().isEmpty() ? null : open(path, access);
		}
		if (response.is(Meaning.NO_NODE)) {
			return (path.equals(this.root) && !this.createRoot)
					? "No lock is available: " + ParentNodes.missingRoot(this.root) : null;
		}
		return unreadable(path) + ": " + response.toException(path).getMessage();
	}

	private static Response<NodeAccess> ask(SessionKeeper keeper, Session session, String path)
			throws InterruptedException {
		CompletableFuture<Response<NodeAccess>> answer = new CompletableFuture<>();
		session.retries().readUntilAnswered(() -> !answer.isDone(), Operation.access(path), answer::complete);
		try {
			return Futures.get(keeper.loop().platform(), answer, keeper.connectTimeout().toNanos());
		}
		catch (ExecutionException | TimeoutException ex) {
			throw new IllegalStateException(
					"%s has not answered within %d ms".formatted(keeper.place(), keeper.connectTimeout().toMillis()),
					ex);
		}
		finally {
			answer.cancel(false);
		}
	}

}
