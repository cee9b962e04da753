package io.godwit.core.simulation;

import io.godwit.core.message.Message;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.packet.Will;
import io.godwit.core.store.Inbound;
import io.godwit.core.store.QueueDepth;
import io.godwit.core.store.Recovery.KeptInbound;
import io.godwit.core.store.Recovery.KeptSession;
import io.godwit.core.store.Recovery.KeptSubscription;
import io.godwit.core.store.SessionRecord;
import java.util.Map;
import java.util.TreeMap;

/**
 * What a store keeps, as words that can be compared: made from what it was asked to write, or from
 * what it has told at a start.
 */
final class Facts {
    private static final class Queue {
        final TreeMap<String, String> facts = new TreeMap<>();

        /** By message id: whether it is in flight. */
        final TreeMap<Long, Boolean> entries = new TreeMap<>();

        /** It is kept for its will alone: what becomes of its messages is nobody's concern. */
        boolean isTransient;

        /** What is told at a start; null when entries are known one by one. */
        String depth;

        String depth() {
            if (depth != null) {
                return depth;
            }
            long inFlight = entries.values().stream().filter(each -> each).count();
            return depth(entries.size() - inFlight, inFlight);
        }

        static String depth(long idle, long inFlight) {
            return idle == 0 && inFlight == 0
                    ? "empty"
                    : idle + " idle, " + inFlight + " in flight";
        }
    }

    private final TreeMap<Long, Queue> queues = new TreeMap<>();
    private final TreeMap<String, String> retained = new TreeMap<>();

    private Queue queue(long queueId) {
        return queues.computeIfAbsent(queueId, key -> new Queue());
    }

    // ---------------------------------------------------------------- operations

    void session(ClientId clientId, SessionRecord record) {
        Will will = record.will();
        queue(record.queueId()).isTransient = record.expirySeconds() == 0;
        queue(record.queueId())
                .facts
                .put(
                        "session",
                        clientId
                                + " generation "
                                + record.generation()
                                + " "
                                + record.version()
                                + " expires "
                                + record.expirySeconds()
                                + " since "
                                + record.disconnectedAtMs()
                                + " will "
                                + (will == null
                                        ? "none"
                                        : Payload.number(will.payload())
                                                + " at QoS "
                                                + will.qos()
                                                + " after "
                                                + will.delaySeconds()));
    }

    void remove(long queueId) {
        queues.remove(queueId);
    }

    void subscription(long queueId, KeptSubscription s) {
        queue(queueId)
                .facts
                .put(
                        "subscription " + s.filter(),
                        s.qos()
                                + " "
                                + s.noLocal()
                                + " "
                                + s.retainAsPublished()
                                + " "
                                + java.util.Arrays.toString(s.ids()));
    }

    void removeSubscription(long queueId, TopicFilter filter) {
        Queue queue = queues.get(queueId);
        if (queue != null) {
            queue.facts.remove("subscription " + filter);
        }
    }

    void group(TopicFilter filter, long queueId) {
        queue(queueId).facts.put("group", filter.toString());
    }

    void inbound(Inbound inbound, boolean taken) {
        Queue queue = queues.get(inbound.queueId);
        if (queue != null) {
            queue.facts.put("inbound " + inbound.packetId, inbound.ingressCounter + " " + taken);
        }
    }

    void removeInbound(Inbound inbound) {
        Queue queue = queues.get(inbound.queueId);
        if (queue != null) {
            queue.facts.remove("inbound " + inbound.packetId);
        }
    }

    void entry(long queueId, long messageId) {
        queue(queueId).entries.put(messageId, false);
    }

    void inFlight(long queueId, long messageId) {
        Queue queue = queues.get(queueId);
        if (queue != null) {
            queue.entries.replace(messageId, true);
        }
    }

    void lent(long queueId, long messageId) {
        Queue queue = queues.get(queueId);
        if (queue != null) {
            queue.entries.put(messageId, true);
        }
    }

    void removeEntry(long queueId, long messageId) {
        Queue queue = queues.get(queueId);
        if (queue != null) {
            queue.entries.remove(messageId);
        }
    }

    void retained(Message message) {
        retained.put(message.topic.toString(), "" + Payload.number(message.payload));
    }

    void removeRetained(Topic topic) {
        retained.remove(topic.toString());
    }

    // ---------------------------------------------------------------- what a start is told

    void told(TopicFilter filter, QueueDepth depth) {
        group(filter, depth.queueId());
        told(depth.queueId(), depth);
    }

    void told(KeptSession session) {
        long queueId = session.record().queueId();
        session(session.clientId(), session.record());
        session.subscriptions().forEach(s -> subscription(queueId, s));
        for (KeptInbound kept : session.inbound()) {
            inbound(kept.inbound(), kept.hasIt() == null);
        }
        told(queueId, session.queue());
    }

    private void told(long queueId, QueueDepth depth) {
        queue(queueId).depth =
                depth == null ? "empty" : Queue.depth(depth.idle(), depth.inFlight());
    }

    // ---------------------------------------------------------------- comparing

    /** What differs between these and what a start was told; empty = nothing. */
    String difference(Facts told) {
        StringBuilder text = new StringBuilder();
        TreeMap<Long, Queue> all = new TreeMap<>(queues);
        all.putAll(told.queues);
        Queue none = new Queue();
        for (long queueId : all.keySet()) {
            Queue mine = queues.getOrDefault(queueId, none);
            Queue other = told.queues.getOrDefault(queueId, none);
            String of = " of queue " + queueId + ": ";
            differ(text, of, mine.facts, other.facts);
            if (!mine.depth().equals(other.depth()) && !other.isTransient) {
                text.append("depth").append(of).append(mine.depth());
                text.append(" became ").append(other.depth()).append("; ");
            }
        }
        differ(text, " retained: ", retained, told.retained);
        return text.toString();
    }

    private static void differ(
            StringBuilder text, String of, Map<String, String> mine, Map<String, String> other) {
        if (mine.equals(other)) {
            return;
        }
        TreeMap<String, String> all = new TreeMap<>(mine);
        all.putAll(other);
        for (String key : all.keySet()) {
            String before = mine.get(key);
            String after = other.get(key);
            if (before == null || !before.equals(after)) {
                text.append(key).append(of).append(before).append(" became ").append(after);
                text.append("; ");
            }
        }
    }
}
