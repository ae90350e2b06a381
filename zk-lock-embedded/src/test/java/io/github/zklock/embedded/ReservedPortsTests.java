package io.github.zklock.embedded;

import java.net.BindException;
import java.net.ServerSocket;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class ReservedPortsTests {

	@Test
	void portsAreNobodyElsesUntilTheyAreReleased() throws Exception {
		int first;
		try (ReservedPorts ports = new ReservedPorts(); ServerSocket other = new ServerSocket()) {
			first = ports.take();
			assertThat(ports.take()).isNotEqualTo(first);
			assertThatExceptionOfType(BindException.class).isThrownBy(() -> other.bind(Loopback.address(first)));
		}
		try (ServerSocket other = new ServerSocket()) {
			other.bind(Loopback.address(first));
			assertThat(other.getLocalPort()).isEqualTo(first);
		}
	}

}
