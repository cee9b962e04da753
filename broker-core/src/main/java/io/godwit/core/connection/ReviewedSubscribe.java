package io.godwit.core.connection;

import io.godwit.core.auth.Subject;
import io.godwit.core.codec.ProtocolViolation;
import io.godwit.core.codec.TopicCheck;
import io.godwit.core.index.SubscribeContext;
import io.godwit.core.index.SubscribeRequest;
import io.godwit.core.index.Subscriber;
import io.godwit.core.index.SubscriberLink;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.Property;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.review.Reviewer;
import io.godwit.core.review.SubscribeOutcome;
import io.godwit.core.review.SubscribeOutcome.Decision;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A SUBSCRIBE that a reviewer sees: nothing behind it is decoded until it is answered. */
final class ReviewedSubscribe {
    /** Bytes of memory that a waiting filter takes beside its text. */
    private static final int FILTER_BYTES = 100;

    private static final int FILTER_BYTES_MAX = 65_535;
    private static final int ID_MAX = 268_435_455;

    private final SubscribeContext context;
    private final Asking connection;
    private final Subscriber session;
    private final Packet.Subscribe asked;
    private final long heldBytes;
    private boolean isAnswered;

    /** The connection of the client. */
    interface Asking extends SubscriberLink {
        /** Goes on with what is behind the SUBSCRIBE or UNSUBSCRIBE. */
        void subscribeReviewed();

        /** Ends the connection for what the packet asks for. */
        void refuseFor(ProtocolViolation violation);
    }

    ReviewedSubscribe(
            SubscribeContext context,
            Asking connection,
            Subscriber session,
            Packet.Subscribe asked) {
        this.context = context;
        this.connection = connection;
        this.session = session;
        this.asked = asked;
        long bytes = 0;
        for (Packet.Subscription each : asked.subscriptions()) {
            bytes += FILTER_BYTES + each.filter().length();
        }
        this.heldBytes = bytes;
    }

    void begin(Reviewer reviewer, Subject client) {
        context.load().reviewed(heldBytes);
        try {
            reviewer.subscribe(
                    client,
                    connection.version(),
                    asked,
                    outcome -> context.shard().execute(() -> onOutcome(outcome)));
        } catch (RuntimeException e) {
            context.shard().execute(() -> onOutcome(new SubscribeOutcome.Failed()));
        }
    }

    private void onOutcome(@Nullable SubscribeOutcome outcome) {
        if (isAnswered) {
            return;
        }
        isAnswered = true;
        context.load().reviewed(-heldBytes);
        if (connection.isClosed()) {
            return;
        }
        try {
            decide(outcome == null ? new SubscribeOutcome.Failed() : outcome);
        } catch (ProtocolViolation violation) {
            connection.refuseFor(violation);
        }
        connection.subscribeReviewed();
    }

    private void decide(SubscribeOutcome outcome) {
        switch (outcome) {
            case SubscribeOutcome.Go go -> {
                Packet.Subscribe made = go.subscribe();
                if (go.decisions().size() == asked.subscriptions().size()
                        && (made == asked || isSound(made))) {
                    goOn(made, go.decisions());
                } else {
                    fail();
                }
            }
            case SubscribeOutcome.Dropped dropped -> sendGranted();
            case SubscribeOutcome.Refused refused -> refuseAll(refused.reason());
            case SubscribeOutcome.Failed failed -> fail();
        }
    }

    private void goOn(Packet.Subscribe made, List<Decision> decisions) {
        SubscribeRequest.begin(
                context,
                connection,
                session,
                new Packet.Subscribe(
                        asked.packetId(),
                        made.subscriptions(),
                        asked.filtersBeyond(),
                        made.properties()),
                decisions);
    }

    private void refuseAll(ReasonCode reason) {
        int count = asked.subscriptions().size();
        goOn(asked, new ArrayList<>(Collections.nCopies(count, new Decision.MayNot(reason))));
    }

    private void fail() {
        if (connection.version() == ProtocolVersion.MQTT_3_1) {
            connection.close(
                    ReasonCode.IMPLEMENTATION_SPECIFIC_ERROR,
                    "an extension did not answer about a SUBSCRIBE",
                    true);
        } else {
            refuseAll(ReasonCode.IMPLEMENTATION_SPECIFIC_ERROR);
        }
    }

    /** Whether what a reviewer has made is a SUBSCRIBE that the client could have sent. */
    private boolean isSound(Packet.Subscribe made) {
        long id = made.properties().number(Property.SUBSCRIPTION_IDENTIFIER, 0);
        boolean mayHaveId = context.mqtt().subscriptionIdentifiers() && connection.version().isV5();
        boolean isSound =
                made.subscriptions().size() == asked.subscriptions().size()
                        && id >= 0
                        && id <= (mayHaveId ? ID_MAX : 0);
        for (Packet.Subscription each : made.subscriptions()) {
            byte[] filter = each.filter().bytes();
            isSound &=
                    filter.length <= FILTER_BYTES_MAX
                            && TopicCheck.isTopicFilter(filter)
                            && each.qos() >= 0
                            && each.qos() <= 2
                            && each.retainHandling() >= 0
                            && each.retainHandling() <= 2
                            && !(each.noLocal() && each.filter().isShared())
                            && (context.mqtt().sharedSubscriptions() || !each.filter().isShared())
                            && (context.mqtt().wildcardSubscriptions()
                                    || !each.filter().hasWildcard());
        }
        return isSound;
    }

    /** Grants what was asked for, and subscribes to nothing. */
    private void sendGranted() {
        int kept = asked.subscriptions().size();
        byte[] codes = new byte[kept + asked.filtersBeyond()];
        for (int i = 0; i < codes.length; i++) {
            codes[i] =
                    (byte)
                            (i < kept
                                    ? Math.min(
                                            asked.subscriptions().get(i).qos(),
                                            context.mqtt().maximumQos())
                                    : connection.version().isV5()
                                            ? ReasonCode.QUOTA_EXCEEDED.code()
                                            : ReasonCode.UNSPECIFIED_ERROR.code());
        }
        connection.send(new Packet.SubAck(asked.packetId(), codes, Properties.NONE));
    }
}
