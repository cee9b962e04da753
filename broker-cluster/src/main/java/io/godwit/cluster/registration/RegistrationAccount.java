package io.godwit.cluster.registration;

/** The account of memory that the registrations of a shard are charged to, and their counters. */
public interface RegistrationAccount {
    /** Changes the bytes of registered connections and of claims under way. */
    void registered(long change);

    /** Whether the node has room for so many bytes more. */
    boolean mayRegister(long bytes);

    /** Counts a connection at another node that is refused for want of room. */
    void refused();

    /** Counts a connection that is granted in the place of a leader that is out of reach. */
    void grantedByStandIn();
}
