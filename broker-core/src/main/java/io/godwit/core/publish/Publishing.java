package io.godwit.core.publish;

import io.godwit.core.ack.Receipt;
import io.godwit.core.auth.Access;
import io.godwit.core.auth.ClientSettings;
import io.godwit.core.codec.LegalReasons;
import io.godwit.core.codec.ProtocolViolation;
import io.godwit.core.message.Message;
import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.PublishFrame;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.packet.Topic;
import io.godwit.core.review.ReviewedPublish;
import io.godwit.core.review.Reviewer;
import io.godwit.core.routing.NodeRef;
import io.godwit.core.routing.RouteTarget;
import io.godwit.core.settings.ClientLimits;
import io.godwit.core.shard.Shard;
import io.godwit.core.store.CopySets;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The publishing side of a connection; made with its first PUBLISH. Acknowledgements leave in the
 * order of the PUBLISHes [MQTT-4.6.0-2..4], each when its message is taken in by everyone it goes
 * to.
 */
public final class Publishing implements Feeder {
    private final PublisherLink connection;
    private final PublishContext context;
    private final Shard shard;
    private final PublisherSession session;
    private final AckOrder acks;
    private final InboundAliases aliases;

    private final FrameMessages messages;
    private final RetainedUnderWay retainedOut;
    private final HeldPublishes held;
    private final LargeMessageWait large;
    private final PublisherBrake brake;
    private final PublishRefusals refusals;
    private final @Nullable PublishRate rate;
    private final int receiveMaximum;
    private boolean fanningOut;

    /** Finding routes has taken enough of this turn: what was read goes on in a slice. */
    private boolean waitsForTurn;

    /** Made with the first PUBLISH that goes to another node; null before. */
    private @Nullable NodeWays ways;

    /**
     * Whether the reviewer had enough to do when it was shown the last PUBLISH. Noted here, since
     * it changes under the hands of other threads: who is not decoded has to be looked at again.
     */
    private boolean awaitsReviewer;

    /** Made with the first PUBLISH that a reviewer sees; null before. */
    private @Nullable ReviewedPublishes reviewed;

    private @Nullable Runnable whenIdle;

    public Publishing(PublisherLink connection, PublisherSession session, PublishContext context) {
        this.connection = connection;
        this.context = context;
        this.shard = context.shard();
        this.session = session;
        this.acks = new AckOrder(connection, session, shard);
        this.aliases = new InboundAliases(context.mqtt().topicAliasMaximum());
        this.messages = new FrameMessages(shard, session.clientId(), context.serverId());
        this.retainedOut = new RetainedUnderWay(context.overload().parkedBytes());
        this.held = new HeldPublishes(context.load(), context.overload().parkedBytes());
        this.large = new LargeMessageWait(context.load());
        this.brake =
                new PublisherBrake(
                        context.load(), session, large, this::awaitsRoom, held, this::isParkedOut);
        this.refusals =
                new PublishRefusals(
                        connection,
                        shard,
                        context.limits(),
                        this::isParkedOut,
                        acks,
                        held,
                        brake,
                        context.router().room()::refuses);
        ClientSettings granted = connection.settings();
        this.receiveMaximum =
                granted.receiveMaximum() == 0
                        ? context.mqtt().receiveMaximum()
                        : granted.receiveMaximum();
        this.rate = rate(granted, context.limits().clients());
        if (session.nodePaths() != null) {
            this.ways = newWays();
        }
    }

    private static @Nullable PublishRate rate(ClientSettings granted, ClientLimits each) {
        int messages = granted.publishRate() == 0 ? each.publishRate() : granted.publishRate();
        long bytes = granted.publishBytes() == 0 ? each.publishBytes() : granted.publishBytes();
        return messages == 0 && bytes == 0 ? null : new PublishRate(messages, bytes);
    }

    /** Whether the client has published more than it may for now. */
    private boolean isTooFast() {
        return rate != null && rate.isExceeded(shard.nowMs());
    }

    /** Whether no more can be parked; an older client knows no bound of what it sends. */
    private boolean isParkedOut() {
        return held.isFull() || !connection.version().isV5() && acks.waiting() >= receiveMaximum;
    }

    private NodeWays newWays() {
        return new NodeWays(
                connection,
                shard,
                context.router().routes(),
                context.router().nodes(),
                session,
                this::drainAndResume,
                this::drainAndResume);
    }

    private NodeWays ways() {
        NodeWays made = ways == null ? newWays() : ways;
        ways = made;
        return made;
    }

    /** Whether a node that this client publishes to has enough to do. */
    private boolean awaitsRoom() {
        return ways != null && ways.awaitsRoom();
    }

    /** Whether everything that was read is routed. */
    public boolean isIdle() {
        return !fanningOut && retainedOut.isEmpty() && held.isEmpty() && !isReviewing();
    }

    /** Runs the task once everything that was read is routed: soon, or at once. */
    public void whenIdle(Runnable task) {
        if (isIdle()) {
            task.run();
        } else {
            Runnable before = whenIdle;
            whenIdle =
                    before == null
                            ? task
                            : () -> {
                                before.run();
                                task.run();
                            };
        }
    }

    private void tellIdle() {
        Runnable task = whenIdle;
        if (task != null && isIdle()) {
            whenIdle = null;
            task.run();
        }
    }

    private boolean isReviewing() {
        return reviewed != null && !reviewed.isEmpty();
    }

    /** Whether nothing more may be decoded, since order would be lost, or too much waits. */
    public boolean isPaused() {
        return reviewed != null && reviewed.isFull() || awaitsReviewer || mustNotRoute();
    }

    /** Whether nothing more is shown to the reviewer until it has less to do. */
    public boolean awaitsReviewer() {
        return awaitsReviewer;
    }

    private void lookAtReviewer() {
        Reviewer reviewer = context.reviews().reviewer();
        awaitsReviewer = reviewer != null && reviewer.isFull();
        if (awaitsReviewer) {
            connection.watch();
        }
    }

    private boolean mustNotRoute() {
        return fanningOut
                || waitsForTurn
                || brake.awaitsMail()
                || awaitsRoutes()
                || retainedOut.isFull()
                || !held.isEmpty()
                        && (!retainedOut.isEmpty()
                                || ways != null && ways.awaitsAnswer()
                                || (held.isFull() || awaitsRoom()) && !brake.mustStayRead());
    }

    /** Whether other nodes may have subscribers that this one does not know of yet. */
    private boolean awaitsRoutes() {
        return !context.router().nodes().isReady();
    }

    @Override
    public void feeds(RouteTarget full) {
        brake.feeds(full);
    }

    @Override
    public void feedsCrowd() {
        brake.feedsCrowd();
    }

    /** See {@link io.godwit.core.ack.ReceiptListener#feedsFull}. */
    public void feedsElsewhere(BooleanSupplier isFull) {
        brake.feedsElsewhere(isFull);
    }

    public boolean isRefusedUntold() {
        return refusals.isUntold();
    }

    /**
     * Whether the socket is left unread: a subscriber of what this client publishes is behind, or
     * the node is.
     */
    public boolean mustWait() {
        return session.hasSlowSubscribers()
                || acks.waiting() >= receiveMaximum && !brake.mustStayRead()
                || brake.publishersWait()
                || isTooFast()
                || awaitsRoutes();
    }

    /** Whether something of this connection is on its way that will end by itself. */
    public boolean isUnderWay() {
        return fanningOut
                || waitsForTurn
                || !retainedOut.isEmpty()
                || brake.awaitsMail()
                || awaitsRoutes()
                || held.awaitsId()
                || isReviewing();
    }

    public long heldBytes() {
        return held.bytes() + (reviewed == null ? 0 : reviewed.bytes());
    }

    public void onPublish(PublishFrame frame) {
        PublishChecks.offered(context.mqtt(), frame);
        Topic topic = aliases.resolve(frame.topic, frame.topicAlias);
        shard.counters().increment(Metric.PUBLISH_RECEIVED, connection.version());
        if (rate != null) {
            countRate(rate, frame);
        }
        if (!isReviewing() && context.reviews().reviewer() == null) {
            take(frame, topic, connection.access());
        } else {
            show(frame, topic);
        }
    }

    private void take(PublishFrame frame, Topic topic, Access access) {
        if (frame.qos == 0) {
            onQos0(frame, topic, access);
        } else {
            onAcknowledged(frame, topic, access);
        }
    }

    // ---------------------------------------------------------------- what a reviewer sees

    /** Shows a PUBLISH to the reviewer, or has it wait behind others that were shown. */
    private void show(PublishFrame frame, Topic topic) {
        Receipt repeated = frame.qos == 2 ? takenIn(session.inboundQos2(frame.packetId)) : null;
        Reviewer reviewer = repeated == null ? context.reviews().reviewer() : null;
        if (reviewer != null && !reviewer.seesPublish(connection.subject(), topic)) {
            reviewer = null;
        }
        if (reviewer == null && !isReviewing()) {
            take(frame, topic, connection.access());
            return;
        }
        ReviewedPublishes shown = reviewed;
        if (shown == null) {
            shown =
                    new ReviewedPublishes(
                            shard,
                            context.load(),
                            context.overload().parkedBytes(),
                            made -> PublishChecks.isSound(context.mqtt(), context.limits(), made),
                            connection,
                            new Reviewed());
            reviewed = shown;
        }
        if (repeated != null) {
            shown.addRepeated(topic, repeated);
        } else if (frame.qos != 2 || !shown.hasQos2(frame.packetId)) {
            if (frame.qos > 0) {
                checkReceiveMaximum(shown.acknowledged());
            }
            shown.add(reviewer, frame, topic);
            lookAtReviewer();
        } // Else the answer to the first is the answer to this one.
    }

    /** Has what is reviewed go on, as far as it is answered. */
    private void goOnReviewed() {
        if (reviewed != null) {
            reviewed.goOn();
        }
    }

    private final class Reviewed implements ReviewedPublishes.Publisher {
        @Override
        public boolean mustWait() {
            return !connection.isClosed()
                    && (mustNotRoute() || brake.isOn() && !brake.mustStayRead());
        }

        @Override
        public void onAnswers() {
            drainAndResume();
        }

        @Override
        public void take(PublishFrame frame, Topic topic, Access access) {
            Publishing.this.take(frame, topic, access);
        }

        @Override
        public void repeat(Receipt before) {
            acks.onRepeated(before);
        }

        @Override
        public void drop(ReviewedPublish publish) {
            shard.counters().increment(Metric.DROPPED_EXTENSION, connection.version());
            if (publish.qos() > 0) {
                Receipt before =
                        publish.qos() == 2 ? session.inboundQos2(publish.packetId()) : null;
                InboundReceipt again = again(before);
                long ingress =
                        again == null
                                ? context.ids().nextIngressCounter()
                                : again.inbound.ingressCounter;
                takeInAtMostOnce(
                        null, receipt(publish.packetId(), publish.qos(), 0, ingress, again));
            }
        }

        @Override
        public void refuse(ReviewedPublish publish, ReasonCode reason) {
            if (publish.qos() == 0) {
                shard.counters().increment(Metric.DROPPED_EXTENSION, connection.version());
            } else {
                refusals.answer(
                        publish.packetId(),
                        publish.qos(),
                        LegalReasons.ofRefusal(PacketType.PUBACK, reason));
            }
        }

        @Override
        public boolean fail(ReviewedPublish publish) {
            // After a PUBREC that refuses, what some may have got would be a new message.
            boolean isAgain =
                    publish.qos() == 2 && again(session.inboundQos2(publish.packetId())) != null;
            if (publish.qos() > 0
                    && (isAgain || connection.isClosed() || !connection.version().isV5())) {
                return false;
            }
            refuse(publish, ReasonCode.IMPLEMENTATION_SPECIFIC_ERROR);
            return true;
        }

        @Override
        public void giveUp(ReviewedPublish publish) {
            if (publish.qos() == 0) {
                shard.counters().increment(Metric.DROPPED_EXTENSION, connection.version());
            }
        }
    }

    private void countRate(PublishRate limit, PublishFrame frame) {
        boolean before = limit.isExceeded(shard.nowMs());
        limit.add(shard.nowMs(), frame.payloadLength);
        if (!before && limit.isExceeded(shard.nowMs())) {
            shard.counters().increment(Metric.READS_PAUSED_RATE);
        }
    }

    private void onQos0(PublishFrame frame, Topic topic, Access access) {
        if (refusals.mustRefuse()) {
            shard.counters().increment(Metric.DROPPED_QOS0_ALARM, connection.version());
        } else if (refusals.ofChecks(frame, topic, access) == null && !passesOn(frame, topic)) {
            Message message = messages.of(frame, topic, context.ids().nextIngressCounter());
            if (!holds(message, null)) {
                route(message, null);
            }
        }
    }

    private void onAcknowledged(PublishFrame frame, Topic topic, Access access) {
        Receipt before = frame.qos == 2 ? session.inboundQos2(frame.packetId) : null;
        Receipt repeated = takenIn(before);
        if (repeated != null) {
            acks.onRepeated(repeated);
            return;
        }
        InboundReceipt again = again(before);
        checkReceiveMaximum(0);
        if (refusals.refuses(frame, topic, access, again != null) || passesOn(frame, topic)) {
            return;
        }
        long ingress =
                again == null ? context.ids().nextIngressCounter() : again.inbound.ingressCounter;
        // Before its packet id counts as taken in.
        Message message =
                again == null
                        ? messages.of(frame, topic, ingress)
                        : messages.of(frame, topic, again.inbound.ingressServer, ingress);
        Receipt receipt = receipt(frame.packetId, frame.qos, message.qos, ingress, again);
        if (message.qos > 0) {
            takeIn(message, receipt);
        } else {
            takeInAtMostOnce(again == null ? message : null, receipt);
        }
    }

    /**
     * Returns what is known of a PUBLISH that is to be routed again; null: nothing, or it is not.
     */
    private static @Nullable InboundReceipt again(@Nullable Receipt before) {
        return before instanceof InboundReceipt kept && kept.routesAgain ? kept : null;
    }

    /** Returns the receipt of what was taken in, if it is not to be routed again; else null. */
    private static @Nullable Receipt takenIn(@Nullable Receipt before) {
        return before == null || before.hasFailed() || again(before) != null ? null : before;
    }

    /**
     * @param more PUBLISHes that will have to be acknowledged
     */
    private void checkReceiveMaximum(int more) {
        if (acks.unacknowledged() + more >= receiveMaximum && connection.version().isV5()) {
            throw new ProtocolViolation(
                    ReasonCode.RECEIVE_MAXIMUM_EXCEEDED,
                    "more than " + receiveMaximum + " unacknowledged");
        }
    }

    private Receipt receipt(
            int packetId, int qos, int routedQos, long ingress, @Nullable InboundReceipt again) {
        if (qos == 2 && !session.isEnded()) {
            return session.putInboundQos2(connection, packetId, ingress, again);
        }
        Receipt receipt = new Receipt(connection, packetId, 1);
        if (routedQos == 2) {
            receipt.release(shard); // Nobody sends it again under this ingress id.
        }
        return receipt;
    }

    private void takeIn(Message message, Receipt receipt) {
        acks.add(receipt);
        if (receipt instanceof InboundReceipt inbound && keepsId(inbound)) {
            routeWhenKept(message, inbound);
        } else if (!holds(message, receipt)) {
            route(message, receipt);
        }
    }

    /**
     * Takes in a PUBLISH whose acknowledgement waits for no target.
     *
     * @param message of QoS 0, as a reviewer wants it; null: it goes nowhere
     */
    private void takeInAtMostOnce(@Nullable Message message, Receipt receipt) {
        acks.add(receipt);
        if (receipt instanceof InboundReceipt) {
            receipt.await();
            shard.afterCommit(session.copySet(), receipt::targetDone);
        }
        if (message != null && !holds(message, null)) {
            route(message, null);
        }
        routed(receipt);
    }

    /**
     * Has PUBREC wait until the ingress id is kept.
     *
     * @return whether other nodes keep it, too
     */
    private boolean keepsId(InboundReceipt receipt) {
        receipt.await();
        int copySet = session.copySet();
        if (copySet != CopySets.NONE) {
            return true;
        }
        shard.afterCommit(copySet, receipt::targetDone);
        return false;
    }

    /**
     * Routes a QoS 2 message, and whatever is published behind it, when its ingress id is kept.
     * Queues that get it may have their copies at other nodes than the id: a leader that is lost
     * earlier would leave it in a queue there, and what the client sends again would be a new
     * message.
     */
    private void routeWhenKept(Message message, InboundReceipt receipt) {
        receipt.awaitsId = true;
        hold(message, receipt);
        shard.afterCommit(session.copySet(), isKept -> onIdKept(receipt, isKept));
    }

    private void onIdKept(InboundReceipt receipt, boolean isKept) {
        boolean isFirst = held.isFirst(receipt);
        receipt.awaitsId = false;
        receipt.targetDone(isKept);
        brake.routed(true); // As one whose acknowledgement waits for the store: it has waited.
        if (!isKept || session.isElsewhere()) {
            giveUp();
        }
        if (!isKept && !connection.isClosed()) {
            connection.close(ReasonCode.IMPLEMENTATION_SPECIFIC_ERROR, "the store failed", true);
        }
        if (isFirst) {
            drainAndResume();
        }
    }

    /** Drops what was read and not routed: none was acknowledged. */
    private void giveUp() {
        held.giveUp(session, shard.counters());
        if (reviewed != null) {
            reviewed.giveUp();
        }
    }

    /** Drops what was read and not routed: its client is to send it again to another node. */
    public void giveUpUnrouted() {
        giveUp();
        tellIdle();
    }

    /**
     * Sends a PUBLISH to other nodes if that is where all it is for are, and nothing is before it:
     * then no message is made of it.
     *
     * @return false when it has to go as a message
     */
    private boolean passesOn(PublishFrame frame, Topic topic) {
        NodeWays known = ways;
        if (known == null || !known.goesOn(topic) || !messages.mayPass(frame, topic) || waits()) {
            return false;
        }
        long ingress = context.ids().nextIngressCounter();
        Receipt receipt = frame.qos == 0 ? null : new Receipt(connection, frame.packetId, 1);
        if (receipt != null) {
            acks.add(receipt);
        }
        known.passOn(messages.passing(frame, topic, ingress), receipt);
        routed(receipt);
        return true;
    }

    /** Whether a message must not go at once, wherever it goes. */
    private boolean waits() {
        return fanningOut
                || !held.isEmpty()
                || !retainedOut.isEmpty()
                || large.isOn()
                || brake.mustStayRead()
                || awaitsRoutes();
    }

    /** Whether a message must not go yet; then it is held back. */
    private boolean holds(Message message, @Nullable Receipt receipt) {
        if (held.isEmpty() && !isBehind(message) && !brake.mustStayRead() && !awaitsRoutes()) {
            return false;
        }
        hold(message, receipt);
        return true;
    }

    private void hold(Message message, @Nullable Receipt receipt) {
        held.add(message, receipt);
        connection.watch();
        if (isParkedOut() && !brake.isOn()) {
            drainHeld();
        }
    }

    /** Whether the message would overtake an earlier one. */
    private boolean isBehind(Message message) {
        return fanningOut
                || !message.retain && !retainedOut.isEmpty()
                || (ways == null || message.retain || !ways.goesOn(message.topic))
                        && awaitsNodes(message)
                || !connection.isClosed() && large.mustWait(message);
    }

    private boolean awaitsNodes(Message message) {
        return ways != null && ways.mustWait(message) || awaitsRoom(message);
    }

    private boolean awaitsRoom(Message message) {
        NodeRef full = context.router().room().fullFor(message);
        return (full != null || ways != null && message.qos > 0)
                && ways().awaitsRoom(
                                message,
                                full,
                                () -> context.router().room().fullFor(message) != null);
    }

    private void drainAndResume() {
        drainHeld();
        tellIdle();
        connection.resumeDecoding();
    }

    /**
     * Routes what was held, as far as it may go now: what is parked stays so until the alarm ends,
     * but for what a client has left behind that is gone, so that its session can be handed over.
     * During the disk alarm that is dropped, and when the session is set aside: then its client
     * sends it again to the node that leads it now, which may be done with it before.
     */
    public void drainHeld() {
        if (awaitsReviewer) {
            lookAtReviewer();
        }
        boolean isFull = connection.isClosed() && context.load().isDiskAlarm(); // None is stored.
        if (isFull || session.isElsewhere()) {
            giveUp();
        }
        HeldPublishes.Held first = drainSome();
        while (first != null && refusesForRoom(first.message())) {
            held.remove();
            refusals.refuseForNode(first.message(), first.receipt());
            first = drainSome();
        }
        if (first != null && connection.isClosed() && awaitsRoutes()) {
            context.router().nodes().whenReady(this::drainAndResume); // Nobody else looks again.
        } else if (first != null && connection.isClosed() && awaitsRoom(first.message())) {
            giveUp();
        }
        goOnReviewed();
        refusals.closeIfRefused();
    }

    /**
     * @return the first that has to wait; null when there is none
     */
    private HeldPublishes.@Nullable Held drainSome() {
        HeldPublishes.Held first;
        while ((first = held.peek()) != null
                && !first.awaitsId()
                && !awaitsRoutes()
                && !isBehind(first.message())
                && (connection.isClosed() || !brake.isOn())) {
            if (!refusals.isBehindRefused(first.message(), first.receipt())) {
                held.remove();
                route(first.message(), first.receipt());
            } else if (connection.isClosed()) {
                held.giveUpFirst(session, shard.counters()); // Behind that one it comes again.
            } else {
                held.remove();
                refusals.refuseForNode(first.message(), first.receipt());
            }
        }
        return first;
    }

    /**
     * Whether a message would wait for room at a node that is away, and its client wants to know.
     */
    private boolean refusesForRoom(Message message) {
        return connection.version().isV5()
                && !connection.isClosed()
                && !awaitsRoutes()
                && context.router().room().refuses(message);
    }

    private void route(Message message, @Nullable Receipt receipt) {
        NodeRef[] late = ways == null ? NodePaths.NONE : ways.sendLate(message, receipt);
        if (message.retain) {
            brake.routed(true);
        }
        if (message.retain && !context.router().keepsRetained()) {
            retainedOut.add(message);
            if (receipt != null) {
                receipt.await();
            }
            context.router().publishElsewhere(message, receipt, this, late);
            return;
        }
        Router router = context.router();
        large.comesIn(message);
        fanningOut = !router.publish(message, receipt, this, late);
        if (router.routes().hasFoundTooMuch() && !waitsForTurn) {
            waitsForTurn = true;
            shard.slice(this::nextTurn);
        }
        NodeRef[] nodes = router.wentTo();
        NodeRef[] groupsAt = router.groupsWentTo();
        if (nodes.length > 0) {
            ways().wentTo(nodes, message);
        }
        if (groupsAt.length > 0) {
            ways().feeds(groupsAt); // In no order with what takes other ways.
        }
        if (message.retain && router.nodes() != NodeSender.ALONE) {
            retainedOut.add(message);
            router.nodes().whenRetainedAnswered(() -> retainedAnswered(message));
        }
        if (!fanningOut) {
            routed(receipt);
        }
    }

    /** Retained by this very shard: the other nodes have it. */
    private void retainedAnswered(Message message) {
        retainedOut.remove(message);
        drainAndResume();
    }

    /** Called when every target of a large fan-out was told. */
    void fannedOut(@Nullable Receipt receipt) {
        fanningOut = false;
        routed(receipt);
        drainAndResume();
    }

    /** Called when the retained store's shard has routed a retained PUBLISH. */
    void retainedRouted(Message message, @Nullable Receipt receipt) {
        retainedOut.remove(message);
        routed(receipt);
        drainAndResume();
    }

    /** Goes on with what was read, after finding routes has taken enough of a turn. */
    private boolean nextTurn() {
        waitsForTurn = false;
        goOnReviewed();
        connection.resumeDecoding();
        return true;
    }

    private void routed(@Nullable Receipt receipt) {
        large.isIn();
        if (receipt == null) {
            return;
        }
        boolean waits = !receipt.routed();
        brake.routed(waits);
        if (!waits) {
            sendAcks();
        }
    }

    /** Sends the acknowledgements that may leave now. */
    public void sendAcks() {
        acks.send();
        refusals.closeIfRefused();
    }

    /** Counts a PUBREL that came. */
    public void onPubRel(boolean known) {
        acks.onPubRel(known);
    }

    public void onConnectionLost() {
        if (ways != null) {
            ways.end();
        }
        acks.onConnectionLost();
        large.end();
        drainHeld();
    }
}
