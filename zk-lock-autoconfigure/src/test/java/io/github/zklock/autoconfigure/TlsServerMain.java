package io.github.zklock.autoconfigure;

import java.io.IOException;

import org.apache.zookeeper.server.ZooKeeperServerMain;

/**
 * The process of a server that speaks TLS: its settings become system properties, which
 * clients in the same process would take for theirs. It ends when its input does.
 */
final class TlsServerMain {

	private TlsServerMain() {
	}

	public static void main(String[] args) {
		Thread guard = new Thread(TlsServerMain::haltWhenParentIsGone, "parent-guard");
		guard.setDaemon(true);
		guard.start();
		ZooKeeperServerMain.main(args);
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
