package io.github.zklock.embedded;

/**
 * Which way something travels through a proxy.
 */
public enum Direction {

	/**
	 * From the client, which opened the connection, to the server.
	 */
	TO_SERVER,

	/**
	 * From the server to the client.
	 */
	TO_CLIENT

}
