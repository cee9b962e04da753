package io.godwit.cluster.takeover;

/**
 * A former home of a session, which keeps what it had until it is told that all of it is here. A
 * session knows its former homes for as long, also where it has ended, and takes them along.
 *
 * @param server its server id
 * @param changes number of the grant for which it gave the session
 */
public record Former(int server, long changes) {}
