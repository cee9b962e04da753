package io.godwit.core.takeover;

import io.godwit.core.session.Session;

/** The holder of a client id, as far as its registrar knows. */
public sealed interface Holder {
    Unknown UNKNOWN = new Unknown();
    Asking ASKING = new Asking();

    /** A session of this node; the session itself knows the shard that owns it. */
    record Here(Session session) implements Holder {}

    /** Nobody of this node has it; a claim asks the other nodes first. */
    record Unknown() implements Holder {}

    /** The other nodes are asked, and claims wait for the answer. */
    record Asking() implements Holder {}
}
