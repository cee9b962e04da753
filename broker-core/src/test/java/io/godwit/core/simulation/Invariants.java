package io.godwit.core.simulation;

import io.godwit.core.connection.ClientConnection;
import io.godwit.core.connection.ConnectionProbe;
import io.godwit.core.node.BrokerShard;
import io.godwit.core.node.SessionProbe;
import io.godwit.core.packet.ClientId;
import io.godwit.core.session.Session;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.HashMap;
import java.util.Map;

/** What holds after every step, when all is quiet, and when everyone has left. */
final class Invariants {
    private final SimulatedNode node;
    private final Map<ClientId, Session> owners = new HashMap<>();

    Invariants(SimulatedNode node) {
        this.node = node;
    }

    private void check(boolean holds, String message, Object... of) {
        node.checker().check(holds, message, of);
    }

    /** The generation of the session that this client id has now; 0 = none. */
    long generationOf(SimulatedClient client) {
        long[] found = new long[1];
        for (int i = 0; i < node.shards(); i++) {
            SessionProbe.forEach(
                    node.shard(i),
                    session -> {
                        if (session.clientId().equals(client.id)) {
                            found[0] = session.generation();
                        }
                    });
        }
        return found[0];
    }

    void afterStep() {
        owners.clear();
        for (int i = 0; i < node.shards(); i++) {
            sums(node.shard(i));
        }
        long again = againBytes();
        long counted = 0;
        for (int i = 0; i < node.shards(); i++) {
            counted +=
                    node.shard(i).load().queues().queuedBytes()
                            + node.shard(i).load().queues().inFlightBytes();
        }
        check(
                again == 0 || again > 0 && again < counted,
                "%s bytes are counted again, of %s",
                again,
                counted);
    }

    /** What queues count that others count as well. */
    private long againBytes() {
        long sum = 0;
        for (int i = 0; i < node.shards(); i++) {
            sum += node.shard(i).load().queues().againBytes();
        }
        return sum;
    }

    private void sums(BrokerShard shard) {
        long[] sum = new long[7];
        SessionProbe.forEach(
                shard,
                session -> {
                    sum[0]++;
                    sum[1] += SessionProbe.idleCount(session);
                    sum[2] += SessionProbe.idleBytes(session);
                    sum[3] += SessionProbe.subscriptionCount(session);
                    sum[4] += SessionProbe.isOnline(session) ? 1 : 0;
                    sum[5] += SessionProbe.keptMessages(session);
                    sum[6] += SessionProbe.keptBytes(session);
                    Session other = owners.put(session.clientId(), session);
                    check(other == null, "%s has two sessions", session.clientId());
                    check(
                            session.owner() == shard.index(),
                            "%s is listed by shard %s and owned by %s",
                            session.clientId(),
                            shard.index(),
                            session.owner());
                    ClientConnection connection = SessionProbe.connection(session);
                    check(
                            connection == null
                                    || node.broker().stopping
                                    || SessionProbe.sessionOf(connection) == session,
                            "%s is online with a connection that is not its own",
                            session.clientId());
                    if (connection != null && node.broker().loops[shard.index()].isIdle()) {
                        checkNotStalled(session, connection);
                    }
                });
        long[] ofGroups = new long[4];
        SessionProbe.addGroups(shard, ofGroups);
        sum[1] += ofGroups[0];
        sum[2] += ofGroups[1];
        sum[5] += ofGroups[2];
        sum[6] += ofGroups[3];
        check(sum[0] == shard.load().sessions(), "sessions gauge of %s", shard.index());
        check(sum[0] == shard.load().sessions(), "session count of %s", shard.index());
        check(sum[3] == shard.load().subscriptions(), "subscriptions gauge of %s", shard.index());
        check(
                sum[4] == shard.load().onlineSessions(),
                "online gauge of shard %s is %s, not %s",
                shard.index(),
                shard.load().onlineSessions(),
                sum[4]);
        check(
                sum[1] <= shard.load().queues().queuedMessages()
                        && sum[2] <= shard.load().queues().queuedBytes(),
                "queued gauge of shard %s is %s messages, %s bytes; queued are %s, %s",
                shard.index(),
                shard.load().queues().queuedMessages(),
                shard.load().queues().queuedBytes(),
                sum[1],
                sum[2]);
        check(
                sum[5] == shard.load().queues().keptMessages()
                        && sum[6] == shard.load().queues().keptBytes(),
                "kept gauge of shard %s is %s messages, %s bytes; kept are %s, %s",
                shard.index(),
                shard.load().queues().keptMessages(),
                shard.load().queues().keptBytes(),
                sum[5],
                sum[6]);
        check(shard.load().heldBytes() >= 0, "held bytes of shard %s", shard.index());
        check(shard.mailboxDepth() >= 0, "mailbox depth of shard %s", shard.index());
    }

    /**
     * A session that has something to send, room in its window and a writable connection is never
     * idle.
     */
    private void checkNotStalled(Session session, ClientConnection connection) {
        String stalled = SessionProbe.stalled(session);
        check(
                stalled.isEmpty() || ((Link) ConnectionProbe.wire(connection)).tellsWritable(),
                "STALLED: %s for %s, with room for them",
                stalled,
                session.clientId());
    }

    /** Everyone is connected and has read everything. */
    void whenQuiet() {
        String untaken = node.watch().untaken();
        check(untaken.isEmpty(), "STUCK: not taken are %s", untaken);
        check(againBytes() == 0, "%s bytes are counted again, of none", againBytes());
        for (int i = 0; i < node.shards(); i++) {
            BrokerShard shard = node.shard(i);
            check(shard.mailboxDepth() == 0, "mail of shard %s is left", i);
            check(
                    shard.load().queues().queuedMessages() == 0
                            && shard.load().queues().queuedBytes() == 0,
                    "shard %s still has %s messages queued, %s bytes",
                    i,
                    shard.load().queues().queuedMessages(),
                    shard.load().queues().queuedBytes());
            check(
                    shard.load().queues().inFlightBytes() == 0,
                    "shard %s has %s bytes in flight",
                    i,
                    shard.load().queues().inFlightBytes());
            check(
                    shard.load().queues().rememberedBytes() == 0,
                    "shard %s has %s bytes of ingress ids",
                    i,
                    shard.load().queues().rememberedBytes());
            SessionProbe.forEach(
                    shard,
                    session -> {
                        check(
                                SessionProbe.inFlightCount(session) == 0,
                                "STUCK: %s messages in flight to %s: %s",
                                SessionProbe.inFlightCount(session),
                                session.clientId(),
                                SessionProbe.inFlight(session));
                        check(
                                !SessionProbe.isHandedOver(session),
                                "STUCK: the hand-over of %s",
                                session.clientId());
                    });
        }
    }

    /** Everyone has left. */
    void atEnd() {
        for (int i = 0; i < node.shards(); i++) {
            BrokerShard shard = node.shard(i);
            check(shard.load().connections() == 0, "LEAK: connections of shard %s", i);
            check(shard.load().sessions() == 0, "LEAK: sessions of shard %s", i);
            check(shard.load().onlineSessions() == 0, "LEAK: online sessions of shard %s", i);
            check(shard.load().subscriptions() == 0, "LEAK: subscriptions of shard %s", i);
            check(
                    shard.load().queues().queuedMessages() == 0
                            && shard.load().queues().queuedBytes() == 0,
                    "LEAK: queued messages of shard %s",
                    i);
            check(
                    shard.load().heldBytes() == 0,
                    "LEAK: %s held bytes of shard %s",
                    shard.load().heldBytes(),
                    i);
            check(SessionProbe.registered(shard) == 0, "LEAK: registrar of shard %s", i);
        }
        check(
                SessionProbe.indexed(node.shard(0)) == 0,
                "LEAK: %s in the topic index",
                SessionProbe.indexed(node.shard(0)));
        check(againBytes() == 0, "LEAK: %s bytes that are counted again", againBytes());
        long allocated = node.broker().allocator.metric().usedHeapMemory();
        check(allocated == 0, "LEAK: %s bytes of buffers", allocated);
    }

    /**
     * Checks at the end the buffers that all nodes of a run have in common: none is held any more.
     */
    void atEnd(long heldBefore) {
        long held = UnpooledByteBufAllocator.DEFAULT.metric().usedHeapMemory() - heldBefore;
        check(held == 0, "LEAK: %s bytes of unpooled buffers", held);
    }
}
