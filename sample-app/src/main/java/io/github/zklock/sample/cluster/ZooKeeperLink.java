package io.github.zklock.sample.cluster;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ScheduledFuture;
import java.util.stream.Collectors;

import io.github.zklock.embedded.FaultProxy;
import org.apache.zookeeper.client.ConnectStringParser;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.stereotype.Component;

/**
 * The way from this instance to ZooKeeper, which can be cut to see what happens.
 */
@Component
public class ZooKeeperLink implements DisposableBean {

	private final TaskScheduler scheduler;

	private final List<FaultProxy> proxies = new CopyOnWriteArrayList<>();

	private volatile String target = "";

	private @Nullable ScheduledFuture<?> resumption;

	private @Nullable Instant pausedUntil;

	ZooKeeperLink(TaskScheduler scheduler) {
		this.scheduler = scheduler;
	}

	/**
	 * Lead through this link.
	 * @param connectString where ZooKeeper is
	 * @return where to connect instead
	 */
	String through(String connectString) {
		this.target = connectString;
		ConnectStringParser parsed = new ConnectStringParser(connectString);
		String servers = parsed.getServerAddresses().stream().map((address) -> {
			FaultProxy proxy = FaultProxy.to(address.getHostString() + ":" + address.getPort());
			this.proxies.add(proxy);
			return proxy.connectString();
		}).collect(Collectors.joining(","));
		return (parsed.getChrootPath() != null) ? servers + parsed.getChrootPath() : servers;
	}

	/**
	 * Return where ZooKeeper is, at the other end.
	 */
	public String target() {
		return this.target;
	}

	/**
	 * Cut the link for some time: this instance and ZooKeeper do not hear from each other
	 * any more. All others go on.
	 */
	public synchronized void pause(Duration duration) {
		cancelResumption();
		Instant end = Instant.now().plus(duration);
		this.proxies.forEach(FaultProxy::refuse);
		this.resumption = this.scheduler.schedule(this::resume, end);
		this.pausedUntil = end;
	}

	public synchronized void resume() {
		cancelResumption();
		this.proxies.forEach(FaultProxy::heal);
		this.pausedUntil = null;
	}

	private void cancelResumption() {
		if (this.resumption != null) {
			this.resumption.cancel(false);
			this.resumption = null;
		}
	}

	/**
	 * Return when a pause will end by itself.
	 * @return null if the link is not cut
	 */
	public synchronized @Nullable Instant pausedUntil() {
		return this.pausedUntil;
	}

	@Override
	public void destroy() {
		this.proxies.forEach(FaultProxy::close);
	}

}
