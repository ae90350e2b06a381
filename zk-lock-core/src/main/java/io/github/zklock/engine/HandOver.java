package io.github.zklock.engine;

/**
 * The time between the end of a leadership in good order and the deletion of its node, in
 * which the listeners are told: nobody else leads before they have heard of it.
 *
 * @param contender whose node it is
 * @param term the term of the lease, with which the wait for listeners ends
 * @param timeout ends the wait, too
 */
record HandOver(Contender contender, int term, EventLoop.Timer timeout) {

	boolean isOf(Session session) {
		return this.contender.session() == session;
	}

}
