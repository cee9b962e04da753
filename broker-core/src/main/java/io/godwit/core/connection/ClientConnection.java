package io.godwit.core.connection;

import io.godwit.core.auth.Subject;
import io.godwit.core.codec.ProtocolViolation;
import io.godwit.core.index.SubscribeRequest;
import io.godwit.core.index.UnsubscribeRequest;
import io.godwit.core.load.ShardLoad;
import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.Property;
import io.godwit.core.packet.PublishFrame;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.publish.PublisherLink;
import io.godwit.core.publish.Publishing;
import io.godwit.core.review.ClientEvents;
import io.godwit.core.review.Reviewer;
import io.godwit.core.session.Session;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * One connection of a client, from its first byte to its last: what its packets mean. It belongs to
 * one shard for its whole life, of which {@link ConnectionLife} has the states.
 */
public final class ClientConnection extends ConnectionLife
        implements PublisherLink, ReviewedSubscribe.Asking {
    /** SUBSCRIBEs and UNSUBSCRIBEs that may be under way to the topic index. */
    private static final int UNANSWERED_MAX = 100;

    private short unanswered;

    /** Whether a SUBSCRIBE or UNSUBSCRIBE is in work: decoded, granted or refused. */
    private boolean subscribing;

    /** Whether a SUBSCRIBE or UNSUBSCRIBE waits for its review. */
    private boolean isReviewed;

    /** Whether the client has acknowledged something, and what waits for room may go. */
    private boolean acknowledged;

    public ClientConnection(ConnectionContext context, Wire wire) {
        super(context, wire);
    }

    // ---------------------------------------------------------------- what is read

    @Override
    public boolean wantsMore() {
        return switch (state) {
            case AWAIT_CONNECT -> true;
            case CONNECTING -> awaitsAuth;
            case CLOSED -> false;
            case CONNECTED ->
                    unanswered < UNANSWERED_MAX
                            && !subscribing
                            && !isReviewed
                            && (publishing == null || isSkipping() || !publishing.isPaused());
        };
    }

    /**
     * Whether a PUBLISH may be decoded. During the disk alarm none is, and during any alarm not the
     * first of a connection, unless the alarm may wait for acknowledgements behind it: then it is
     * decoded and parked.
     */
    @Override
    public boolean wantsPublish() {
        if (isSkipping()) {
            return false;
        }
        ShardLoad load = context.load();
        return !load.isAlarm()
                || state != State.CONNECTED
                || publishing != null && !load.isDiskAlarm()
                || connectedSession().inFlightCount() > 0;
    }

    /** Whether something has to end before all that the client sends is read and routed. */
    @Override
    public boolean isWaiting() {
        return state != State.CLOSED
                && (isReadingStopped()
                        || publishing != null
                                && (!publishing.isIdle()
                                        || publishing.awaitsReviewer()
                                        || publishing.isRefusedUntold()));
    }

    // ---------------------------------------------------------------- packets

    @Override
    public void onPublish(PublishFrame frame) {
        shard.counters().increment(Metric.PACKETS_RECEIVED, version);
        ConnectionLog.came(wire, frame.topic, frame.qos, frame.packetId, frame.payloadLength);
        Publishing publisher = publishing;
        if (publisher == null) {
            publisher = new Publishing(this, connectedSession(), context.publishing());
            publishing = publisher;
        }
        publisher.onPublish(frame);
    }

    @Override
    public boolean wantsAckProperties() {
        return context.reviews().packets() != null;
    }

    @Override
    public void onAck(PacketType type, int packetId, int reasonCode) {
        onAck(type, packetId, reasonCode, Properties.NONE);
    }

    @Override
    public void onAck(PacketType type, int packetId, int reasonCode, Properties properties) {
        shard.counters().increment(Metric.PACKETS_RECEIVED, version);
        ConnectionLog.came(wire, type, packetId);
        Session mine = connectedSession();
        if (sees(type, false)) {
            tell(ack(type, packetId, reasonCode, properties));
        }
        switch (type) {
            case PUBACK -> {
                if (mine.onPubAck(packetId)) {
                    acknowledged = true;
                } else {
                    ConnectionLog.strayAck(wire, type, packetId);
                }
            }
            case PUBREC -> {
                if (mine.onPubRec(packetId, reasonCode)) {
                    acknowledged = true;
                } else if (reasonCode < 0x80) {
                    sendAck(
                            PacketType.PUBREL,
                            packetId,
                            ReasonCode.PACKET_IDENTIFIER_NOT_FOUND.code());
                }
            }
            case PUBREL -> {
                boolean known = mine.removeInboundQos2(packetId);
                if (publishing != null) {
                    publishing.onPubRel(known);
                }
                if (known && mine.isDurable()) {
                    // With PUBCOMP the id is free: after a crash what comes under it must not be
                    // taken for this message.
                    shard.afterCommit(mine.copySet(), isKept -> onReleaseKept(packetId, isKept));
                    return;
                }
                sendAck(
                        PacketType.PUBCOMP,
                        packetId,
                        known ? 0 : ReasonCode.PACKET_IDENTIFIER_NOT_FOUND.code());
            }
            case PUBCOMP -> {
                if (mine.onPubComp(packetId)) {
                    acknowledged = true;
                } else {
                    ConnectionLog.strayAck(wire, type, packetId);
                }
            }
            default -> throw new IllegalStateException(type.toString());
        }
    }

    /** Once for all acknowledgements that came together: most of the time nothing waits. */
    @Override
    void onDecoded() {
        if (acknowledged) {
            acknowledged = false;
            Session mine = session;
            if (mine != null) {
                mine.pump();
            }
        }
    }

    private void onReleaseKept(int packetId, boolean isKept) {
        if (isKept) {
            sendAck(PacketType.PUBCOMP, packetId, 0);
        } else {
            close(ReasonCode.IMPLEMENTATION_SPECIFIC_ERROR, "the store failed", true);
        }
    }

    @Override
    public void onPacket(Packet packet) {
        shard.counters().increment(Metric.PACKETS_RECEIVED, inbound.version);
        ConnectionLog.came(wire, packet);
        if (state == State.CONNECTING
                && !(packet instanceof Packet.Auth)
                && !(packet instanceof Packet.Disconnect)) {
            throw unexpected(packet);
        }
        switch (packet) {
            case Packet.Connect connect -> begin(connect);
            case Packet.Subscribe subscribe -> onSubscribe(subscribe);
            case Packet.Unsubscribe unsubscribe -> onUnsubscribe(unsubscribe);
            case Packet.PingReq ping -> onPingReq(ping);
            case Packet.Disconnect disconnect -> onDisconnect(disconnect);
            case Packet.Auth auth -> onAuth(auth);
            case Packet.ConnAck p -> throw unexpected(p);
            case Packet.Publish p -> throw unexpected(p);
            case Packet.Ack p -> throw unexpected(p);
            case Packet.SubAck p -> throw unexpected(p);
            case Packet.UnsubAck p -> throw unexpected(p);
            case Packet.PingResp p -> throw unexpected(p);
        }
    }

    private static ProtocolViolation unexpected(Packet packet) {
        return new ProtocolViolation(ReasonCode.PROTOCOL_ERROR, packet.type() + " not now");
    }

    private void onSubscribe(Packet.Subscribe subscribe) {
        Reviewer reviewer = context.reviews().reviewer();
        if (reviewer == null || !reviewer.seesSubscribes(subject())) {
            SubscribeRequest.begin(context.subscribing(), this, connectedSession(), subscribe);
            return;
        }
        isReviewed = true;
        new ReviewedSubscribe(context.subscribing(), this, connectedSession(), subscribe)
                .begin(reviewer, subject());
    }

    private void onUnsubscribe(Packet.Unsubscribe unsubscribe) {
        Reviewer reviewer = context.reviews().reviewer();
        if (reviewer == null || !reviewer.seesUnsubscribes(subject())) {
            UnsubscribeRequest.begin(context.subscribing(), this, connectedSession(), unsubscribe);
            return;
        }
        isReviewed = true;
        new ReviewedUnsubscribe(context.subscribing(), this, connectedSession(), unsubscribe)
                .begin(reviewer, subject());
    }

    @Override
    public void subscribeReviewed() {
        isReviewed = false;
        resumeDecoding();
    }

    @Override
    public void refuseFor(ProtocolViolation violation) {
        onViolation(violation);
    }

    @Override
    boolean awaitsReview() {
        return isReviewed;
    }

    private void onPingReq(Packet.PingReq ping) {
        if (state == State.CONNECTED && sees(PacketType.PINGREQ, false)) {
            tell(ping);
        }
        send(Packet.PingResp.INSTANCE);
    }

    private void onDisconnect(Packet.Disconnect disconnect) {
        if (state == State.CONNECTING) {
            closeQuietly(false);
            return;
        }
        Session mine = connectedSession();
        long expiry = disconnect.properties().number(Property.SESSION_EXPIRY_INTERVAL, -1);
        if (expiry >= 0) {
            if (mine.life().expirySeconds() == 0 && expiry > 0) {
                throw new ProtocolViolation(
                        ReasonCode.PROTOCOL_ERROR,
                        "DISCONNECT raises a Session Expiry Interval of 0");
            }
            mine.life().expiry(Math.min(expiry, context.mqtt().sessionExpiryMaximum()));
        }
        ConnectionLog.ended(mine, wire, disconnect.reason());
        ended(ClientEvents.Cause.CLIENT, disconnect.reason());
        Subject seen = sees(PacketType.DISCONNECT, false) ? subject() : null;
        leave(disconnect.reason() != ReasonCode.SUCCESS);
        if (seen != null) {
            LongConsumer expiryLater = mine.life().expiryWhileOffline();
            reviewed()
                    .add(
                            seen,
                            version,
                            disconnect,
                            false,
                            made -> onDisconnectReviewed(disconnect, made, expiryLater));
        }
    }

    /** Sets another session expiry: for all else the DISCONNECT has counted when it came. */
    private void onDisconnectReviewed(
            Packet.Disconnect disconnect, @Nullable Packet made, LongConsumer expiryLater) {
        if (made instanceof Packet.Disconnect it && it != disconnect) {
            long expiry = it.properties().number(Property.SESSION_EXPIRY_INTERVAL, -1);
            if (expiry >= 0) {
                expiryLater.accept(Math.min(expiry, context.mqtt().sessionExpiryMaximum()));
            }
        }
    }

    private void onAuth(Packet.Auth auth) {
        awaitsAuth = false;
        AuthExchange running = authentication;
        if (running == null) {
            throw new ProtocolViolation(
                    ReasonCode.PROTOCOL_ERROR, "AUTH without an Authentication Method in CONNECT");
        }
        if (sees(PacketType.AUTH, false)) {
            reviewed()
                    .add(
                            reviewedClient(),
                            version,
                            auth,
                            false,
                            made -> onAuthReviewed(running, made));
        } else {
            running.onAuth(auth);
        }
    }

    private void onAuthReviewed(AuthExchange running, @Nullable Packet made) {
        if (isClosed()) {
            return;
        }
        if (!(made instanceof Packet.Auth auth)) {
            onAuthUnreviewed();
            return;
        }
        try {
            running.onAuth(auth);
        } catch (ProtocolViolation violation) {
            onViolation(violation);
        }
    }

    // ---------------------------------------------------------------- what the rest asks

    @Override
    void onReadyToSend() {
        Session mine = session;
        if (mine != null) {
            mine.pump();
        }
        if (isReadingStopped()) {
            checkReading();
        }
    }

    @Override
    public void onReceiptDone() {
        if (publishing != null && state == State.CONNECTED) {
            publishing.sendAcks();
            if (isReadingStopped()) { // Whether to stop is looked at with each read.
                checkReading();
            }
        }
    }

    @Override
    public void feedsFull(BooleanSupplier isFull) {
        if (publishing != null && state == State.CONNECTED) {
            publishing.feedsElsewhere(isFull);
            checkReading();
        }
    }

    /** Counts a SUBSCRIBE or UNSUBSCRIBE that is under way to the topic index. */
    @Override
    public void awaitAnswer() {
        unanswered++;
    }

    /** Counts down: a SUBSCRIBE or UNSUBSCRIBE was answered by the topic index. */
    @Override
    public void answered() {
        if (unanswered-- == UNANSWERED_MAX) {
            resumeDecoding();
        }
    }

    @Override
    void onFiltersLeft() {
        context.filterDecoding().goOn(this);
    }

    @Override
    public void subscribing(boolean inWork) {
        subscribing = inWork;
        if (!inWork) {
            resumeDecoding();
        }
    }

    /** Bytes read and not decoded, or decoded and not routed. */
    @Override
    public long heldBytes() {
        return undecodedBytes() + (publishing == null ? 0 : publishing.heldBytes());
    }

    @Override
    void onReadingStopped() {
        context.paused().add(this);
    }

    @Override
    boolean isPublisherToWait() {
        return publishing != null && publishing.mustWait();
    }

    @Override
    public void watch() {
        context.paused().add(this);
    }
}
