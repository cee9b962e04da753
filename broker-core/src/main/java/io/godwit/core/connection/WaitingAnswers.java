package io.godwit.core.connection;

import io.godwit.core.load.ShardLoad;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import java.util.ArrayDeque;

/**
 * Packets that wait until a large payload is out. All of them answer what the client has sent, so
 * its bound is that a client is not read while these answers and the bytes on the wire are above
 * {@link ShardLoad#answerBytesMax}.
 */
final class WaitingAnswers {
    /** Bytes that an entry of the queue takes beside those of its packet. */
    private static final int ITEM_BYTES = 64;

    private final ArrayDeque<Item> items = new ArrayDeque<>();
    private long bytes;

    /** Where these packets go when their turn comes. */
    interface To {
        void answer(PacketType type, int packetId, int reasonCode);

        void answer(Packet packet);
    }

    private sealed interface Item {}

    private record Ack(PacketType type, int packetId, int reasonCode) implements Item {}

    private record Whole(Packet packet, int length) implements Item {}

    void add(PacketType type, int packetId, int reasonCode) {
        items.add(new Ack(type, packetId, reasonCode));
        bytes += ITEM_BYTES;
    }

    /**
     * @param length bytes of the packet
     */
    void add(Packet packet, int length) {
        items.add(new Whole(packet, length));
        bytes += ITEM_BYTES + length;
    }

    /** Bytes that all of it takes in memory. */
    long bytes() {
        return bytes;
    }

    /** Sends the first packet. @return false when there is none */
    boolean sendFirst(To to) {
        switch (items.poll()) {
            case null -> {
                return false;
            }
            case Ack ack -> {
                bytes -= ITEM_BYTES;
                to.answer(ack.type(), ack.packetId(), ack.reasonCode());
            }
            case Whole whole -> {
                bytes -= ITEM_BYTES + whole.length();
                to.answer(whole.packet());
            }
        }
        return true;
    }
}
