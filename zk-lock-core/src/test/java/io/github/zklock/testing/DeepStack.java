package io.github.zklock.testing;

import java.util.Random;

/**
 * Runs things where the stack of a thread is about to come to its end, at one depth after
 * the other, so that a StackOverflowError is thrown at each of their calls.
 */
public final class DeepStack {

	private static final long STACK_BYTES = 256 * 1024;

	private static final int DEEPEST = 60_000;

	// How many frames above the end of the stack things are run
	private static final int MOST_ROOM = 250;

	private static final int SHAPES = 4;

	private final Random random = new Random(7);

	private final int[] depths = new int[SHAPES];

	private int runs;

	/**
	 * Run something somewhere near the end of the stack of a new thread.
	 */
	public void run(Runnable action) throws InterruptedException {
		int shape = this.random.nextInt(SHAPES);
		// The more of it is compiled, the more frames there is room for
		if (this.depths[shape] == 0 || ++this.runs % 200 == 0) {
			this.depths[shape] = depth(shape);
		}
		run(shape, Math.max(0, this.depths[shape] - this.random.nextInt(MOST_ROOM)), action);
	}

	private static int depth(int shape) throws InterruptedException {
		int low = 1;
		int high = DEEPEST;
		while (low < high) {
			int middle = (low + high) / 2;
			if (run(shape, middle, () -> {
			})) {
				low = middle + 1;
			}
			else {
				high = middle;
			}
		}
		return low;
	}

	/**
	 * Run something at a depth.
	 * @return false if the stack had no room for it
	 */
	private static boolean run(int shape, int depth, Runnable action) throws InterruptedException {
		boolean[] done = new boolean[1];
		Thread thread = new Thread(null, () -> {
			try {
				descend(depth, shape, 0, action);
				done[0] = true;
			}
			catch (StackOverflowError ex) {
				// as it is meant to be
			}
		}, "deep", STACK_BYTES);
		thread.start();
		thread.join();
		return done[0];
	}

	/**
	 * Frames of two sizes, so that the last one ends here or there.
	 */
	private static long descend(int depth, int shape, long sum, Runnable action) {
		if (depth == 0) {
			action.run();
			return sum;
		}
		if (depth % SHAPES < shape) {
			return descendWide(depth - 1, shape, sum, sum + depth, sum ^ depth, action);
		}
		return descend(depth - 1, shape, sum + 1, action);
	}

	private static long descendWide(int depth, int shape, long one, long two, long three, Runnable action) {
		long sum = descend(depth, shape, one, action);
		return sum + one * two + three;
	}

}
