package io.godwit.cluster.broker;

import io.godwit.core.node.TestClient;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.packet.Will;
import io.godwit.core.settings.OverloadSettings;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** A client that connects to any node that takes connections. */
abstract class FailoverClient {
    private static final int STEP_MICROS = 200_000;

    /** A client gives a connection up that answers nothing for so long, or a little later. */
    private static final int PATIENCE_MICROS = 8_000_000;

    final FailoverSimulation run;
    final SplittableRandom random;
    final String id;
    private final boolean isDurable;
    private @Nullable TestClient client;
    private FailoverNode.@Nullable Process process;
    private int shard;
    private int seen;
    private long waitsSince;
    private long patience;
    private boolean hasSession;

    /** Whether CONNACK has come on this connection. */
    boolean isConnected;

    FailoverClient(FailoverSimulation run, String id, boolean isDurable) {
        this.run = run;
        this.random = run.random.split();
        this.id = id;
        this.isDurable = isDurable;
    }

    /** Acts from now on. */
    void begin() {
        run.scheduler.background(
                random.nextInt(STEP_MICROS),
                () -> {
                    step();
                    begin();
                });
    }

    private void step() {
        FailoverNode.Process at = process;
        if (at == null) {
            connect();
        } else if (at.isOver()) {
            lost();
        } else if (!at.isPaused()) {
            at.onShard(shard, this::inside);
        }
        if (process != null && (isImpatient() || run.isTroubled && random.nextInt(150) == 0)) {
            leave();
        }
    }

    private boolean isImpatient() {
        return (!isConnected || isWaiting()) && run.scheduler.micros() - waitsSince > patience;
    }

    private void inside() {
        see();
        TestClient to = client;
        if (to != null && isConnected) {
            act(to);
        }
    }

    /** Has something come, or is nothing awaited: the client's patience begins anew. */
    private void isPatient() {
        waitsSince = run.scheduler.micros();
        patience = PATIENCE_MICROS / 2L + random.nextInt(PATIENCE_MICROS);
    }

    private void connect() {
        List<FailoverNode> open = run.open();
        if (open.isEmpty() || random.nextInt(3) == 0) {
            return;
        }
        FailoverNode to = choose(open);
        if (to == null) {
            return;
        }
        FailoverNode.Process at = to.running();
        process = at;
        shard = random.nextInt(FailoverNode.SHARDS);
        seen = 0;
        isConnected = false;
        isPatient();
        run.note("%s connects at %s", id, to.server);
        at.onShard(
                shard,
                () -> {
                    TestClient made =
                            TestClient.open(
                                    at.shard(shard),
                                    OverloadSettings.DEFAULTS,
                                    ProtocolVersion.MQTT_5);
                    client = made;
                    made.connect(id, !isDurable, isDurable ? 100_000 : 0, 0, will());
                });
    }

    /** Returns the node that it connects to next; null: to none now. */
    @Nullable FailoverNode choose(List<FailoverNode> open) {
        return open.get(random.nextInt(open.size()));
    }

    /** Closes its socket; its node notices when it runs. */
    void leave() {
        FailoverNode.Process at = process;
        TestClient from = client;
        int on = shard;
        if (at != null && from != null) {
            run.note("%s leaves", id);
            at.later(random.nextInt(5_000), () -> at.onShard(on, from::cut));
        }
        lost();
    }

    private void lost() {
        if (process != null) {
            onLost(isConnected);
            process = null;
            client = null;
            isConnected = false;
        }
    }

    private void see() {
        TestClient from = client;
        if (from == null) {
            return;
        }
        List<Packet> packets = from.packets();
        if (seen < packets.size()) {
            isPatient();
        }
        for (; client == from && seen < packets.size(); seen++) {
            Packet packet = packets.get(seen);
            if (packet instanceof Packet.ConnAck connAck) {
                onConnAck(from, connAck);
            } else if (packet instanceof Packet.Disconnect disconnect) {
                run.note("%s is disconnected: %s", id, disconnect.reason());
                run.count("disconnected");
                lost();
            } else {
                onPacket(from, packet);
            }
        }
        if (client == from && from.isClosed()) {
            run.note("%s is closed", id);
            lost();
        }
        if (client == from && isConnected && !isWaiting()) {
            isPatient();
        }
    }

    private void onConnAck(TestClient from, Packet.ConnAck connAck) {
        run.note("%s gets CONNACK %s %s", id, connAck.code(), connAck.sessionPresent());
        if (connAck.code() != 0) {
            run.count("refused");
            // A node that slept sends a CONNECT late: the leader is busy for one so old.
            require(
                    connAck.code() == ReasonCode.SERVER_UNAVAILABLE.code()
                            || connAck.code() == ReasonCode.SERVER_BUSY.code() && run.hasSlept(),
                    "is refused");
            lost();
            return;
        }
        run.count("connected");
        require(connAck.sessionPresent() || !hasSession, "has no session any more");
        hasSession = isDurable;
        isConnected = true;
        onConnected(from);
    }

    /** Returns the Will of the next connection. */
    @Nullable Will will() {
        return null;
    }

    /** Returns the last message that it may have missed by its node; 0: none. */
    int missedUpTo() {
        FailoverNode.Process at = process;
        run.lookAtDropped();
        return at == null ? 0 : at.node().missedUpTo();
    }

    /** Whether its node hears all others. */
    final boolean nodeHearsAll() {
        FailoverNode.Process at = process;
        return at != null && at.hearsAll();
    }

    /** Whether it waits for something from its node. */
    abstract boolean isWaiting();

    abstract void onConnected(TestClient to);

    /** The connection has ended; whether it had a CONNACK. */
    abstract void onLost(boolean wasConnected);

    abstract void onPacket(TestClient from, Packet packet);

    /** Does something now and then, while it is connected. */
    abstract void act(TestClient to);

    void require(boolean holds, String what) {
        if (!holds) {
            throw new IllegalStateException(id + ": " + what);
        }
    }
}
