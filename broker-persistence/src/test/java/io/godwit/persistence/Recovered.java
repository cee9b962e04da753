package io.godwit.persistence;

import io.godwit.core.id.HybridId;
import io.godwit.core.message.Message;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.store.KeptIngress;
import io.godwit.core.store.QueueDepth;
import io.godwit.core.store.Recovery;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** What a start was told. */
final class Recovered implements Recovery {
    final Map<Long, KeptSession> sessions = new LinkedHashMap<>();
    final Map<Long, QueueDepth> groups = new LinkedHashMap<>();
    final Map<Long, KeptGroupPart> parts = new LinkedHashMap<>();
    final Map<Long, List<KeptInFlight>> inFlight = new LinkedHashMap<>();
    final Map<Long, List<KeptIngress>> remembered = new LinkedHashMap<>();
    final Map<String, Message> retained = new LinkedHashMap<>();

    @Override
    public void group(TopicFilter filter, KeptGroupPart part) {
        long queueId = part.queue().queueId();
        remembered.put(queueId, part.remembered());
        groups.put(queueId, part.queue());
        parts.put(queueId, part);
        inFlight.put(queueId, part.inFlight());
    }

    @Override
    public void session(KeptSession session) {
        sessions.put(session.record().queueId(), session);
        remembered.put(session.record().queueId(), session.remembered());
    }

    @Override
    public void retainedIngress(List<KeptIngress> ingress) {
        remembered.put(0L, ingress);
    }

    @Override
    public void retained(Message message, HybridId stamp) {
        retained.put(message.topic.toString(), message);
    }

    final Map<Long, GoneSession> gone = new LinkedHashMap<>();
    final Map<String, HybridId> retainedGone = new LinkedHashMap<>();

    @Override
    public void gone(GoneSession session) {
        gone.put(session.queueId(), session);
    }

    @Override
    public void retainedGone(Topic topic, HybridId stamp) {
        retainedGone.put(topic.toString(), stamp);
    }

    GoneSession goneOf(long queueId) {
        return Objects.requireNonNull(gone.get(queueId));
    }

    KeptSession session(long queueId) {
        KeptSession session = sessions.get(queueId);
        if (session == null) {
            throw new AssertionError("no session of queue " + queueId);
        }
        return session;
    }

    /** What waits for a session that has a queue. */
    QueueDepth depth(long queueId) {
        return Objects.requireNonNull(session(queueId).queue());
    }
}
