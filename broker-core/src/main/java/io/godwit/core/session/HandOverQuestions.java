package io.godwit.core.session;

import io.godwit.core.id.IngressId;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.shard.Shard;
import io.godwit.core.store.Receiver;

/** Asks sessions, at whatever node they are, what they have of shared groups. Any thread. */
public interface HandOverQuestions {
    /**
     * Asks the leader of a session whether the session's queue has, or had, an entry that a group
     * was handing over to it.
     *
     * @param group whole filter
     * @param id of the hand-over
     * @param taker told once, by any thread
     */
    void ask(TopicFilter group, Receiver to, IngressId id, HandOverAsk.Taker taker);

    /**
     * Tells all nodes that an entry is gone which they were told, or have asked, about.
     *
     * @param from the group's shard
     */
    void over(Shard from, IngressId id);
}
