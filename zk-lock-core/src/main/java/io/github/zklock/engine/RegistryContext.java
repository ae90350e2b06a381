package io.github.zklock.engine;

/**
 * What all locks and elections of a registry share.
 *
 * @param keeper keeps the session
 * @param settings what all attempts have in common
 * @param nodeData what is written into nodes
 * @param users the threads on which users are called
 * @param listeners hear what happens to locks
 * @param lossLog logs what is lost
 * @param threadHolds which locks are in the hands of which threads
 * @param answerNanos how long ZooKeeper has to answer a request that does not wait
 * @param emptyParents deletes the parents of names that nobody uses any more
 * @param access looks at who may touch the nodes
 */
record RegistryContext(SessionKeeper keeper, ContenderSettings settings, NodeData nodeData, CallbackThreads users,
		Listeners listeners, LossLog lossLog, ThreadHolds threadHolds, long answerNanos, EmptyParents emptyParents,
		AccessCheck access) {

}
