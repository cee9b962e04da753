package io.godwit.core.connection;

import io.godwit.core.auth.Subject;
import io.godwit.core.codec.PacketEncoder;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.review.PacketOutcome;
import io.godwit.core.review.PacketReviewer;
import io.godwit.core.review.Reviews;
import io.godwit.core.shard.Shard;
import java.util.ArrayDeque;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The packets of one connection that a reviewer sees, and those that must not overtake them, in
 * their order: one lane for both directions. The reviewer is asked about the first one; when that
 * is answered, the next one comes.
 */
final class ReviewedPackets {
    /** Bytes that an entry takes in memory beside its packet. */
    private static final int ITEM_BYTES = 100;

    private final Shard shard;
    private final Reviews reviews;
    private final ArrayDeque<Item> waiting = new ArrayDeque<>();
    private long bytes;

    /** Whether the reviewer's answer is waited for. */
    private boolean isAsked;

    /** Counts the questions: an answer counts for its own one. */
    private int questions;

    private boolean isGoingOn;

    /**
     * @param then takes what the reviewer has made; null: there is no answer
     */
    private record Item(
            Subject client,
            ProtocolVersion version,
            Packet packet,
            int length,
            boolean isOut,
            Consumer<@Nullable Packet> then) {}

    ReviewedPackets(Shard shard, Reviews reviews) {
        this.shard = shard;
        this.reviews = reviews;
    }

    /** Whether nothing is under review, so that nothing has to wait. */
    boolean isEmpty() {
        return !isAsked && waiting.isEmpty();
    }

    /** Bytes that all that waits takes in memory. */
    long bytes() {
        return bytes;
    }

    /**
     * Adds a packet.
     *
     * @param isOut whether the broker sends it
     * @param then takes it in its turn, as the reviewer has made it; null: there is no answer
     */
    void add(
            Subject client,
            ProtocolVersion version,
            Packet packet,
            boolean isOut,
            Consumer<@Nullable Packet> then) {
        int length = ITEM_BYTES + PacketEncoder.encodedLength(packet, version);
        waiting.add(new Item(client, version, packet, length, isOut, then));
        bytes += length;
        goOn();
    }

    /** Forgets those that would go out, since the connection has ended; the rest is shown. */
    void forgetOutgoing() {
        waiting.removeIf(Item::isOut);
        bytes = 0;
        for (Item each : waiting) {
            bytes += each.length;
        }
    }

    private void goOn() {
        if (isGoingOn) {
            return;
        }
        isGoingOn = true;
        try {
            while (!isAsked && !waiting.isEmpty()) {
                Item item = waiting.remove();
                bytes -= item.length;
                begin(item);
            }
        } finally {
            isGoingOn = false;
        }
    }

    private void begin(Item item) {
        PacketReviewer reviewer = reviews.packets();
        if (reviewer == null || !reviewer.sees(item.client, item.packet.type(), item.isOut)) {
            item.then.accept(item.packet);
            return;
        }
        isAsked = true;
        int question = ++questions;
        try {
            reviewer.review(
                    item.client,
                    item.version,
                    item.packet,
                    item.isOut,
                    outcome -> shard.execute(() -> onOutcome(item, question, outcome)));
        } catch (RuntimeException e) {
            shard.execute(() -> onOutcome(item, question, null));
        }
    }

    private void onOutcome(Item item, int question, @Nullable PacketOutcome outcome) {
        if (!isAsked || question != questions) {
            return; // A second answer, or nobody waits for it any more.
        }
        isAsked = false;
        item.then.accept(outcome instanceof PacketOutcome.Go go ? go.packet() : null);
        goOn();
    }
}
