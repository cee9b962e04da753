package io.godwit.chaos;

import io.godwit.conformance.wire.Bytes;
import io.godwit.conformance.wire.Frame;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;

/** What a client receives, and its half of the session state for that. */
final class Inbound {
    private static final int HOARD = 15;
    private static final long HOARD_MS = 300;
    private static final int SLOW_MS = 60;

    private record Ack(byte[] packet, long dueMs) {}

    private static final Happening[] RECEIVED = {
        Happening.RECEIVED_QOS0, Happening.RECEIVED_QOS1, Happening.RECEIVED_QOS2
    };

    private final Client client;
    private final Target target;
    private final Habits.Acking acking;
    private final SplittableRandom random;

    /** QoS 2 packet ids whose PUBREL has not come. */
    private final Map<Integer, Mark> unreleased = new HashMap<>();

    private final Map<Integer, Mark> unreleasedBefore = new HashMap<>();
    private final ArrayDeque<Ack> acks = new ArrayDeque<>();
    private long lastDueMs;
    private boolean prompt;

    Inbound(Client client, Target target, Habits.Acking acking, SplittableRandom random) {
        this.client = client;
        this.target = target;
        this.acking = acking;
        this.random = random;
    }

    void onPublish(Frame.Publish publish, long nowMs) {
        Mark mark = Mark.parse(publish.payload());
        int packetId = publish.packetId();
        if (mark == null || !mark.topic().equals(publish.topic())) {
            client.broken("a PUBLISH to " + publish.topic() + " that nobody sent: " + mark);
            return;
        }
        client.note(publish.dup() ? "gets again" : "gets", mark, packetId);
        if (publish.qos() == 2 && unreleased.containsKey(packetId)) {
            onKnownId(packetId, mark, publish.dup());
        } else {
            countAgain(mark, publish.dup());
            target.received(client.name(), mark, publish.qos(), publish.dup(), packetId);
            client.scene().tally().count(RECEIVED[publish.qos()]);
        }
        if (publish.qos() == 2) {
            unreleased.put(packetId, mark);
            answer(0x50, packetId, nowMs);
        } else if (publish.qos() == 1) {
            answer(0x40, packetId, nowMs);
        }
    }

    private void onKnownId(int packetId, Mark mark, boolean dup) {
        Mark before = unreleased.get(packetId);
        if (!mark.equals(before)) {
            client.scene()
                    .checker()
                    .report(
                            Violation.Kind.PACKET_ID,
                            client.name(),
                            mark,
                            mark + " came with id " + packetId + ", which " + before + " has");
        } else if (!dup || unreleasedBefore.remove(packetId) == null) {
            client.broken(mark + " came again " + (dup ? "on one connection" : "without DUP"));
        } else {
            client.scene().tally().count(Happening.RESUMED_AT_PUBREC_SENT);
        }
    }

    private void countAgain(Mark mark, boolean dup) {
        if (target.has(mark)) {
            client.scene()
                    .tally()
                    .count(
                            dup
                                    ? Happening.RECEIVED_AGAIN_WITH_DUP
                                    : Happening.RECEIVED_AGAIN_WITHOUT_DUP);
        }
    }

    void onPubRel(int packetId, long nowMs) {
        client.note("gets PUBREL", null, packetId);
        unreleased.remove(packetId);
        if (unreleasedBefore.remove(packetId) != null) {
            client.scene().tally().count(Happening.RESUMED_AT_PUBCOMP_AWAITED);
        }
        answer(0x70, packetId, nowMs);
    }

    private void answer(int type, int packetId, long nowMs) {
        long delayMs =
                switch (acking) {
                    case PROMPT -> 0;
                    case SLOW -> random.nextInt(SLOW_MS);
                    case HOARDING -> HOARD_MS;
                };
        lastDueMs = Math.max(lastDueMs, nowMs + (prompt ? 0 : delayMs)); // in order
        acks.add(new Ack(Bytes.packet(type, Bytes.u16(packetId)), lastDueMs));
    }

    /** Sends the acknowledgements that are due. */
    void tick(long nowMs) {
        boolean all = prompt || acks.size() >= HOARD;
        while (!acks.isEmpty() && (all || acks.peekFirst().dueMs() <= nowMs)) {
            client.send(acks.removeFirst().packet());
        }
    }

    void connectionEnded() {
        acks.clear();
        lastDueMs = 0;
        unreleasedBefore.clear();
        unreleasedBefore.putAll(unreleased);
    }

    void forget() {
        unreleased.clear();
        unreleasedBefore.clear();
    }

    /** Acknowledges everything at once from now on. */
    void hurry() {
        prompt = true;
    }

    boolean idle() {
        return unreleased.isEmpty() && acks.isEmpty();
    }

    @Override
    public String toString() {
        return "without PUBREL " + unreleased + ", without acknowledgement " + acks.size();
    }
}
