package io.github.zklock.sample.demo;

import java.io.IOException;
import java.util.Arrays;

/**
 * Runs the main class that its first argument names, and ends when its input does, so
 * that it never outlives the JVM that started it, however that ends.
 */
final class ChildMain {

	private ChildMain() {
	}

	public static void main(String[] args) throws ReflectiveOperationException {
		Thread guard = new Thread(ChildMain::haltWhenParentIsGone, "parent-guard");
		guard.setDaemon(true);
		guard.start();
		Object arguments = Arrays.copyOfRange(args, 1, args.length);
		Class.forName(args[0]).getMethod("main", String[].class).invoke(null, arguments);
	}

	private static void haltWhenParentIsGone() {
		try {
			while (System.in.read() >= 0) {
				Thread.onSpinWait();
			}
		}
		catch (IOException ex) {
			// gone as well
		}
		Runtime.getRuntime().halt(1);
	}

}
