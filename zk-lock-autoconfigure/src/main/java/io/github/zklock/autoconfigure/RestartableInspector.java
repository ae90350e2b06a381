package io.github.zklock.autoconfigure;

import java.util.List;

import io.github.zklock.LocalLock;
import io.github.zklock.LockContender;
import io.github.zklock.LockInspector;

/**
 * An inspector that outlives the runs of the application.
 */
final class RestartableInspector implements LockInspector {

	private final Runs<?> runs;

	RestartableInspector(Runs<?> runs) {
		this.runs = runs;
	}

	@Override
	public List<LockContender> queue(String name) {
		return current("Lock", name).queue(name);
	}

	@Override
	public List<LockContender> queueOfRole(String role) {
		return current("Role", role).queueOfRole(role);
	}

	@Override
	public List<LockContender> queueOfSegment(String segment) {
		return current("Lock", segment).queueOfSegment(segment);
	}

	@Override
	public List<LockContender> queueOfRoleSegment(String segment) {
		return current("Role", segment).queueOfRoleSegment(segment);
	}

	@Override
	public List<LocalLock> held() {
		Run run = this.runs.begun();
		return (run != null) ? run.inspector().held() : List.of();
	}

	@Override
	public List<LocalLock> waiting() {
		Run run = this.runs.begun();
		return (run != null) ? run.inspector().waiting() : List.of();
	}

	@Override
	public boolean breakLock(String name) {
		return current("Lock", name).breakLock(name);
	}

	@Override
	public boolean breakSegment(String segment) {
		return current("Lock", segment).breakSegment(segment);
	}

	private LockInspector current(String what, String name) {
		Run run = this.runs.current();
		if (run == null) {
			throw this.runs.stopped(what, name);
		}
		return run.inspector();
	}

}
