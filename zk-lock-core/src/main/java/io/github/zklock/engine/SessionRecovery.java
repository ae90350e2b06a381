package io.github.zklock.engine;

/**
 * Brings everything into order that an error may have left half done, on the event loop.
 * A task of the event loop that has failed may have been anything, so nothing is known
 * for certain of the session: it is ended, and the next session begins with nothing.
 */
final class SessionRecovery implements EventLoop.Recovery {

	private final SessionKeeper keeper;

	private final SessionOpener opener;

	private final Heartbeat heartbeat;

	private final Dependents dependents;

	SessionRecovery(SessionKeeper keeper, SessionOpener opener, Heartbeat heartbeat, Dependents dependents) {
		this.keeper = keeper;
		this.opener = opener;
		this.heartbeat = heartbeat;
		this.dependents = dependents;
	}

	@Override
	public void recover(boolean taskFailed) {
		Session session = this.keeper.session();
		if (this.keeper.shutdown().isClosed()) {
			this.keeper.end(session);
		}
		else if (session != null && session.hasEnded()) {
			session.notifyEnd();
		}
		else if (session != null && taskFailed) {
			session.end(Loss.INTERNAL_ERROR);
		}
		if (taskFailed) {
			forgetTimers();
		}
		this.dependents.forEach(Dependent::repair);
		if (this.keeper.isSessionNeeded()) {
			this.keeper.connectedSession();
			this.heartbeat.schedule();
		}
	}

	/**
	 * Forget what was to be run later: the error may have lost it.
	 */
	private void forgetTimers() {
		if (this.keeper.session() == null) {
			this.opener.release();
		}
		this.heartbeat.forget();
	}

}
