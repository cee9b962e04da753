package io.godwit.cluster.remote;

import io.godwit.cluster.transport.NodeStart;
import io.godwit.cluster.transport.Resumed;
import io.godwit.core.auth.Identity;
import io.godwit.core.auth.Peer;
import io.godwit.core.auth.PeerTls;
import io.godwit.core.connection.AuthenticatedConnect;
import io.godwit.core.connection.Wire;
import io.godwit.core.connection.WireListener;
import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.ByteWriter;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.simulation.CountedBuffers;
import io.godwit.core.simulation.Scheduler;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.helpers.MessageFormatter;

/** One start of a simulated node with some shards. */
final class SimNode {
    /** CONNECTs as far as the simulation needs them. */
    static final ConnectFormat FORMAT =
            new ConnectFormat() {
                @Override
                public void write(AuthenticatedConnect connect, ByteWriter to) {
                    to.sized(connect.clientId().bytes().clone());
                    to.u8(connect.connect().version().isV5() ? 1 : 0);
                }

                @Override
                public AuthenticatedConnect read(ByteReader from) {
                    return connect(new ClientId(from.sized()), from.u8() == 1);
                }
            };

    /** Accepts connections. */
    interface Accepting {
        WireListener accept(SimNode node, AuthenticatedConnect connect, Wire wire);
    }

    final NodeStart start;
    final List<SimShard> shards = new ArrayList<>();
    final BitSet notLed = new BitSet();

    /** What has come by the last link from each start that brought anything. */
    final Map<NodeStart, Resumed> formers = new HashMap<>();

    /** Makes the buffers that its connections encode into. */
    final CountedBuffers buffers = new CountedBuffers();

    private final Consumer<Met> meeting;
    private final RemoteNode remote;
    boolean isDead;

    /** Connections closed because of an internal error, and the lines of the log about them. */
    int faults;

    final List<String> errors = new ArrayList<>();

    SimNode(
            Scheduler scheduler,
            NodeStart start,
            int shardCount,
            long peerTimeoutMs,
            Accepting accepting,
            Consumer<Met> meeting) {
        this.start = start;
        this.meeting = meeting;
        List<RemoteChannels> edges = new ArrayList<>();
        List<RemoteConnections> leaders = new ArrayList<>();
        for (int i = 0; i < shardCount; i++) {
            SimShard shard = new SimShard(scheduler);
            shards.add(shard);
            ChannelContext context =
                    new ChannelContext(
                            i,
                            shardCount,
                            shard,
                            shard,
                            shard,
                            FORMAT,
                            new ChannelCounters(),
                            buffers::heapBuffer,
                            peerTimeoutMs);
            edges.add(new RemoteChannels(context));
            leaders.add(new RemoteConnections(context, acceptor(accepting), log()));
        }
        remote = new RemoteNode(edges, leaders, (shard, task) -> shards.get(shard).execute(task));
    }

    private Logger log() {
        return (Logger)
                Proxy.newProxyInstance(
                        Logger.class.getClassLoader(),
                        new Class<?>[] {Logger.class},
                        (proxy, method, arguments) -> {
                            if (!method.getName().equals("error")) {
                                throw new AssertionError(method);
                            }
                            Object[] values = (Object[]) arguments[1];
                            errors.add(
                                    MessageFormatter.arrayFormat((String) arguments[0], values)
                                            .getMessage());
                            return null;
                        });
    }

    private Acceptor acceptor(Accepting accepting) {
        return new Acceptor() {
            @Override
            public boolean leads(int slot) {
                return !notLed.get(slot);
            }

            @Override
            public byte[] leaderRow(int slot) {
                return Simulation.ROW;
            }

            @Override
            public WireListener accept(AuthenticatedConnect connect, Wire wire) {
                return accepting.accept(SimNode.this, connect, wire);
            }

            @Override
            public void onFault() {
                faults++;
            }
        };
    }

    RemoteNode remote() {
        return remote;
    }

    void met(Met what) {
        meeting.accept(what);
    }

    /** The shard that runs what is at the slot. */
    SimShard shardOf(int slot) {
        return shards.get(slot % shards.size());
    }

    void tick() {
        for (int i = 0; i < shards.size(); i++) {
            SimShard shard = shards.get(i);
            RemoteChannels edge = remote.edge(i);
            RemoteConnections leader = remote.leader(i);
            shard.turn(() -> {
                edge.tick(shard.nowMs());
                leader.tick(shard.nowMs());
            });
        }
    }

    void die() {
        isDead = true;
        shards.forEach(SimShard::die);
    }

    static final PeerTls TLS = new PeerTls("TLSv1.3", "b.example.org", true, "dev-1");

    static AuthenticatedConnect connect(ClientId clientId, boolean isV5) {
        Packet.Connect connect =
                new Packet.Connect(
                        isV5 ? ProtocolVersion.MQTT_5 : ProtocolVersion.MQTT_3_1_1,
                        clientId,
                        false,
                        0,
                        null,
                        null,
                        null,
                        false,
                        Properties.NONE);
        return new AuthenticatedConnect(
                connect,
                false,
                60,
                null,
                new Peer("10.0.0.1:5", false, "tcp", TLS),
                Identity.ANONYMOUS,
                9_000);
    }
}
