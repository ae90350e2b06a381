package io.github.zklock.zookeeper;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.Collection;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;

import org.apache.zookeeper.client.ConnectStringParser;
import org.apache.zookeeper.client.HostProvider;
import org.apache.zookeeper.client.StaticHostProvider;
import org.jspecify.annotations.Nullable;

/**
 * The servers to which one ZooKeeper handle may connect. They are chosen as the client
 * does it by default, but a host that is not known is not logged with a stack trace at
 * each attempt; it is remembered instead, and so is the server of the latest connection.
 * Thread-safe.
 */
final class ServerAddresses implements HostProvider {

	private static final InetAddress[] NONE = {};

	private final HostProvider delegate;

	private final Set<String> unknownHosts = new ConcurrentSkipListSet<>();

	private volatile @Nullable String latest;

	private volatile @Nullable String connected;

	ServerAddresses(String connectString) {
		this.delegate = new StaticHostProvider(new ConnectStringParser(connectString).getServerAddresses(),
				this::resolve);
	}

	private InetAddress[] resolve(String host) {
		try {
			InetAddress[] addresses = InetAddress.getAllByName(host);
			this.unknownHosts.remove(host);
			return addresses;
		}
		catch (UnknownHostException ex) {
			this.unknownHosts.add(host);
			return NONE;
		}
	}

	@Override
	public int size() {
		return this.delegate.size();
	}

	@Override
	public InetSocketAddress next(long spinDelay) {
		InetSocketAddress next = this.delegate.next(spinDelay);
		// Now: the client may look the name of an address up later
		this.latest = next.getHostString() + ":" + next.getPort();
		return next;
	}

	@Override
	public void onConnected() {
		this.connected = this.latest;
		this.delegate.onConnected();
	}

	@Override
	public boolean updateServerList(Collection<InetSocketAddress> addresses, InetSocketAddress current) {
		return this.delegate.updateServerList(addresses, current);
	}

	/**
	 * Return the server of the latest connection as host:port, if there was one.
	 */
	@Nullable String connected() {
		return this.connected;
	}

	/**
	 * Return the hosts that could not be resolved when they were tried last.
	 */
	Set<String> unknownHosts() {
		return this.unknownHosts;
	}

}
