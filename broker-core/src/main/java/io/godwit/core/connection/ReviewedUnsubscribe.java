package io.godwit.core.connection;

import io.godwit.core.auth.Subject;
import io.godwit.core.codec.ProtocolViolation;
import io.godwit.core.index.SubscribeContext;
import io.godwit.core.index.Subscriber;
import io.godwit.core.index.UnsubscribeRequest;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.review.Reviewer;
import io.godwit.core.review.UnsubscribeOutcome;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** An UNSUBSCRIBE that a reviewer sees: nothing behind it is decoded until it is answered. */
final class ReviewedUnsubscribe {
    /** Bytes of memory that a waiting filter takes beside its text. */
    private static final int FILTER_BYTES = 60;

    private final SubscribeContext context;
    private final ReviewedSubscribe.Asking connection;
    private final Subscriber session;
    private final Packet.Unsubscribe asked;
    private final long heldBytes;
    private boolean isAnswered;

    ReviewedUnsubscribe(
            SubscribeContext context,
            ReviewedSubscribe.Asking connection,
            Subscriber session,
            Packet.Unsubscribe asked) {
        this.context = context;
        this.connection = connection;
        this.session = session;
        this.asked = asked;
        long bytes = 0;
        for (TopicFilter each : asked.filters()) {
            bytes += FILTER_BYTES + each.length();
        }
        this.heldBytes = bytes;
    }

    void begin(Reviewer reviewer, Subject client) {
        context.load().held(heldBytes);
        try {
            reviewer.unsubscribe(
                    client,
                    connection.version(),
                    asked,
                    outcome -> context.shard().execute(() -> onOutcome(outcome)));
        } catch (RuntimeException e) {
            context.shard().execute(() -> onOutcome(new UnsubscribeOutcome.Failed()));
        }
    }

    private void onOutcome(@Nullable UnsubscribeOutcome outcome) {
        if (isAnswered) {
            return;
        }
        isAnswered = true;
        context.load().held(-heldBytes);
        if (connection.isClosed()) {
            return;
        }
        try {
            decide(outcome);
        } catch (ProtocolViolation violation) {
            connection.refuseFor(violation);
        }
        connection.subscribeReviewed();
    }

    private void decide(@Nullable UnsubscribeOutcome outcome) {
        switch (outcome) {
            case UnsubscribeOutcome.Go go
                    when go.unsubscribe().filters().size() == asked.filters().size() ->
                    UnsubscribeRequest.begin(
                            context,
                            connection,
                            session,
                            new Packet.Unsubscribe(
                                    asked.packetId(),
                                    go.unsubscribe().filters(),
                                    asked.properties()));
            case UnsubscribeOutcome.Go go -> refuse(ReasonCode.IMPLEMENTATION_SPECIFIC_ERROR);
            case UnsubscribeOutcome.Dropped dropped -> sendCodes(ReasonCode.SUCCESS);
            case UnsubscribeOutcome.Refused refused -> refuse(refused.reason());
            case UnsubscribeOutcome.Failed failed ->
                    refuse(ReasonCode.IMPLEMENTATION_SPECIFIC_ERROR);
            case null -> refuse(ReasonCode.IMPLEMENTATION_SPECIFIC_ERROR);
        }
    }

    private void refuse(ReasonCode reason) {
        if (connection.version().isV5()) {
            sendCodes(reason);
        } else {
            connection.close(reason, "an UNSUBSCRIBE was refused by an extension", true);
        }
    }

    private void sendCodes(ReasonCode reason) {
        byte[] codes = new byte[connection.version().isV5() ? asked.filters().size() : 0];
        Arrays.fill(codes, (byte) reason.code());
        connection.send(new Packet.UnsubAck(asked.packetId(), codes, Properties.NONE));
    }
}
