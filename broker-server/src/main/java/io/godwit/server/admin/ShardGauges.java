package io.godwit.server.admin;

import io.godwit.core.node.BrokerShard;
import io.godwit.server.SystemTime;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.function.ToDoubleFunction;

/** What {@code /metrics} shows of each shard by itself, with the tag {@code shard}. */
final class ShardGauges {
    private static final double NANOS_PER_SECOND = 1e9;

    private ShardGauges() {}

    static void bind(MeterRegistry to, BrokerShard shard) {
        shard(
                to,
                shard,
                "sessions",
                "Sessions, with and without a connection.",
                s -> s.load().sessions());
        shard(
                to,
                shard,
                "sessions.connected",
                "Sessions whose client is connected.",
                s -> s.load().onlineSessions());
        shard(
                to,
                shard,
                "subscriptions",
                "Subscriptions of all sessions.",
                s -> s.load().subscriptions());
        shard(
                to,
                shard,
                "queued.messages",
                "Messages that wait in memory in the queues of sessions and shared subscriptions,"
                        + " without those in flight.",
                s -> s.load().queues().queuedMessages());
        shard(
                to,
                shard,
                "queued.bytes",
                "Bytes of the messages that wait in memory in the queues of sessions and shared"
                        + " subscriptions, without those in flight.",
                s -> s.load().queues().queuedBytes());
        shard(
                to,
                shard,
                "durable.queued.messages",
                "Messages that wait in the queues of durable sessions, in memory or on disk.",
                s -> s.load().queues().keptMessages());
        shard(
                to,
                shard,
                "durable.queued.bytes",
                "Bytes of the messages that wait in the queues of durable sessions, in memory or on"
                        + " disk.",
                s -> s.load().queues().keptBytes());
        shard(
                to,
                shard,
                "partial.bytes",
                "Bytes of packets that have arrived in part, or wait because their client is not read.",
                s -> s.load().heldBytes());
        shard(
                to,
                shard,
                "retained.messages",
                "Retained messages; one shard holds them all.",
                s -> s.load().retainedMessages());
        shard(
                to,
                shard,
                "retained.bytes",
                "Bytes of the retained messages.",
                s -> s.load().retainedBytes());
        shard(
                to,
                shard,
                "mailbox.messages",
                "Messages on their way to this shard from others.",
                BrokerShard::mailboxDepth);
        shard(
                to,
                shard,
                "mailbox.bytes",
                "Bytes of the messages on their way to this shard from others.",
                BrokerShard::mailboxBytes);
        shard(
                to,
                shard,
                "inflight.bytes",
                "Bytes of QoS 1/2 messages sent and not acknowledged yet.",
                s -> s.load().queues().inFlightBytes());
        shard(
                to,
                shard,
                "group.queued.bytes",
                "Bytes of the messages that wait in the queues of shared subscriptions, in memory or"
                        + " on disk.",
                s -> s.load().groupBytes());
        shard(
                to,
                shard,
                "parked.bytes",
                "Bytes of PUBLISH packets that are parked until an alarm ends.",
                s -> s.load().parkedBytes());
        turns(to, shard);
    }

    private static void turns(MeterRegistry to, BrokerShard shard) {
        shard(
                to,
                shard,
                "loop.turn.longest.seconds",
                "The longest turn of the shard's event loop since the start.",
                s -> s.turns().longestNanos() / NANOS_PER_SECOND);
        shard(
                to,
                shard,
                "loop.turn.recent.seconds",
                "The longest turn of the shard's event loop in the last 30 to 60 seconds.",
                s -> s.turns().recentNanos() / NANOS_PER_SECOND);
        counter(
                to,
                shard,
                "loop.turns.long",
                "Turns of the shard's event loop of more than 5 ms, garbage collections and waiting for"
                        + " a processor included.",
                s -> s.turns().longTurns());
        shard(
                to,
                shard,
                "loop.turn.ends.most",
                "The most connections that were flushed at the end of one turn of the shard's event"
                        + " loop since the start.",
                s -> s.turns().endsMost());
        if (Boolean.getBoolean(SystemTime.TURN_CPU)) {
            counter(
                    to,
                    shard,
                    "loop.turns.long.cpu",
                    "Turns of the shard's event loop in which its thread had a processor for more than"
                            + " 5 ms.",
                    s -> s.turns().longCpuTurns());
            shard(
                    to,
                    shard,
                    "loop.turn.longest.cpu.seconds",
                    "The longest time for which the shard's thread had a processor in one turn of its event"
                            + " loop.",
                    s -> s.turns().longestCpuNanos() / NANOS_PER_SECOND);
        }
    }

    private static void counter(
            MeterRegistry to,
            BrokerShard shard,
            String name,
            String meaning,
            ToDoubleFunction<BrokerShard> value) {
        FunctionCounter.builder(MetricsPage.PREFIX + name, shard, value)
                .description(meaning)
                .tag("shard", Integer.toString(shard.index()))
                .register(to);
    }

    private static void shard(
            MeterRegistry to,
            BrokerShard shard,
            String name,
            String meaning,
            ToDoubleFunction<BrokerShard> value) {
        Gauge.builder(MetricsPage.PREFIX + name, shard, value)
                .description(meaning)
                .tag("shard", Integer.toString(shard.index()))
                .register(to);
    }
}
