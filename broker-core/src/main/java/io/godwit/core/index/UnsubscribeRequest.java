package io.godwit.core.index;

import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.routing.Subscription;
import io.godwit.core.routing.TopicIndex;
import io.godwit.core.shard.Shard;
import java.util.ArrayList;
import java.util.List;

/** An UNSUBSCRIBE: what is removed, and the way to the topic index. */
public final class UnsubscribeRequest extends FilterRequest {
    private final SubscribeContext context;
    private final Subscriber session;
    private final List<TopicFilter> filters;
    private final byte[] codes;
    private final UnsubscribeMail.Pending pending;

    private UnsubscribeRequest(
            SubscribeContext context,
            SubscriberLink connection,
            Subscriber session,
            Packet.Unsubscribe unsubscribe) {
        super(connection, unsubscribe.filters().size(), filterBytes(unsubscribe.filters()));
        this.context = context;
        this.session = session;
        this.filters = unsubscribe.filters();
        this.codes = new byte[filters.size()];
        this.pending =
                new UnsubscribeMail.Pending(
                        context,
                        session,
                        connection,
                        unsubscribe.packetId(),
                        connection.version().isV5() ? codes : new byte[0]);
    }

    private static long filterBytes(List<TopicFilter> filters) {
        long bytes = 0;
        for (TopicFilter each : filters) {
            bytes += each.bytes().length;
        }
        return bytes;
    }

    /** Takes up an UNSUBSCRIBE. */
    public static void begin(
            SubscribeContext context,
            SubscriberLink connection,
            Subscriber session,
            Packet.Unsubscribe unsubscribe) {
        connection.awaitAnswer();
        context.requests().begin(new UnsubscribeRequest(context, connection, session, unsubscribe));
    }

    @Override
    void step(int from, int to) {
        Shard shard = context.shard();
        List<Subscription> removed = new ArrayList<>(to - from);
        for (int i = from; i < to; i++) {
            Subscription was = session.subscriptions().remove(filters.get(i));
            if (was != null) {
                removed.add(was);
                shard.counters().increment(Metric.UNSUBSCRIBES, connection.version());
            } else {
                codes[i] = (byte) ReasonCode.NO_SUBSCRIPTION_EXISTED.code();
                if (pending.why.isEmpty()) {
                    pending.why =
                            Subscribing.why(filters.get(i), ReasonCode.NO_SUBSCRIPTION_EXISTED);
                }
            }
        }
        pending.awaitsStep();
        shard.send(
                TopicIndex.OWNER,
                new UnsubscribeMail(context.index().get(), session, removed, pending::done, false));
    }

    @Override
    void end() {
        pending.done();
    }
}
