package io.godwit.cluster.transport;

import io.godwit.cluster.ClusterRules;
import io.godwit.cluster.membership.MembersFile;
import io.godwit.cluster.membership.Membership;
import io.godwit.cluster.membership.MembershipSettings;
import io.godwit.cluster.membership.Nodes;
import io.godwit.cluster.membership.NodesListener;
import io.godwit.cluster.membership.Self;
import io.godwit.core.node.SettableTime;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.function.BooleanSupplier;

/**
 * A node's links and membership without threads, in a time of its own: what it sends is kept, and
 * what it gets the test brings.
 */
final class SteppedNode implements LinkThreads, Transport, NodesListener {
    private static final long OFFSET_MAX_MS = 5_000;

    /** Where frames between the two that there are go. */
    private record Other() implements Endpoint {}

    private static final Endpoint OTHER = new Other();

    final Links links;
    final Membership membership;
    final LinkCounters counters = new LinkCounters();

    /** In order. */
    final List<byte[]> sent = new ArrayList<>();

    private final SettableTime time = new SettableTime();
    private final Queue<Runnable> tasks = new ArrayDeque<>();
    private final List<Sender> senders = new ArrayList<>();

    /**
     * @param server server id; its name is "n" and that
     * @param protocolMin the lowest version that it speaks
     * @param protocolMax the highest
     * @param members that it knows from before, as they are kept; empty for none
     */
    SteppedNode(
            int server,
            int protocolMin,
            int protocolMax,
            byte[] members,
            MessageHandler handler,
            MessageType... types) {
        Self self = new Self(new NodeStart(server, 1), server, "n" + server, "", "test");
        LinkSettings bounds = LinkSettings.DEFAULTS;
        membership =
                new Membership(
                        self,
                        new MembershipSettings(
                                "recorded",
                                OFFSET_MAX_MS,
                                bounds.peerTimeoutMs(),
                                0,
                                protocolMin,
                                protocolMax),
                        ClusterRules.ALL,
                        time,
                        new Kept(members),
                        this::execute,
                        this);
        links =
                new Links(
                        new LinkContext(
                                self.start(),
                                bounds,
                                new Handlers()
                                        .with(handler, types)
                                        .with(membership, Membership.messages()),
                                new WallNodeClock(time, OFFSET_MAX_MS),
                                counters,
                                ClusterRules.ALL),
                        this,
                        this,
                        membership,
                        new PeerListeners(List.of(membership)));
    }

    /** It hears of the other one, and says hello. */
    void findOther() {
        links.onEndpoints(Set.of(OTHER));
        settle();
    }

    /** Does all that there is to do. */
    void settle() {
        boolean isBusy = true;
        while (isBusy) {
            isBusy = false;
            for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
                task.run();
                isBusy = true;
            }
            for (Sender each : List.copyOf(senders)) {
                isBusy |= each.run();
            }
        }
    }

    /** A frame of the other one comes, a little later: hellos of one moment get one answer. */
    void onFrame(byte[] frame) {
        time.advance(1);
        links.tick(time.monotonicMs());
        onFrameAtOnce(frame);
    }

    /** The same, and no time passes. */
    void onFrameAtOnce(byte[] frame) {
        links.onFrame(OTHER, frame.clone(), 0, frame.length);
        settle();
    }

    @Override
    public void execute(Runnable task) {
        tasks.add(task);
    }

    @Override
    public Sending startSending(Endpoint to, BooleanSupplier step) {
        Sender sender = new Sender(step);
        senders.add(sender);
        return sender;
    }

    private static final class Sender implements Sending {
        private final BooleanSupplier step;
        private boolean isAwake;

        Sender(BooleanSupplier step) {
            this.step = step;
        }

        boolean run() {
            boolean was = isAwake;
            isAwake = false;
            while (was && step.getAsBoolean()) {
                // The next one.
            }
            return was;
        }

        @Override
        public void wake() {
            isAwake = true;
        }

        @Override
        public void stop() {
            isAwake = false;
        }
    }

    @Override
    public void open(TransportListener listener) {
        throw new IllegalStateException("the test brings what there is");
    }

    @Override
    public void send(Endpoint to, byte[] frame, int length) {
        sent.add(Arrays.copyOf(frame, length));
    }

    @Override
    public void close() {
        links.close();
    }

    @Override
    public void onNodes(Nodes nodes) {
        // Asked for when needed.
    }

    @Override
    public void onIntruder(String line) {
        throw new AssertionError(line);
    }

    private record Kept(byte[] members) implements MembersFile {
        @Override
        public byte[] load() {
            return members;
        }

        @Override
        public void save(byte[] now) {
            // Nobody starts again.
        }
    }
}
