package io.godwit.core.simulation;

import io.godwit.core.message.Message;
import io.godwit.core.message.QueuedMessage;
import io.godwit.core.message.Remembered;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.packet.Will;
import io.godwit.core.store.Inbound;
import io.godwit.core.store.KeptIngress;
import io.godwit.core.store.QueueDepth;
import io.godwit.core.store.Receiver;
import io.godwit.core.store.Recovery.KeptInFlight;
import io.godwit.core.store.Recovery.KeptSession;
import io.godwit.core.store.Recovery.KeptSubscription;
import io.godwit.core.store.SessionRecord;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * What a store keeps, as words that can be compared: made from what it was asked to write, or from
 * what it has told at a start. A method for each operation of the store: hence its length.
 */
final class Facts {
    private static final class Entry {
        final QueuedMessage message;
        boolean inFlight;

        /** Appended before the last start, which knows it as another object, if it has read it. */
        boolean earlier;

        /**
         * Its removal is an operation, that of the object or of another one, which was read from
         * its row: the entry is there until that is durable.
         */
        boolean isRemovalTold;

        Entry(QueuedMessage message, boolean inFlight) {
            this.message = message;
            this.inFlight = inFlight;
        }

        /** Taken back, but nothing says when: its session has ended, or the broker. */
        boolean isUncertain() {
            return earlier || message != null && isTakenBack(message) && !isRemovalTold;
        }

        private static boolean isTakenBack(QueuedMessage message) {
            return message.stored() == QueuedMessage.GONE
                    || message.stored() == QueuedMessage.CANCELLED;
        }
    }

    private static final class Queue {
        final TreeMap<String, String> facts = new TreeMap<>();

        /** By message id. */
        final TreeMap<Long, Entry> entries = new TreeMap<>();

        /**
         * Whether the session is kept for its will alone: what becomes of its messages is nobody's
         * concern.
         */
        boolean isTransient;

        /** What is told at a start. */
        long idle;

        long inFlight;

        long count(boolean isInFlight, boolean isUncertain) {
            return entries.values().stream()
                    .filter(e -> e.inFlight == isInFlight && e.isUncertain() == isUncertain)
                    .count();
        }

        /** How what a start was told does not fit; empty when it does. */
        String differs(Queue told) {
            if (told.isTransient) {
                return "";
            }
            long idleMissing = count(false, false) - told.idle;
            long inFlightMissing = count(true, false) - told.inFlight;
            long allMissing = idleMissing + inFlightMissing;
            long uncertainIdle = count(false, true);
            long uncertainInFlight = count(true, true);
            boolean fits =
                    idleMissing <= 0
                            && inFlightMissing <= 0
                            && allMissing <= 0
                            && idleMissing + uncertainIdle >= 0
                            && inFlightMissing + uncertainInFlight >= 0
                            && allMissing + uncertainIdle + uncertainInFlight >= 0;
            return fits
                    ? ""
                    : String.format(
                            "missing are %s idle, %s in flight, %s of both; uncertain were %s and %s of %s in %s",
                            idleMissing,
                            inFlightMissing,
                            allMissing,
                            uncertainIdle,
                            uncertainInFlight,
                            entries.keySet(),
                            facts);
        }
    }

    /** Ingress ids of PUBLISHes that every target has, since the last start. */
    private final Set<String> marked = new HashSet<>();

    private final TreeMap<Long, Queue> queues = new TreeMap<>();
    private final TreeMap<String, String> retained = new TreeMap<>();

    private Queue queue(long queueId) {
        return queues.computeIfAbsent(queueId, key -> new Queue());
    }

    // ---------------------------------------------------------------- operations

    void session(ClientId clientId, SessionRecord record) {
        Will will = record.will() == null ? null : record.will().will();
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
                                                + will.delaySeconds())
                                + " owed "
                                + record.owedWills().stream()
                                        .map(each ->
                                                Payload.number(each.will().payload())
                                                        + " at QoS "
                                                        + each.will().qos())
                                        .toList());
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
                                + Arrays.toString(s.ids()));
    }

    void removeSubscription(long queueId, TopicFilter filter) {
        Queue queue = queues.get(queueId);
        if (queue != null) {
            queue.facts.remove("subscription " + filter);
        }
    }

    void group(TopicFilter filter, int part, long queueId) {
        queue(queueId).facts.put("group", filter + " part " + part);
    }

    void inbound(Inbound inbound, boolean taken) {
        Queue queue = queues.get(inbound.queueId);
        if (queue != null) {
            queue.facts.put(
                    "inbound " + inbound.packetId,
                    inbound.ingressServer + "/" + inbound.ingressCounter + " " + taken);
        }
    }

    /** Every target has it; the mark that says so is under way to the disk. */
    void mark(Inbound inbound) {
        marked.add(inbound.ingressServer + "/" + inbound.ingressCounter);
    }

    /** A store may have written such a mark before the commit that it came with. */
    void takeMarks(Facts told) {
        queues.forEach((queueId, queue) -> {
            Queue there = told.queues.get(queueId);
            if (there != null) {
                queue.facts.replaceAll((key, value) -> {
                    String ingress = value.split(" ", 2)[0];
                    String taken = ingress + " true";
                    return key.startsWith("inbound")
                                    && marked.contains(ingress)
                                    && taken.equals(there.facts.get(key))
                            ? taken
                            : value;
                });
            }
        });
    }

    void removeInbound(Inbound inbound) {
        Queue queue = queues.get(inbound.queueId);
        if (queue != null) {
            queue.facts.remove("inbound " + inbound.packetId);
        }
    }

    void entry(QueuedMessage message) {
        queue(message.queueId).entries.put(message.messageId, new Entry(message, false));
    }

    void remember(Remembered each) {
        put(each.queueId, each.clock, each.ingressCounter);
    }

    private void remembered(long queueId, KeptIngress each) {
        put(queueId, each.id().clock(), each.ingress().counter());
    }

    private void put(long queueId, long clock, long ingressCounter) {
        queue(queueId).facts.put("remembered " + clock, "" + ingressCounter);
    }

    void forget(Remembered each) {
        Queue queue = queues.get(each.queueId);
        if (queue != null) {
            queue.facts.remove("remembered " + each.clock);
        }
    }

    void inFlight(long queueId, long messageId) {
        Queue queue = queues.get(queueId);
        Entry entry = queue == null ? null : queue.entries.get(messageId);
        if (entry != null) {
            entry.inFlight = true;
        }
    }

    void inFlightTo(long queueId, long messageId, int packetId, Receiver to) {
        inFlight(queueId, messageId);
    }

    void idleAgain(long queueId, long messageId) {
        Queue queue = queues.get(queueId);
        Entry entry = queue == null ? null : queue.entries.get(messageId);
        if (entry != null) {
            entry.inFlight = false;
        }
    }

    void marker(long queueId, long messageId) {
        Queue queue = queues.get(queueId);
        if (queue != null) {
            queue.entries.put(messageId, new Entry(null, true));
        }
    }

    /** The store was told that an entry goes; until that is durable it stays. */
    void removalTold(long queueId, long messageId) {
        Queue queue = queues.get(queueId);
        Entry entry = queue == null ? null : queue.entries.get(messageId);
        if (entry != null) {
            entry.isRemovalTold = true;
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

    void told(
            TopicFilter filter,
            int part,
            QueueDepth depth,
            List<KeptInFlight> inFlight,
            List<KeptIngress> remembered) {
        group(filter, part, depth.queueId());
        remembered.forEach(each -> remembered(depth.queueId(), each));
        told(depth.queueId(), depth);
    }

    void told(List<KeptIngress> ofRetained) {
        ofRetained.forEach(each -> remembered(0, each));
    }

    void told(KeptSession session) {
        long queueId = session.record().queueId();
        session(session.clientId(), session.record());
        session.subscriptions().forEach(s -> subscription(queueId, s));
        session.inbound().forEach(each -> inbound(each, each.taken));
        session.remembered().forEach(each -> remembered(queueId, each));
        told(queueId, session.queue());
    }

    private void told(long queueId, QueueDepth depth) {
        if (depth != null) {
            queue(queueId).idle = depth.idle();
            queue(queueId).inFlight = depth.inFlight();
        }
    }

    // ---------------------------------------------------------------- comparing

    /** QoS 2 PUBLISHes that not every target has got, as far as the store knows. */
    String untaken() {
        StringBuilder text = new StringBuilder();
        queues.forEach((queueId, queue) ->
                queue.facts.forEach((key, value) -> {
                    if (key.startsWith("inbound") && value.endsWith("false")) {
                        text.append(key).append(", ingress ").append(value).append(", of ");
                        text.append(queue.facts.get("session")).append("; ");
                    }
                }));
        return text.toString();
    }

    void started() {
        marked.clear();
        queues.values().forEach(queue -> queue.entries.values().forEach(e -> e.earlier = true));
    }

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
            String depth = mine.differs(other);
            if (!depth.isEmpty()) {
                text.append("depth").append(of).append(depth).append("; ");
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
