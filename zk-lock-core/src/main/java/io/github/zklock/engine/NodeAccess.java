package io.github.zklock.engine;

/**
 * Who may do what with a node, compared with those who are meant to.
 */
public interface NodeAccess {

	/**
	 * Describe those who may take locks away or block them although nobody asked for
	 * that: whoever comes, with no credentials.
	 * @return a text for the middle of a sentence, empty if there are none
	 */
	String strangers();

	/**
	 * Return whether others may do something who are not meant by name.
	 * @return whether there is something for {@link #describeOthers()} to find out
	 */
	boolean hasOthers();

	/**
	 * Describe those who are not meant by name, and are not this application itself.
	 * Blocks.
	 * @return a text for the end of a sentence, empty if there are none
	 */
	String describeOthers();

	/**
	 * Return whether another node can be created like this one.
	 * @return whether nothing is hidden from us
	 */
	boolean isComplete();

	/**
	 * Return whether the node has no children.
	 * @return whether it is empty
	 */
	boolean isEmpty();

}
