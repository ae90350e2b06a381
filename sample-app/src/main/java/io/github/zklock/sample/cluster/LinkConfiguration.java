package io.github.zklock.sample.cluster;

import io.github.zklock.autoconfigure.ZooKeeperConnectionDetails;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Puts the link between zk-lock and ZooKeeper, wherever that is. With TLS the client
 * insists on the real server's name, so there is no link to cut then.
 */
@Configuration(proxyBeanMethods = false)
class LinkConfiguration {

	@Bean
	static BeanPostProcessor throughLink(ObjectProvider<ZooKeeperLink> link) {
		return new BeanPostProcessor() {

			@Override
			public Object postProcessAfterInitialization(Object bean, String beanName) {
				return (bean instanceof ZooKeeperConnectionDetails details && details.getSslBundle() == null)
						? linked(details, link.getObject()) : bean;
			}

		};
	}

	private static ZooKeeperConnectionDetails linked(ZooKeeperConnectionDetails details, ZooKeeperLink link) {
		String connectString = link.through(details.getConnectString());
		return () -> connectString;
	}

}
