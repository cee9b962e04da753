package io.godwit.core.index;

import io.godwit.core.auth.Access;
import io.godwit.core.codec.LegalReasons;
import io.godwit.core.codec.ProtocolViolation;
import io.godwit.core.message.KnownBefore;
import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.Property;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.review.SubscribeOutcome.Decision;
import io.godwit.core.routing.Subscription;
import io.godwit.core.routing.TopicIndex;
import io.godwit.core.shard.Shard;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A SUBSCRIBE: what is granted of it, and the way to the topic index. */
public final class SubscribeRequest extends FilterRequest {
    private final SubscribeContext context;
    private final Subscriber session;
    private final List<Packet.Subscription> asked;
    private final int[] ids;
    private final byte[] codes;
    private final SubscribeMail.Pending pending;

    /** Holds the reviewer's decision for each filter; null: the client's rules decide. */
    private final @Nullable List<Decision> decisions;

    /** What had come before the filters of a step, once that was looked at. */
    private @Nullable KnownBefore before;

    private boolean hasLooked;

    private SubscribeRequest(
            SubscribeContext context,
            SubscriberLink connection,
            Subscriber session,
            Packet.Subscribe subscribe,
            @Nullable List<Decision> decisions) {
        super(connection, subscribe.subscriptions().size(), filterBytes(subscribe.subscriptions()));
        this.context = context;
        this.session = session;
        this.decisions = decisions;
        this.asked = subscribe.subscriptions();
        long id = subscribe.properties().number(Property.SUBSCRIPTION_IDENTIFIER, 0);
        this.ids = id > 0 ? new int[] {(int) id} : new int[0];
        this.codes = new byte[asked.size() + subscribe.filtersBeyond()];
        this.pending =
                new SubscribeMail.Pending(
                        context, session, connection, subscribe.packetId(), codes);
        refuseBeyond(subscribe.filtersBeyond());
    }

    /** Refuses the filters that were not kept, the last ones of the packet. */
    private void refuseBeyond(int count) {
        if (count == 0) {
            return;
        }
        boolean v5 = connection.version().isV5();
        ReasonCode refusal = v5 ? ReasonCode.QUOTA_EXCEEDED : ReasonCode.UNSPECIFIED_ERROR;
        Arrays.fill(codes, asked.size(), codes.length, (byte) refusal.code());
        context.shard().counters().add(Metric.SUBSCRIBES_REFUSED, connection.version(), count);
        pending.why =
                Properties.builder()
                        .add(
                                Property.REASON_STRING,
                                "the last "
                                        + count
                                        + " filters: one SUBSCRIBE may have "
                                        + asked.size()
                                        + " (limits.subscribe-filters)")
                        .build();
    }

    private static long filterBytes(List<Packet.Subscription> asked) {
        long bytes = 0;
        for (Packet.Subscription each : asked) {
            bytes += each.filter().bytes().length;
        }
        return bytes;
    }

    /** Takes up a SUBSCRIBE. */
    public static void begin(
            SubscribeContext context,
            SubscriberLink connection,
            Subscriber session,
            Packet.Subscribe subscribe) {
        begin(context, connection, session, subscribe, null);
    }

    /**
     * Takes up a SUBSCRIBE that was reviewed.
     *
     * @param decisions one for each filter; null: it was not reviewed
     */
    public static void begin(
            SubscribeContext context,
            SubscriberLink connection,
            Subscriber session,
            Packet.Subscribe subscribe,
            @Nullable List<Decision> decisions) {
        if (subscribe.properties().number(Property.SUBSCRIPTION_IDENTIFIER, 0) > 0
                && !context.mqtt().subscriptionIdentifiers()) {
            throw new ProtocolViolation(
                    ReasonCode.SUBSCRIPTION_IDENTIFIERS_NOT_SUPPORTED,
                    "Subscription Identifiers are not offered");
        }
        if (connection.version().isV5()) {
            checkOffered(context, connection, subscribe);
        }
        connection.awaitAnswer();
        context.requests()
                .begin(new SubscribeRequest(context, connection, session, subscribe, decisions));
    }

    /**
     * Before anything is granted: CONNACK said what is not offered, and to ask for it all the same
     * is a Protocol Error (3.2.2.3.11 and .13).
     */
    private static void checkOffered(
            SubscribeContext context, SubscriberLink connection, Packet.Subscribe subscribe) {
        if (context.mqtt().sharedSubscriptions() && context.mqtt().wildcardSubscriptions()) {
            return;
        }
        for (Packet.Subscription asked : subscribe.subscriptions()) {
            ReasonCode refusal = Subscribing.notOffered(context, asked.filter());
            if (refusal != null) {
                context.shard()
                        .counters()
                        .increment(Metric.SUBSCRIBES_REFUSED, connection.version());
                throw new ProtocolViolation(refusal, asked.filter() + " is not offered");
            }
        }
    }

    @Override
    void step(int from, int to) {
        Shard shard = context.shard();
        List<SubscribeMail.Granted> granted = new ArrayList<>(to - from);
        hasLooked = false;
        for (int i = from; i < to; i++) {
            Packet.Subscription each = asked.get(i);
            ReasonCode refusal = refusal(each, decisions == null ? null : decisions.get(i));
            if (refusal == null && !takeDiskReserve(each.filter())) {
                shard.counters().increment(Metric.REFUSED_DISK_ALARM);
                refusal = ReasonCode.QUOTA_EXCEEDED;
            }
            if (refusal == null) {
                codes[i] = (byte) Math.min(each.qos(), context.mqtt().maximumQos());
                granted.add(grant(each, codes[i]));
                shard.counters().increment(Metric.SUBSCRIBES, connection.version());
            } else {
                codes[i] = (byte) refused(each, refusal);
            }
        }
        pending.awaits(granted);
        shard.send(
                TopicIndex.OWNER,
                new SubscribeMail(context.index().get(), pending, granted, shard.index()));
    }

    /** Says why a filter is refused; null: it is not. What the checks refuse stays refused. */
    private @Nullable ReasonCode refusal(Packet.Subscription each, @Nullable Decision decision) {
        Access access = connection.access();
        if (decision instanceof Decision.May may) {
            access = may.permission().of(access);
        } else if (decision instanceof Decision.MayNot) {
            access = Access.NOTHING;
        }
        ReasonCode refusal =
                Subscribing.refusal(context, access, session, each.filter(), each.qos(), ids);
        return refusal == ReasonCode.NOT_AUTHORIZED && decision instanceof Decision.MayNot no
                ? LegalReasons.ofRefusal(PacketType.SUBACK, no.reason())
                : refusal;
    }

    /** Takes what a new filter of a durable session writes from the reserve of the disk alarm. */
    private boolean takeDiskReserve(TopicFilter filter) {
        return !session.isDurable()
                || session.subscriptions().get(filter) != null
                || context.load().takeDiskReserveForSubscription(filter.length());
    }

    private SubscribeMail.Granted grant(Packet.Subscription each, int qos) {
        Subscription former = session.subscriptions().get(each.filter());
        Subscription granted =
                Subscription.of(
                        session,
                        each.filter(),
                        qos,
                        each.noLocal(),
                        each.retainAsPublished(),
                        ids,
                        former == null ? cameBefore(each.filter()) : former.knownBefore());
        boolean isNew = former == null;
        session.subscriptions().put(granted);
        boolean replay =
                !each.filter().isShared()
                        && (each.retainHandling() == 0 || each.retainHandling() == 1 && isNew);
        return new SubscribeMail.Granted(granted, isNew, replay);
    }

    /** What was here already when this was asked for. */
    private @Nullable KnownBefore cameBefore(TopicFilter filter) {
        if (!session.isDurable() || filter.isShared()) {
            return null;
        }
        if (!hasLooked) {
            hasLooked = true;
            before = context.younger().now();
        }
        return before;
    }

    private int refused(Packet.Subscription each, ReasonCode refusal) {
        context.shard().counters().increment(Metric.SUBSCRIBES_REFUSED, connection.version());
        if (pending.why.isEmpty()) {
            pending.why = Subscribing.why(each.filter(), refusal);
        }
        return connection.version().isV5() ? refusal.code() : ReasonCode.UNSPECIFIED_ERROR.code();
    }

    @Override
    void end() {
        pending.done();
    }
}
