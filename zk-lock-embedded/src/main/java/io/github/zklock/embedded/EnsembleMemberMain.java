package io.github.zklock.embedded;

import java.io.IOException;

import org.apache.zookeeper.server.quorum.QuorumPeerMain;

/**
 * The process of an ensemble's member. It ends when its input does, so that it never
 * outlives the JVM that started it, however that ends.
 */
final class EnsembleMemberMain {

	private EnsembleMemberMain() {
	}

	public static void main(String[] args) {
		Thread guard = new Thread(EnsembleMemberMain::haltWhenParentIsGone, "parent-guard");
		guard.setDaemon(true);
		guard.start();
		QuorumPeerMain.main(args);
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
		Runtime.getRuntime().halt(0);
	}

}
