package io.godwit.core.takeover;

import io.godwit.core.session.Session;

/** The holder of a client id, as far as its registrar knows. */
sealed interface Holder {
    Unknown UNKNOWN = new Unknown();

    /**
     * A session of this node; the session itself knows the shard that owns it.
     *
     * @param outlives whether it is to outlive its connection
     */
    record Here(Session session, boolean outlives) implements Holder {
        /** Looks at the session, on the thread of its owner. */
        static Here of(Session session) {
            return new Here(session, session.life().expirySeconds() > 0);
        }
    }

    /** Nobody of this node has it. */
    record Unknown() implements Holder {}
}
