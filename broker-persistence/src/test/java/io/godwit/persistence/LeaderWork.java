package io.godwit.persistence;

import static io.godwit.persistence.StoreFixture.queue;

import io.godwit.core.id.HybridId;
import io.godwit.core.id.SessionKey;
import io.godwit.core.message.Message;
import io.godwit.core.message.QueuedMessage;
import io.godwit.core.message.Remembered;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.routing.SessionRef;
import io.godwit.core.routing.Subscription;
import io.godwit.core.store.Inbound;
import io.godwit.core.store.Receiver;
import io.godwit.core.store.SessionRecord;
import io.godwit.persistence.StoreFixture.Entry;
import io.godwit.persistence.queue.RowNote;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Does at a leader what core may do to sessions, groups and their queues, at random. */
final class LeaderWork {
    private static final int SESSIONS = 16;
    private static final int GROUPS = 3;
    private static final String[] FILTERS = {"a", "a/#", "b/+", "c"};

    /** One queue, as its owner has it. */
    private static final class Queue {
        final long queueId;
        final String name;
        final boolean isGroup;
        final List<Entry> entries = new ArrayList<>();
        final List<Remembered> remembered = new ArrayList<>();
        final Map<Integer, Inbound> inbound = new HashMap<>();
        final List<HybridId> markers = new ArrayList<>();
        long predecessorId;

        Queue(long queueId, String name, boolean isGroup) {
            this.queueId = queueId;
            this.name = name;
            this.isGroup = isGroup;
        }
    }

    private final StoreFixture leader;
    private final int server;
    private final Random random;
    private final Queue[] queues = new Queue[SESSIONS + GROUPS];
    private final Set<Long> begunAgain = new HashSet<>();
    private int queueNumber;

    /** Whether no session or group ends. */
    boolean isEndless;

    /** Ids of everything that was ever appended. */
    final Set<HybridId> appended = new HashSet<>();

    LeaderWork(StoreFixture leader, int server, Random random) {
        this(leader, server, random, 0);
    }

    /**
     * @param lastQueue number of the last queue that there was before
     */
    LeaderWork(StoreFixture leader, int server, Random random, int lastQueue) {
        queueNumber = lastQueue;
        this.leader = leader;
        this.server = server;
        this.random = random;
        for (int i = 0; i < queues.length; i++) {
            queues[i] = begin(i);
        }
    }

    /** Ids of all queues that there are, and of some that have ended. */
    long[] queueIds() {
        return IntStream.rangeClosed(1, queueNumber).mapToLong(StoreFixture::queue).toArray();
    }

    /** Number of the last queue that was begun. */
    int lastQueue() {
        return queueNumber;
    }

    /** Whether a queue's session or group has not ended. */
    boolean isAlive(long queueId) {
        for (Queue each : queues) {
            if (each.queueId == queueId || each.predecessorId == queueId) {
                return true;
            }
        }
        return false;
    }

    /** Whether a queue's session has ended and was put again: its coverage may lack some of it. */
    boolean hasBegunAgain(long queueId) {
        return begunAgain.contains(queueId);
    }

    private Queue begin(int index) {
        long queueId = queue(++queueNumber);
        boolean isGroup = index >= SESSIONS;
        Queue made = new Queue(queueId, "c" + index, isGroup);
        if (isGroup) {
            leader.shard(0).putGroup(TopicFilter.of("$share/g" + index + "/t"), 0, queueId);
        } else {
            leader.shard(0).putSession(ClientId.of(made.name), leader.session(queueId));
        }
        return made;
    }

    /** Does one thing. */
    void step() {
        // A few queues are long.
        int index = random.nextInt(3) == 0 ? random.nextInt(3) : random.nextInt(queues.length);
        Queue queue = queues[index];
        switch (random.nextInt(20)) {
            case 0, 1, 2, 3, 4, 5 -> append(queue);
            case 6, 7, 8 -> change(queue);
            case 9, 10, 11 -> remove(queue, index);
            case 12 -> subscribe(queue);
            case 13, 14 -> inbound(queue);
            case 15 -> forget(queue);
            case 16 -> marker(queue);
            case 17 -> record(queue);
            case 18 -> removeUnread(queue);
            default -> rarely(queue, index);
        }
    }

    private void append(Queue queue) {
        int qos = 1 + random.nextInt(2);
        long expiry =
                random.nextInt(8) == 0
                        ? leader.time.wallMs() + 1_000_000 + random.nextInt(9)
                        : Message.NEVER;
        int length = random.nextInt(10) == 0 ? 6_000 : random.nextInt(300);
        Message message = leader.message("m".repeat(1 + length), qos, expiry);
        int copies = random.nextInt(6) == 0 ? 3 : 1;
        for (int i = 0; i < copies; i++) {
            Queue to = i == 0 ? queue : queues[random.nextInt(queues.length)];
            Entry entry = leader.append(0, to.queueId, message);
            to.entries.add(entry);
            appended.add(new HybridId(entry.messageId, server));
            if (qos == 2) {
                Remembered each =
                        new Remembered(
                                entry.queueId,
                                entry.messageId,
                                server,
                                message.ingressServer,
                                message.ingressCounter);
                leader.shard(0).remember(each);
                to.remembered.add(each);
            }
        }
    }

    private @Nullable Entry any(Queue queue) {
        return queue.entries.isEmpty()
                ? null
                : queue.entries.get(random.nextInt(queue.entries.size()));
    }

    private void change(Queue queue) {
        Entry entry = any(queue);
        if (entry == null || entry.message == null) {
            return;
        }
        if (queue.isGroup) {
            if (entry.packetId != 0 && random.nextInt(3) == 0) {
                entry.packetId = 0;
                leader.shard(0).idleAgain(entry);
            } else {
                entry.packetId = 1 + random.nextInt(100);
                SessionKey member = new SessionKey(queue(1), new HybridId(17, server));
                leader.shard(0).inFlightTo(entry, new Receiver(member, ClientId.of("member")));
            }
        } else if (entry.packetId == 0 || random.nextBoolean()) {
            entry.packetId = 1 + random.nextInt(100);
            leader.shard(0).inFlight(entry);
        } else if (entry.qos == 2) {
            leader.commit();
            entry.dropMessage();
            leader.shard(0).released(entry);
        }
    }

    private void remove(Queue queue, int index) {
        // The first queue grows long, but for now and then.
        int count = index == 0 && random.nextInt(30) > 0 ? 0 : 1 + random.nextInt(3);
        for (int i = 0; i < count; i++) {
            Entry entry = any(queue);
            if (entry != null) {
                leader.shard(0).remove(entry);
                queue.entries.remove(entry);
            }
        }
    }

    /** Removes a row as if a sweep had found it. */
    private void removeUnread(Queue queue) {
        Entry entry = any(queue);
        // Only what stands as an idle row may go unread.
        boolean isIdleRow =
                entry != null
                        && entry.packetId == 0
                        && entry.stored() == QueuedMessage.ROW
                        && entry.note instanceof RowNote note
                        && note.place == RowNote.IDLE;
        if (entry != null && isIdleRow) {
            leader.shard(0).removeRow(queue.queueId, entry.messageId, entry.server);
            queue.entries.remove(entry);
        }
    }

    @SuppressWarnings("NullAway") // the store never looks at the session
    private void subscribe(Queue queue) {
        SessionRef nobody = null;
        if (queue.isGroup) {
            return;
        }
        TopicFilter filter = TopicFilter.of(FILTERS[random.nextInt(FILTERS.length)]);
        if (random.nextInt(3) == 0) {
            leader.shard(0).removeSubscription(queue.queueId, filter, leader.stamp());
        } else {
            leader.shard(0)
                    .putSubscription(
                            queue.queueId,
                            new Subscription(
                                    nobody,
                                    filter,
                                    1 + random.nextInt(2),
                                    random.nextBoolean(),
                                    random.nextBoolean(),
                                    random.nextBoolean() ? new int[0] : new int[] {7}),
                            leader.stamp());
        }
    }

    private void inbound(Queue queue) {
        if (queue.isGroup) {
            return;
        }
        int packetId = 1 + random.nextInt(5);
        Inbound known = queue.inbound.get(packetId);
        if (known == null) {
            known = new Inbound(queue.queueId, packetId, 7, random.nextInt(1_000));
            queue.inbound.put(packetId, known);
            leader.shard(0).putInbound(known);
        } else if (!known.taken && random.nextBoolean()) {
            leader.shard(0).inboundTaken(known);
        } else {
            leader.shard(0).removeInbound(known);
            queue.inbound.remove(packetId);
        }
    }

    private void forget(Queue queue) {
        if (!queue.remembered.isEmpty()) {
            Remembered each = queue.remembered.remove(random.nextInt(queue.remembered.size()));
            leader.shard(0).forget(each);
        }
    }

    private void marker(Queue queue) {
        if (queue.isGroup) {
            return;
        }
        if (queue.markers.isEmpty() || random.nextBoolean()) {
            HybridId id =
                    queue.markers.isEmpty() || random.nextInt(3) > 0
                            ? leader.stamp()
                            : queue.markers.getFirst();
            leader.shard(0).putMarker(queue.queueId, id.clock(), 9, 1 + random.nextInt(9), 7, 12);
            if (!queue.markers.contains(id)) {
                queue.markers.add(id);
            }
        } else {
            HybridId id = queue.markers.remove(random.nextInt(queue.markers.size()));
            leader.shard(0).removeMarker(queue.queueId, id.clock(), 9);
        }
    }

    private void record(Queue queue) {
        if (!queue.isGroup) {
            SessionRecord record =
                    StoreFixture.record(queue.queueId, leader.stamp(), random.nextInt(2) * 17L);
            leader.shard(0).putSession(ClientId.of(queue.name), record);
        }
    }

    private void rarely(Queue queue, int index) {
        if (random.nextInt(3) > 0 || isEndless) {
            return;
        }
        if (queue.predecessorId != 0) {
            end(queue.predecessorId, queue);
            queue.predecessorId = 0;
            return;
        }
        if (random.nextInt(3) == 0) {
            // Its queue is drained before that of the session that follows it.
            queues[index] = begin(index);
            queues[index].predecessorId = queue.queueId;
            leader.shard(0).putPredecessor(queues[index].queueId, queue.queueId);
            return;
        }
        end(queue.queueId, queue);
        if (!queue.isGroup && random.nextInt(4) == 0) {
            leader.shard(0).putSession(ClientId.of(queue.name), leader.session(queue.queueId));
            if (random.nextBoolean()) {
                queues[index] = new Queue(queue.queueId, queue.name, false);
                begunAgain.add(queue.queueId);
                return;
            }
        }
        queues[index] = begin(index);
    }

    private void end(long queueId, Queue of) {
        if (of.isGroup) {
            leader.shard(0)
                    .removeGroup(TopicFilter.of("$share/" + of.name), queueId, leader.stamp());
        } else {
            leader.shard(0).removeSession(ClientId.of(of.name), queueId, leader.stamp());
        }
    }
}
