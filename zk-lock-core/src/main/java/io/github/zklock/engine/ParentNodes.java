package io.github.zklock.engine;

import java.util.List;

import io.github.zklock.UnavailableReason;
import io.github.zklock.engine.Contender.Phase;
import io.github.zklock.engine.ReturnCode.Meaning;
import org.jspecify.annotations.Nullable;

/**
 * Makes the nodes above that of an attempt. The parent, which belongs to one name, is a
 * container: the server removes it when it is empty. The root and what is directly below
 * it stay: a stranger could put nodes of its own into their place. What is missing above
 * the root is not ours, and gets the access control list of the node above it.
 *
 * <p>
 * Everything happens under the monitor of the attempt's owner.
 */
final class ParentNodes {

	private static final int LEVELS_BELOW_ROOT = 2;

	private static final String TOP = "/";

	private final ContenderSettings settings;

	private final Session session;

	private final Contender contender;

	private final LockPath path;

	private List<String> levels = List.of();

	// -1 if the root is the top
	private int rootIndex;

	private boolean aboveRootMissing;

	private @Nullable Failure failure;

	ParentNodes(ContenderSettings settings, Session session, Contender contender, LockPath path) {
		this.settings = settings;
		this.session = session;
		this.contender = contender;
		this.path = path;
	}

	/**
	 * Return why the nodes could not be made, if that is known.
	 */
	@Nullable Failure failure() {
		return this.failure;
	}

	/**
	 * Create the parent, or all levels.
	 * @param parentOnly whether to create the parent only
	 * @param next what to do then, in the same flight
	 */
	void create(boolean parentOnly, Runnable next) {
		this.levels = this.path.levels();
		this.rootIndex = this.levels.size() - 1 - LEVELS_BELOW_ROOT;
		if (this.aboveRootMissing) {
			this.aboveRootMissing = false;
			findAncestor(this.rootIndex - 1, next);
			return;
		}
		if (!parentOnly) {
			createUpperLevels();
		}
		send(Operation.createContainer(this.path.parent()), this.path.parent(), () -> {
		});
		next.run();
	}

	private void createUpperLevels() {
		String kind = this.levels.get(this.rootIndex + 1);
		if (this.rootIndex >= 0 && this.settings.createRoot()) {
			String root = this.levels.get(this.rootIndex);
			send(Operation.createPersistent(root, null), root, () -> this.aboveRootMissing = true);
			send(Operation.createPersistent(kind, null), kind, () -> {
			});
		}
		else {
			send(Operation.createPersistent(kind, null), kind, this::rootMissing);
		}
	}

	private void rootMissing() {
		failed(refused((this.rootIndex >= 0) ? missingRoot(this.levels.get(this.rootIndex)) : missingTop()));
	}

	/**
	 * Return the reason for which nothing can be done without a root.
	 */
	static String missingRoot(String root) {
		return """
				its root '%s' does not exist and is not to be created ('createRoot', property 'zk.lock.create-root'): \
				make it by hand as docs/security.md says, or correct 'root' ('zk.lock.root')""".formatted(root);
	}

	private static String missingTop() {
		return "the path at the end of the connect string (property 'zk.lock.connect-string') does not exist:"
				+ " make that node by hand";
	}

	private static Failure refused(String text) {
		return new Failure(UnavailableReason.REFUSED, text);
	}

	/**
	 * Create a node, and remember if that is refused. The node may exist all the same: a
	 * server looks at the rights first. Then a level below it can be made, or is there.
	 */
	private void send(Operation<String> create, String path, Runnable ifParentMissing) {
		this.session.write(create, (response) -> this.contender.locked(() -> {
			if (response.is(Meaning.REFUSED)) {
				failed(refused(path, response));
			}
			else if (response.is(Meaning.NO_NODE)) {
				ifParentMissing.run();
			}
			else if (response.is(Meaning.OK) || response.is(Meaning.NODE_EXISTS)) {
				this.failure = null;
			}
			if (response.is(Meaning.OK) && path.equals(this.path.parent())) {
				this.contender.parentMade();
			}
		}));
	}

	private static Failure refused(String path, Response<?> response) {
		Failure failure = Refusal.of(response, path);
		return new Failure(failure.reason(), "its parent node cannot be created: " + failure.text(), failure.cause());
	}

	private void failed(Failure failed) {
		if (this.failure == null) {
			this.failure = failed;
		}
	}

	// Above the root

	/**
	 * Look for the nearest node above the root that exists, from the given level on, and
	 * create those between it and the root like it.
	 */
	private void findAncestor(int index, Runnable next) {
		String path = (index >= 0) ? this.levels.get(index) : TOP;
		this.session.retries()
			.readUntilAnswered(() -> this.contender.isIn(Phase.CREATING), Operation.access(path),
					(response) -> this.contender.locked(() -> {
						if (!this.contender.isIn(Phase.CREATING)) {
							return;
						}
						if (response.is(Meaning.NO_NODE) && index >= 0) {
							findAncestor(index - 1, next);
							return;
						}
						if (response.is(Meaning.OK)) {
							createBelow(path, index + 1, response.result());
						}
						else {
							failed(response.is(Meaning.NO_NODE) ? refused(missingTop()) : refused(path, response));
						}
						if (this.failure == null) {
							create(false, next);
						}
						else {
							next.run();
						}
					}));
	}

	private void createBelow(String ancestor, int from, NodeAccess access) {
		if (from < this.rootIndex && !access.isComplete()) {
			failed(refused(
					"""
							'%s', which is above its root (property 'zk.lock.root'), does not exist and ZooKeeper does not show \
							the whole access control list of '%s': make it by hand"""
						.formatted(this.levels.get(from), ancestor)));
			return;
		}
		for (String level : this.levels.subList(from, Math.max(from, this.rootIndex))) {
			send(Operation.createPersistent(level, access), level, () -> {
			});
		}
	}

}
