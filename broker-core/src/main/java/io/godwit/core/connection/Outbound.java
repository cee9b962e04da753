package io.godwit.core.connection;

import io.godwit.core.auth.Subject;
import io.godwit.core.codec.PacketEncoder;
import io.godwit.core.codec.PublishEncoder;
import io.godwit.core.message.Message;
import io.godwit.core.metrics.Delay;
import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.packet.Topic;
import io.godwit.core.publish.PublishChecks;
import io.godwit.core.queue.Outlet;
import io.godwit.core.queue.QueueEntry;
import io.godwit.core.review.DeliveryReviewer;
import io.godwit.core.review.PacketReviewer;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * The outgoing half of a connection: what is sent when. While the channel is unwritable nothing is
 * encoded: QoS 1/2 stays in the session's queue, QoS 0 waits here up to the soft limit. A large
 * payload is written piece by piece as the socket takes it, and from a copy that the shard's
 * connections share, so that it is in memory once, whatever the number of subscribers.
 */
abstract class Outbound extends TurnBuffer
        implements Outlet, WaitingAnswers.To, ReviewedDeliveries.Receiver {
    /**
     * Payloads of so many bytes are not copied for each connection: those of a shard share one
     * copy. Measured: with 50 subscribers that is cheaper from here on, and with one not dearer.
     */
    private static final int SHARED = 8 * 1024;

    /** Payloads above this many bytes are written in pieces of that size. */
    private static final int PIECE = 64 * 1024;

    final ConnectionContext context;

    /** Maximum Packet Size of the client. */
    int packetBytesMaxOut = Integer.MAX_VALUE;

    /** Whether acknowledgements say why in words: Request Problem Information. */
    boolean explains = true;

    @Nullable TopicAliases aliases;
    @Nullable WaitingQos0 waitingQos0;

    /** Made with the first PUBLISH that a reviewer sees; null before. */
    private @Nullable ReviewedDeliveries deliveries;

    private byte @Nullable [] largePayload;
    private int largeNext;
    private @Nullable WaitingAnswers waitingAnswers;

    /** Packets that a reviewer sees; null: there were none. */
    private @Nullable ReviewedPackets reviewed;

    /** False until CONNACK is out: no PUBLISH may come before it. */
    private boolean open;

    private boolean silent;

    Outbound(ConnectionContext context, Wire wire) {
        super(context.shard(), wire);
        this.context = context;
    }

    // ---------------------------------------------------------------- PUBLISH

    /** Whether a PUBLISH may be encoded now. */
    @Override
    public final boolean canSend() {
        return open && largePayload == null && wire.isWritable() && !silent;
    }

    /** Lets what waits for this client go out, now that CONNACK is out. */
    final void openForPublish() {
        open = true;
        drainQos0();
        goOnDeliveries();
    }

    @Override
    public final boolean isOpen() {
        return open && !silent;
    }

    /** Sends, lets wait or drops a QoS 0 message. */
    public final void sendQos0(Message message, boolean retain, int[] ids) {
        if (isReviewed(message.topic)) {
            reviewQos0(message, retain, ids);
        } else {
            passQos0(message, retain, ids);
        }
    }

    /** Sends, lets wait or drops a QoS 0 message that nobody reviews, or has reviewed. */
    @Override
    public final void passQos0(Message message, boolean retain, int[] ids) {
        if (canSend() && waitingQos0 == null) {
            encode(message, 0, false, retain, 0, ids);
            return;
        }
        if (!admitsQos0(message)) {
            return;
        }
        WaitingQos0 waiting = waitingQos0;
        if (waiting == null) {
            waiting = new WaitingQos0(context.load());
            waitingQos0 = waiting;
        }
        waiting.add(message, retain, ids);
        slowDown(message);
    }

    private void reviewQos0(Message message, boolean retain, int[] ids) {
        if (admitsQos0(message)) {
            ReviewedDeliveries to = deliveries();
            to.add(message, null, false, retain, ids);
            if (to.isBehind()) {
                slowDown(message);
            }
        }
    }

    /** Whether one more QoS 0 message may wait; else it is dropped. */
    private boolean admitsQos0(Message message) {
        WaitingQos0 waiting = waitingQos0;
        ReviewedDeliveries shown = deliveries;
        int count = (waiting == null ? 0 : waiting.size()) + (shown == null ? 0 : shown.qos0());
        if (silent || !WaitingQos0.admits(context.load(), qos0SoftLimit(message), count, message)) {
            shard.counters().increment(Metric.DROPPED_QOS0_SLOW, version);
            return false;
        }
        return true;
    }

    private int qos0SoftLimit(Message message) {
        return WaitingQos0.limit(context.overload().qos0SoftLimit(), message);
    }

    /** Has the publisher of a message that waits be slowed down, where that is what is done. */
    private void slowDown(Message message) {
        ClientId publisher = message.publisher;
        if (publisher != null && qos0SoftLimit(message) == 0) {
            context.slowSubscribers().slowDown(publisher, this);
        }
    }

    @Override
    public final Sending sendPublish(Message message, QueueEntry entry, boolean dup) {
        if (isReviewed(message.topic)) {
            deliveries().add(message, entry, dup, entry.retain, entry.ids);
            return Sending.REVIEWED;
        }
        return encode(message, entry.qos, dup, entry.retain, entry.packetId, entry.ids)
                ? Sending.LEFT
                : Sending.TOO_LARGE;
    }

    // ---------------------------------------------------------------- what a reviewer sees

    /** Whether a PUBLISH is shown to a reviewer, or stands behind one that is. */
    private boolean isReviewed(Topic topic) {
        ReviewedDeliveries shown = deliveries;
        if (shown != null && !shown.isEmpty()) {
            return true;
        }
        DeliveryReviewer reviewer = context.reviews().deliveries();
        return reviewer != null && reviewer.seesDelivery(reviewedClient(), topic);
    }

    private ReviewedDeliveries deliveries() {
        ReviewedDeliveries made = deliveries;
        if (made == null) {
            made =
                    new ReviewedDeliveries(
                            shard,
                            context.load(),
                            context.reviews(),
                            each -> PublishChecks.isSound(context.mqtt(), context.limits(), each),
                            this);
            deliveries = made;
        }
        return made;
    }

    private void goOnDeliveries() {
        if (deliveries != null) {
            deliveries.goOn();
        }
    }

    @Override
    public final void onGivenUp() {
        context.log().keptBack(subject().clientId());
    }

    /** Lets publishers go on: nothing waits for a reviewer any more. */
    @Override
    public final void onDeliveriesReviewed() {
        if (waitingQos0 == null && context.overload().qos0SoftLimit() == 0) {
            context.slowSubscribers().speedUp(this);
        }
    }

    // ---------------------------------------------------------------- encoding

    @Override
    public final boolean encode(
            Message message, int qos, boolean dup, boolean retain, int packetId, int[] ids) {
        long expirySeconds = message.expiresAtMs == Message.NEVER ? -1 : secondsLeft(message);
        if (expirySeconds == 0 && qos == 0 && message.isExpired(shard.wallMs())) {
            countDropped(Metric.DROPPED_EXPIRED);
            return true;
        }
        byte[] topic = message.topic.bytes();
        int alias = 0;
        TopicAliases table = aliases;
        if (table != null) {
            alias = table.aliasOf(message.topic);
            if (!table.isNew()) {
                topic = PublishEncoder.NO_TOPIC;
            }
        }
        int length = length(message, qos, topic.length, alias, expirySeconds, ids);
        if (length > packetBytesMaxOut) {
            forgetNew(alias);
            topic = message.topic.bytes();
            alias = 0;
            length = length(message, qos, topic.length, 0, expirySeconds, ids);
            if (length > packetBytesMaxOut) { // [MQTT-3.1.2-24]
                countDropped(Metric.DROPPED_TOO_LARGE);
                return false;
            }
        }
        ConnectionLog.left(wire, message.topic, qos, packetId, message.payload.length);
        int payload = message.payload.length;
        boolean isShared = payload >= SHARED;
        context.encoder()
                .write(
                        isShared ? roomForHead(length - payload) : room(length),
                        version,
                        PublishEncoder.first(qos, dup, retain),
                        topic,
                        packetId,
                        alias,
                        expirySeconds,
                        ids,
                        message.properties,
                        message.payload,
                        !isShared);
        if (isShared) {
            writeShared(message.payload);
        }
        countSent(message, qos, retain);
        return true;
    }

    private void countDropped(Metric cause) {
        shard.counters().increment(cause, version);
    }

    private void countSent(Message message, int qos, boolean retain) {
        shard.counters().increment(Metric.PUBLISH_SENT, version);
        if (!retain) { // A retained one may be as old as anything.
            shard.delays().leaves(Delay.delivery(qos), message.readAt);
        }
    }

    private void writeShared(byte[] payload) {
        if (payload.length > PIECE) {
            beginPieces(payload);
        } else {
            write(payload, 0, payload.length);
        }
    }

    /**
     * To the nearest second: shards read the clock at different moments, and what has waited for
     * nothing must not leave with more than it came with.
     */
    @Override
    public final long secondsLeft(Message message) {
        return Math.max(0, (message.expiresAtMs - shard.wallMs() + 500) / 1000);
    }

    private int length(
            Message message, int qos, int topicLength, int alias, long expirySeconds, int[] ids) {
        return PublishEncoder.length(
                version,
                qos,
                topicLength,
                alias,
                expirySeconds,
                ids,
                message.properties.length,
                message.payload.length);
    }

    /** Takes a new alias back: the packet that would have set it is too large with it. */
    private void forgetNew(int alias) {
        TopicAliases table = aliases;
        if (table != null && table.isNew()) {
            table.forget(alias);
        }
    }

    private void beginPieces(byte[] payload) {
        largePayload = payload;
        largeNext = 0;
        writePieces();
    }

    private void writePieces() {
        byte[] payload = largePayload;
        while (payload != null && wire.isWritable()) {
            int piece = Math.min(PIECE, payload.length - largeNext);
            write(payload, largeNext, piece);
            largeNext += piece;
            if (largeNext == payload.length) {
                largePayload = null;
                payload = null;
            }
        }
    }

    // ---------------------------------------------------------------- everything else

    /** Sends a PUBACK, PUBREC, PUBREL or PUBCOMP. */
    public final void sendAck(PacketType type, int packetId, int reasonCode) {
        if (silent) {
            return;
        }
        if (waitsForReview(type)) {
            ReasonCode reason = ReasonCode.of(reasonCode);
            review(
                    ack(
                            type,
                            packetId,
                            reasonCode,
                            reason == null ? Properties.NONE : AckReasons.of(reason)));
        } else {
            answer(type, packetId, reasonCode);
        }
    }

    @Override
    public final void answer(PacketType type, int packetId, int reasonCode) {
        ConnectionLog.left(wire, type, packetId);
        ReasonCode reason = reasonCode == 0 ? null : ReasonCode.of(reasonCode);
        if (reason != null && explains && version.isV5()) {
            answer(new Packet.Ack(type, packetId, reason, AckReasons.of(reason)));
            return;
        }
        if (largePayload != null) {
            waitingAnswers().add(type, packetId, reasonCode);
            return;
        }
        ByteBuf out = roomForAnswer(8);
        if (reasonCode == 0 || !version.isV5()) {
            PacketEncoder.ack(out, type, packetId);
        } else {
            PacketEncoder.ack(out, type, packetId, reasonCode);
        }
    }

    @Override
    public final void sendPubRel(int packetId) {
        sendAck(PacketType.PUBREL, packetId, 0);
    }

    public final void send(Packet packet) {
        if (silent) {
            return;
        }
        if (waitsForReview(packet.type())) {
            review(packet);
        } else {
            answer(packet);
        }
    }

    @Override
    public final void answer(Packet packet) {
        ConnectionLog.left(wire, packet);
        // A refusing CONNACK may always say why [MQTT-3.1.2-29].
        Packet fitting =
                explains || packet instanceof Packet.ConnAck ? packet : AckReasons.without(packet);
        int length = PacketEncoder.encodedLength(fitting, version);
        if (length > packetBytesMaxOut) {
            fitting = AckReasons.without(packet);
            length = PacketEncoder.encodedLength(fitting, version);
        }
        if (length > packetBytesMaxOut && packet instanceof Packet.Disconnect it) {
            fitting = new Packet.Disconnect(it.reason(), Properties.NONE);
            length = PacketEncoder.encodedLength(fitting, version);
        }
        if (length > packetBytesMaxOut) {
            return;
        }
        if (largePayload != null) {
            waitingAnswers().add(fitting, length);
            return;
        }
        PacketEncoder.encode(fitting, version, room(length));
    }

    // ---------------------------------------------------------------- reviewed

    /** Whether a reviewer sees packets of this type. */
    final boolean sees(PacketType type, boolean isOut) {
        PacketReviewer reviewer = context.reviews().packets();
        return reviewer != null && reviewer.sees(reviewedClient(), type, isOut);
    }

    /** Whether a packet that goes out is to be shown, or has to wait behind one that is. */
    private boolean waitsForReview(PacketType type) {
        ReviewedPackets lane = reviewed;
        return lane != null && !lane.isEmpty() || sees(type, true);
    }

    private void review(Packet packet) {
        reviewed().add(reviewedClient(), version, packet, true, made -> onReviewed(packet, made));
    }

    private void onReviewed(Packet packet, @Nullable Packet made) {
        if (silent) {
            return;
        }
        if (made == null && packet instanceof Packet.Auth) {
            onAuthUnreviewed();
            return;
        }
        answer(fitting(packet, made));
        onLessReviewed();
    }

    /** Returns what a reviewer has made of a packet, if the client takes a packet of that size. */
    final Packet fitting(Packet packet, @Nullable Packet made) {
        if (made == null || PacketEncoder.encodedLength(made, version) > packetBytesMaxOut) {
            return packet;
        }
        return made;
    }

    final ReviewedPackets reviewed() {
        ReviewedPackets made = reviewed;
        if (made == null) {
            made = new ReviewedPackets(shard, context.reviews());
            reviewed = made;
        }
        return made;
    }

    /** Returns an acknowledgement; every code that it may have is there. */
    static Packet.Ack ack(PacketType type, int packetId, int reasonCode, Properties properties) {
        ReasonCode reason = ReasonCode.of(reasonCode);
        return new Packet.Ack(
                type, packetId, reason == null ? ReasonCode.UNSPECIFIED_ERROR : reason, properties);
    }

    /** Returns the client for a reviewer; it is anonymous as long as it is not let in. */
    abstract Subject reviewedClient();

    /** Called when a reviewer has not answered about an AUTH. */
    abstract void onAuthUnreviewed();

    /** Called when less waits for a reviewer. */
    abstract void onLessReviewed();

    /**
     * Has a reviewer see the last packet, after {@link #fallSilent}; the wire is closed behind it.
     */
    final void reviewLast(Subject client, Packet last) {
        reviewed()
                .add(
                        client,
                        version,
                        last,
                        true,
                        made -> {
                            answer(fitting(last, made));
                            handOver();
                            wire.close();
                        });
    }

    /** Whether the rest of a payload follows, in which no other packet may stand. */
    final boolean isWithinPayload() {
        return largePayload != null;
    }

    // ---------------------------------------------------------------- what waits

    private WaitingAnswers waitingAnswers() {
        WaitingAnswers made = waitingAnswers;
        if (made == null) {
            made = new WaitingAnswers();
            waitingAnswers = made;
        }
        return made;
    }

    /**
     * Bytes that the socket has not taken yet, with those of the large payload that follows them.
     */
    public final long untakenBytes() {
        byte[] payload = largePayload;
        return wire.pendingBytes() + (payload == null ? 0 : payload.length - largeNext);
    }

    /** Bytes of answers that wait behind a large payload, or for a reviewer. */
    final long waitingAnswerBytes() {
        return (waitingAnswers == null ? 0 : waitingAnswers.bytes())
                + (reviewed == null ? 0 : reviewed.bytes());
    }

    private void sendWaitingAnswers() {
        WaitingAnswers waiting = waitingAnswers;
        while (waiting != null && largePayload == null) {
            if (!waiting.sendFirst(this)) {
                waitingAnswers = null;
                return;
            }
        }
    }

    /** Goes on sending when the channel takes bytes again. */
    public final void onWritable() {
        shard.enter();
        if (isFlushing()) {
            // A reader that keeps up with its backlog would keep the shard in this turn.
            shard.slice(() -> {
                writeOn();
                return true;
            });
        } else {
            writeOn();
        }
    }

    private void writeOn() {
        if (silent) {
            return;
        }
        if (largePayload != null) {
            writePieces();
        }
        sendWaitingAnswers();
        drainQos0();
        goOnDeliveries();
        if (canSend()) {
            onReadyToSend();
        }
    }

    private void drainQos0() {
        WaitingQos0 waiting = waitingQos0;
        while (waiting != null && canSend()) {
            WaitingQos0.Item first = waiting.poll();
            if (first == null) {
                waitingQos0 = null;
                context.slowSubscribers().speedUp(this);
                return;
            }
            encode(first.message(), 0, false, first.retain(), 0, first.ids());
        }
    }

    /** Called when the session may send what waits in its queue. */
    abstract void onReadyToSend();

    /** Sends what stands in the buffer and nothing more, then closes the wire. */
    final void shutUp() {
        if (!silent) {
            fallSilent();
            wire.close();
        }
    }

    /** Sends what stands in the buffer and nothing more; the wire stays for now. */
    final void fallSilent() {
        silent = true;
        handOver();
        ReviewedDeliveries shown = deliveries;
        if (shown != null) {
            shard.counters().add(Metric.DROPPED_QOS0_OFFLINE, version, shown.giveUp());
            deliveries = null;
        }
        WaitingQos0 waiting = waitingQos0;
        if (waiting != null) {
            shard.counters().add(Metric.DROPPED_QOS0_OFFLINE, version, waiting.size());
            waiting.drop();
            waitingQos0 = null;
            context.slowSubscribers().speedUp(this);
        }
        largePayload = null;
        waitingAnswers = null;
        if (reviewed != null) {
            reviewed.forgetOutgoing();
        }
    }
}
