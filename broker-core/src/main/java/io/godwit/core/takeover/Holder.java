package io.godwit.core.takeover;

import io.godwit.core.session.Session;

/** The holder of a client id, as far as its registrar knows. */
sealed interface Holder {
    Unknown UNKNOWN = new Unknown();

    /** A session of this node; the session itself knows the shard that owns it. */
    record Here(Session session) implements Holder {}

    /** Nobody of this node has it. */
    record Unknown() implements Holder {}
}
