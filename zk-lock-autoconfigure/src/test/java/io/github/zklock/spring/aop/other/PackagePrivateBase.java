package io.github.zklock.spring.aop.other;

import io.github.zklock.spring.DistributedLock;

/**
 * A class whose heirs in other packages do not override its method.
 */
public class PackagePrivateBase {

	@DistributedLock("other")
	void hidden() {
	}

}
