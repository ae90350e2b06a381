package io.github.zklock.engine;

import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;

import io.github.zklock.LockContender;
import io.github.zklock.LockContender.Origin;
import io.github.zklock.LockException;
import io.github.zklock.LockMode;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.UnavailableReason;
import io.github.zklock.engine.NodeSession.Content;
import io.github.zklock.engine.ReturnCode.Meaning;
import org.jspecify.annotations.Nullable;

/**
 * Reads from ZooKeeper who is in a queue, for people to look at. Blocks.
 */
final class QueueReader {

	private final SessionKeeper keeper;

	private final NodeData nodeData;

	QueueReader(SessionKeeper keeper, NodeData nodeData) {
		this.keeper = keeper;
		this.nodeData = nodeData;
	}

	/**
	 * Read a queue.
	 * @throws LockUnavailableException if ZooKeeper cannot be asked
	 */
	List<LockContender> read(LockPath path) {
		return ask(path, (session, answer) -> {
			session.write(Operation.sync(path.parent()), (response) -> {
			});
			session.retries()
				.listUntilAnswered(() -> !answer.isDone(), path.parent(),
						(response) -> listed(session, path, response, answer));
		});
	}

	private void listed(Session session, LockPath path, Response<Listing> response,
			CompletableFuture<List<LockContender>> answer) {
		try {
			if (response.is(Meaning.OK)) {
				readNodes(session, path, response.result(), answer);
			}
			else if (response.is(Meaning.NO_NODE)) {
				answer.complete(List.of());
			}
			else {
				answer.completeExceptionally(refused(path, response, path.parent()));
			}
		}
		catch (Throwable ex) {
			// What is only looked at must not cost the session
			answer.completeExceptionally(ex);
		}
	}

	private void readNodes(Session session, LockPath path, Listing listing,
			CompletableFuture<List<LockContender>> answer) {
		List<ContenderNode> nodes = listing.contenders()
			.stream()
			.sorted(Comparator.comparingLong(ContenderNode::sequence).thenComparing(ContenderNode::name))
			.toList();
		Map<ContenderNode, Content> contents = new ConcurrentHashMap<>();
		CompletableFuture<?>[] reads = nodes.stream()
			.map((node) -> readNode(session, path, node, contents, answer))
			.toArray(CompletableFuture[]::new);
		CompletableFuture.allOf(reads).thenRun(() -> {
			List<ContenderNode> present = nodes.stream().filter(contents::containsKey).toList();
			answer.complete(present.stream()
				.map((node) -> describe(node, Objects.requireNonNull(contents.get(node)), present))
				.toList());
		});
	}

	private CompletableFuture<Void> readNode(Session session, LockPath path, ContenderNode node,
			Map<ContenderNode, Content> contents, CompletableFuture<?> answer) {
		CompletableFuture<Void> done = new CompletableFuture<>();
		String child = path.child(node.name());
		session.retries().contentUntilAnswered(() -> !answer.isDone(), child, (response) -> {
			if (response.is(Meaning.OK)) {
				contents.put(node, response.result());
			}
			else if (!response.is(Meaning.NO_NODE)) {
				answer.completeExceptionally(refused(path, response, child));
			}
			done.complete(null);
		});
		return done;
	}

	/**
	 * Read who is in front, be it that nobody holds the lock by that node any more.
	 * @throws LockUnavailableException if ZooKeeper cannot be asked
	 */
	List<LockContender> readFront(LockPath path) {
		List<LockContender> queue = read(path);
		List<ContenderNode> all = ContenderNode.parseAll(queue.stream().map(LockContender::node).toList());
		Set<String> front = all.stream()
			.filter((node) -> isInFront(node, all))
			.map(ContenderNode::name)
			.collect(Collectors.toSet());
		return queue.stream().filter((contender) -> front.contains(contender.node())).toList();
	}

	private static boolean isInFront(ContenderNode node, List<ContenderNode> all) {
		return all.stream().noneMatch((other) -> other.blocks(node));
	}

	private LockContender describe(ContenderNode node, Content content, List<ContenderNode> all) {
		NodeData.Author author = NodeData.author(content.text());
		boolean holding = isInFront(node, all) && !this.keeper.hasGivenUp(content.owner());
		return new LockContender(node.name(), node.isShared() ? LockMode.READ : LockMode.WRITE, holding, origin(author),
				(author != null) ? author.instance() : null, (author != null) ? author.host() : null,
				(author != null) ? author.pid() : null, (author != null) ? author.thread() : null,
				Instant.ofEpochMilli(content.created()), content.owner(), content.mzxid(), content.text());
	}

	private Origin origin(NodeData.@Nullable Author author) {
		if (author == null) {
			return Origin.FOREIGN;
		}
		return this.nodeData.id().equals(author.id()) ? Origin.SELF : Origin.PEER;
	}

	/**
	 * Delete a node, whoever it belongs to.
	 * @throws LockUnavailableException if ZooKeeper cannot be asked, or refuses
	 */
	void delete(LockPath path, String node) {
		String child = path.child(node);
		ask(path, (session, answer) -> session.retries()
			.writeUntilAnswered(() -> !answer.isDone(), Operation.delete(child), (response) -> {
				if (response.is(Meaning.OK) || response.is(Meaning.NO_NODE)) {
					answer.complete(true);
				}
				else {
					answer.completeExceptionally(refused(path, response, child));
				}
			}));
	}

	private <T> T ask(LockPath path, Question<T> question) {
		CompletableFuture<T> answer = new CompletableFuture<>();
		long patience = this.keeper.connectTimeout().toNanos();
		try {
			question.ask(this.keeper.awaitSession(), answer);
			return Futures.get(this.keeper.loop().platform(), answer, patience);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw unavailable(path, new Failure(UnavailableReason.NO_ANSWER,
					"interrupted before there was an answer ('connectTimeout', zk.lock.session.connect-timeout)", ex));
		}
		catch (ExecutionException ex) {
			throw unavailable(path, ex.getCause());
		}
		catch (TimeoutException ex) {
			throw unavailable(path,
					new Failure(UnavailableReason.NO_ANSWER,
							"no answer within %d ms ('connectTimeout', zk.lock.session.connect-timeout)"
								.formatted(this.keeper.connectTimeout().toMillis())));
		}
		catch (IllegalStateException ex) {
			throw unavailable(path,
					this.keeper.isClosed() ? this.keeper.refusal() : this.keeper.reachability().notConnected());
		}
		finally {
			answer.cancel(false);
		}
	}

	private LockException refused(LockPath path, Response<?> response, String node) {
		return unavailable(path, Refusal.of(response, node));
	}

	/**
	 * Return a failure as one of the caller's own thread.
	 */
	private LockException unavailable(LockPath path, @Nullable Throwable failure) {
		if (failure instanceof LockUnavailableException refused) {
			return new LockUnavailableException(path.name(), String.valueOf(refused.getMessage()), refused.reason(),
					refused.getCause());
		}
		return unavailable(path, Failure.internalError(failure));
	}

	private LockException unavailable(LockPath path, Failure failure) {
		return failure.ofQueue(path.name(), this.keeper.place());
	}

	private interface Question<T> {

		void ask(Session session, CompletableFuture<T> answer);

	}

}
