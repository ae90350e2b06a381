package io.github.zklock.engine;

/**
 * The time between the end of a leadership in good order and the deletion of its node, in
 * which the listeners are notified: nobody else leads before they have returned.
 *
 * @param contender whose node it is
 * @param leaseTerm the term of the lease, with which the wait for listeners ends
 * @param timeout ends the wait, too
 */
record HandOver(Contender contender, int leaseTerm, LoopThread.Timer timeout) {

	boolean isOf(Session session) {
		return this.contender.session() == session;
	}

}
