package io.github.zklock.spring.leader;

import java.util.function.Supplier;

import io.github.zklock.LockRegistry;
import org.jspecify.annotations.Nullable;

/**
 * Gives the registry, which is asked for when it is first needed. Without a lock: to make
 * the registry's bean may need locks of the application context.
 */
final class RegistrySupplier implements Supplier<LockRegistry> {

	private final Supplier<? extends LockRegistry> source;

	private volatile @Nullable LockRegistry registry;

	RegistrySupplier(Supplier<? extends LockRegistry> source) {
		this.source = source;
	}

	@Override
	public LockRegistry get() {
		LockRegistry present = this.registry;
		if (present == null) {
			present = this.source.get();
			this.registry = present;
		}
		return present;
	}

}
