package io.godwit.core.session;

import io.godwit.core.packet.TopicFilter;
import io.godwit.core.routing.SharedGroup;

/** What the shared groups of one shard want done. */
final class GroupEffects {
    private final SessionShard shard;

    GroupEffects(SessionShard shard) {
        this.shard = shard;
    }

    SharedGroup newGroup(TopicFilter filter, int owner) {
        return new SharedGroup(filter, owner);
    }
}
