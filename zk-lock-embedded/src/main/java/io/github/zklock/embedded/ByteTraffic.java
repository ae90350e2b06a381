package io.github.zklock.embedded;

import java.io.DataInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntSupplier;

import org.jspecify.annotations.Nullable;

/**
 * Bytes between two members of an ensemble, passed on as they come, but for one thing: a
 * member that opens an election connection begins by telling its own address, and a
 * member with a higher id calls back there. The address is replaced by one that leads
 * through a relay, too; all ports have five digits, so it is as long as before.
 */
final class ByteTraffic implements RelayTraffic {

	private final IntSupplier ownPort;

	private final IntSupplier replacementPort;

	ByteTraffic(IntSupplier ownPort, IntSupplier replacementPort) {
		this.ownPort = ownPort;
		this.replacementPort = replacementPort;
	}

	private static byte[] bytes(int port) {
		return (":" + port).getBytes(StandardCharsets.US_ASCII);
	}

	@Override
	public byte @Nullable [] read(DataInputStream in) throws IOException {
		byte[] buffer = new byte[8192];
		int length = in.read(buffer);
		return (length >= 0) ? Arrays.copyOf(buffer, length) : null;
	}

	@Override
	public RelayTraffic.Observer open() {
		AtomicBoolean introduced = new AtomicBoolean();
		return (direction, chunk) -> {
			if (direction == Direction.TO_SERVER && introduced.compareAndSet(false, true)) {
				replaceAddress(chunk);
			}
			return RelayTraffic.Decision.PASS;
		};
	}

	private void replaceAddress(byte[] chunk) {
		byte[] address = bytes(this.ownPort.getAsInt());
		byte[] replacement = bytes(this.replacementPort.getAsInt());
		int length = address.length;
		for (int start = 0; start + length <= chunk.length; start++) {
			if (Arrays.equals(chunk, start, start + length, address, 0, length)) {
				System.arraycopy(replacement, 0, chunk, start, length);
			}
		}
	}

}
