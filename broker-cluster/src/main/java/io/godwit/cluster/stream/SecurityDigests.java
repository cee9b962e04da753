package io.godwit.cluster.stream;

/**
 * Digests of the files that say who comes in at a node, and what he may do; 0: there is none.
 *
 * @param users of {@code security.users}
 * @param rules of {@code security.rules}
 * @param authorities of the certificate authorities of clients, and their revocation lists, of all
 *     listeners
 */
public record SecurityDigests(long users, long rules, long authorities) {
    /** A node has none of these files. */
    public static final SecurityDigests NONE = new SecurityDigests(0, 0, 0);
}
