package io.godwit.cluster.broker;

import io.godwit.core.node.TestClient;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.Topic;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A client that is connected when its test wants it to be: a durable member, or the publisher. */
final class HandOverClient extends FailoverClient {
    private final @Nullable HandOverSteps steps;
    private final boolean isMember;

    /** The node that it connects to while that takes connections; 0: any. */
    private final int home;

    private boolean isWanted;
    private boolean isSubscribed;
    private boolean isToPublish;

    /** By packet id, how often a message came that has no PUBREL yet. */
    private final Map<Integer, Integer> held = new TreeMap<>();

    private int received;
    private int packets;

    /** Whether its own message has its PUBCOMP. */
    boolean isDone;

    /**
     * @param steps notes what comes here; null: nothing is noted
     */
    HandOverClient(
            FailoverSimulation run,
            String id,
            boolean isMember,
            int home,
            @Nullable HandOverSteps steps) {
        super(run, id, isMember);
        this.isMember = isMember;
        this.home = home;
        this.steps = steps;
    }

    void come() {
        isWanted = true;
    }

    void go() {
        isWanted = false;
        leave();
    }

    void publish() {
        isToPublish = true;
        isWanted = true;
    }

    boolean isReady() {
        return isConnected && (isSubscribed || !isMember);
    }

    /** Counts the messages that have come to it, each once for its handshake. */
    int received() {
        return received;
    }

    /** Counts PUBLISH and PUBREL, those that came again, too. */
    int packets() {
        return packets;
    }

    /** Whether it waits for the PUBREL of a message. */
    boolean isHolding() {
        return !held.isEmpty();
    }

    @Override
    @Nullable FailoverNode choose(List<FailoverNode> open) {
        if (!isWanted) {
            return null;
        }
        return open.stream()
                .filter(each -> each.server == home)
                .findFirst()
                .orElseGet(() -> super.choose(open));
    }

    @Override
    boolean isWaiting() {
        return isMember && !isSubscribed;
    }

    @Override
    void onConnected(TestClient to) {
        if (isMember && !isSubscribed) {
            to.subscribe(1, 2, FailoverMember.FILTER);
        }
    }

    @Override
    void onLost(boolean wasConnected) {}

    @Override
    void act(TestClient to) {
        if (isToPublish) {
            isToPublish = false;
            to.send(
                    new Packet.Publish(
                            Topic.of("t/0"), 2, false, false, 1, Properties.NONE, new byte[] {1}));
        }
    }

    @Override
    void onPacket(TestClient from, Packet packet) {
        switch (packet) {
            case Packet.SubAck subAck -> isSubscribed = true;
            case Packet.Publish publish -> onPublish(from, publish);
            case Packet.Ack ack -> onAck(from, ack);
            default -> {}
        }
    }

    private void onPublish(TestClient from, Packet.Publish publish) {
        packets++;
        run.note("%s gets PUBLISH under %s", id, publish.packetId());
        if (held.merge(publish.packetId(), 1, Integer::sum) == 1) {
            received++;
        }
        note(HandOverSteps.Step.PUBLISH);
        from.ack(PacketType.PUBREC, publish.packetId());
    }

    private void onAck(TestClient from, Packet.Ack ack) {
        switch (ack.type()) {
            case PUBREC -> from.ack(PacketType.PUBREL, ack.packetId());
            case PUBCOMP -> isDone = true;
            case PUBREL -> {
                packets++;
                run.note("%s gets PUBREL under %s", id, ack.packetId());
                held.remove(ack.packetId());
                note(HandOverSteps.Step.PUBREL);
                from.ack(PacketType.PUBCOMP, ack.packetId());
            }
            default -> {}
        }
    }

    private void note(HandOverSteps.Step step) {
        if (steps != null) {
            steps.note(step);
        }
    }
}
