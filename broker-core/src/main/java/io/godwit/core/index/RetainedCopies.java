package io.godwit.core.index;

import io.godwit.core.id.HybridId;
import io.godwit.core.message.Digest;
import io.godwit.core.message.Message;
import io.godwit.core.packet.Topic;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The retained messages of a node, as other nodes get them. On the shard that owns the store. */
public interface RetainedCopies {
    /**
     * A topic's value.
     *
     * @param message null when it was deleted
     */
    record Copy(Topic topic, HybridId stamp, @Nullable Message message) {}

    /** Equal on two nodes that have the same messages and deletions. */
    Digest digest();

    /** Topics that have a message or a deletion now. */
    List<Topic> topics();

    /**
     * @return null when there is nothing any more
     */
    @Nullable Copy copy(Topic topic);

    /** Keeps what another node has, unless a later value is here. It is routed to nobody. */
    void keep(Copy copy);
}
