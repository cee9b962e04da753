package io.godwit.cluster.replication;

import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.ByteWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * How the copies of one leader compare with what it has.
 *
 * @param copies that each queue is to have, the leader's included; 1: there is nothing to compare
 * @param setsMissing copy sets that have fewer whole copies
 * @param followers the nodes that have copies
 * @param failure why nothing was compared; empty: it was
 */
public record LeaderVerdict(
        int copies, int setsMissing, List<FollowerVerdict> followers, String failure) {
    /** Differing slots that are named. */
    static final int NAMED_MAX = 10;

    public LeaderVerdict {
        followers = List.copyOf(followers);
    }

    /**
     * How one follower's copy compares.
     *
     * @param server id of the follower
     * @param sets copy sets compared
     * @param queues of these, at the leader
     * @param slotsDiffering how many slots differ
     * @param first the first of these
     * @param reason why it was not compared; empty: it was
     */
    public record FollowerVerdict(
            int server,
            int sets,
            long queues,
            int slotsDiffering,
            List<Difference> first,
            String reason) {
        public FollowerVerdict {
            first = List.copyOf(first);
        }

        static FollowerVerdict notCompared(int server, String reason) {
            return new FollowerVerdict(server, 0, 0, 0, List.of(), reason);
        }

        /** Whether the copy was compared. */
        public boolean isCompared() {
            return reason.isEmpty();
        }
    }

    /**
     * A slot in which a copy differs.
     *
     * @param slot of the client ids; {@link io.godwit.core.packet.ClientId#SLOTS}: the queues of
     *     shared groups
     * @param led queues at the leader
     * @param copied queues in the copy
     */
    public record Difference(int slot, int led, int copied) {}

    static LeaderVerdict none() {
        return new LeaderVerdict(1, 0, List.of(), "");
    }

    static LeaderVerdict failed(int copies, String failure) {
        return new LeaderVerdict(copies, 0, List.of(), failure);
    }

    /** Whether some copy differs. */
    boolean differs() {
        return followers.stream().anyMatch(each -> each.slotsDiffering > 0);
    }

    byte[] toBytes() {
        ByteWriter to = new ByteWriter(256);
        to.varint(copies).varint(setsMissing).sized(bytes(failure)).varint(followers.size());
        for (FollowerVerdict each : followers) {
            to.server3(each.server).varint(each.sets).varint(each.queues);
            to.varint(each.slotsDiffering).sized(bytes(each.reason)).varint(each.first.size());
            for (Difference of : each.first) {
                to.varint(of.slot).varint(of.led).varint(of.copied);
            }
        }
        return to.toBytes();
    }

    /**
     * @throws IndexOutOfBoundsException when it can't be read
     */
    static LeaderVerdict read(ByteReader in) {
        int copies = in.smallInt();
        int setsMissing = in.smallInt();
        String failure = text(in);
        List<FollowerVerdict> followers = new ArrayList<>();
        for (int left = in.size(); left > 0; left--) {
            int server = in.server3();
            int sets = in.smallInt();
            long queues = in.varint();
            int slotsDiffering = in.smallInt();
            String reason = text(in);
            List<Difference> first = new ArrayList<>();
            for (int more = in.size(); more > 0; more--) {
                first.add(new Difference(in.smallInt(), in.smallInt(), in.smallInt()));
            }
            followers.add(new FollowerVerdict(server, sets, queues, slotsDiffering, first, reason));
        }
        return new LeaderVerdict(copies, setsMissing, followers, failure);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String text(ByteReader in) {
        return new String(in.sized(), StandardCharsets.UTF_8);
    }
}
