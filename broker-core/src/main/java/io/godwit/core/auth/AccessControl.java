package io.godwit.core.auth;

/**
 * Says what clients may do: the node's rules, or those that an authenticator has brought along. Its
 * answers don't change: other rules are another object. Any thread.
 */
public interface AccessControl {
    /** Lets every client do what {@link Access#OPEN} grants. */
    AccessControl OPEN =
            new AccessControl() {
                @Override
                public boolean mayConnect(Subject subject) {
                    return true;
                }

                @Override
                public Access of(Subject subject) {
                    return Access.OPEN;
                }
            };

    /** Whether the client may connect from there under its client id. */
    boolean mayConnect(Subject subject);

    /** Returns what the client may do on this connection, for the thread of its shard. */
    Access of(Subject subject);
}
