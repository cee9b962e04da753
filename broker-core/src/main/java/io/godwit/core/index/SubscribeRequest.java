package io.godwit.core.index;

import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.Property;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.routing.Subscription;
import io.godwit.core.routing.TopicIndex;
import io.godwit.core.shard.Shard;
import java.util.ArrayList;
import java.util.List;

/** A SUBSCRIBE: what is granted of it, and the way to the topic index. */
final class SubscribeRequest extends FilterRequest {
    private final SubscribeContext context;
    private final Subscriber session;
    private final List<Packet.Subscription> asked;
    private final int[] ids;
    private final byte[] codes;
    private final SubscribeMail.Pending pending;

    SubscribeRequest(
            SubscribeContext context,
            SubscriberLink connection,
            Subscriber session,
            Packet.Subscribe subscribe) {
        super(connection, subscribe.subscriptions().size());
        this.context = context;
        this.session = session;
        this.asked = subscribe.subscriptions();
        long id = subscribe.properties().number(Property.SUBSCRIPTION_IDENTIFIER, 0);
        this.ids = id > 0 ? new int[] {(int) id} : new int[0];
        this.codes = new byte[asked.size()];
        this.pending =
                new SubscribeMail.Pending(
                        context, session, connection, subscribe.packetId(), codes);
    }

    @Override
    void step(int from, int to) {
        Shard shard = context.shard();
        List<SubscribeMail.Wanted> wanted = new ArrayList<>(to - from);
        for (int i = from; i < to; i++) {
            Packet.Subscription each = asked.get(i);
            ReasonCode refusal = Subscribing.refusal(context, session, each.filter());
            if (refusal == null) {
                codes[i] = (byte) Math.min(each.qos(), context.mqtt().maximumQos());
                wanted.add(grant(each, codes[i]));
                shard.counters().increment(Metric.SUBSCRIBES, connection.version());
            } else {
                codes[i] = (byte) refused(each, refusal);
            }
        }
        pending.awaits(wanted);
        shard.send(
                TopicIndex.OWNER,
                new SubscribeMail(context.index().get(), pending, wanted, shard.index()));
    }

    private SubscribeMail.Wanted grant(Packet.Subscription each, int qos) {
        Subscription granted =
                new Subscription(
                        session,
                        each.filter(),
                        qos,
                        each.noLocal(),
                        each.retainAsPublished(),
                        ids);
        boolean isNew = session.subscriptions().get(each.filter()) == null;
        session.subscriptions().put(granted);
        boolean replay =
                !each.filter().isShared()
                        && (each.retainHandling() == 0 || each.retainHandling() == 1 && isNew);
        return new SubscribeMail.Wanted(granted, isNew, replay);
    }

    private int refused(Packet.Subscription each, ReasonCode refusal) {
        context.shard().counters().increment(Metric.SUBSCRIBES_REFUSED, connection.version());
        if (pending.why.isEmpty()) {
            pending.why = Subscribing.why(each.filter(), refusal);
        }
        return connection.version().isV5()
                ? refusal.code()
                : ReasonCode.UNSPECIFIED_ERROR.code();
    }

    @Override
    void end() {
        pending.done();
    }
}
