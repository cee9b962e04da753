package io.godwit.core.simulation;

import io.godwit.core.settings.QueuePolicy;
import java.util.ArrayList;
import java.util.List;

/**
 * Everything that clients have sent and seen, of one node or of a cluster, and what follows from
 * it. What can be told at once is told when it happens, the rest by {@link #atEnd}.
 *
 * <p>Exceptions, as the protocol has them: QoS 1 may come twice when it was sent twice; what was
 * published before UNSUBACK may still come after it; a message whose publisher's session ended
 * unacknowledged may or may not come. What is delivered at QoS 0 or 1 may come twice, and as if for
 * the first time, when the broker has died in between; a will of QoS 0 or 1 once for each time that
 * the store still had it then.
 */
final class Checker {
    private final List<Published> published = new ArrayList<>();
    private final List<SessionView> views = new ArrayList<>();
    private final Missing missing = new Missing();
    private final GroupChecker groups = new GroupChecker();

    Published publish(
            SimulatedClient by, String topic, int qos, boolean retain, int bytes, boolean isWill) {
        Published made = new Published(published.size(), by, topic, qos, retain, bytes, isWill);
        published.add(made);
        return made;
    }

    List<Published> all() {
        return published;
    }

    Published published(int number) {
        return published.get(number);
    }

    void opened(SessionView view) {
        views.add(view);
    }

    // ---------------------------------------------------------------- at once

    /** A PUBLISH has come in; of QoS 2 one that the client does not know yet. */
    void received(
            SessionView view, byte[] payload, String topic, int qos, boolean dup, boolean retain) {
        if (payload.length == 0) {
            checkDeletion(topic, retain, view);
            return;
        }
        int number = Payload.number(payload);
        check(number >= 0 && number < published.size(), "unknown payload %s", number);
        Published of = published.get(number);
        check(Payload.isWhole(payload), "altered payload of %s", of);
        check(of.topic.equals(topic), "%s came on topic %s", of, topic);
        check(of.sends > 0 || of.isWill, "%s came before it was sent", of);
        check(!retain || of.retain, "%s came as retained", of);
        SessionView.Received received = view.received(number);
        boolean first = received.copies++ == 0;
        boolean firstLive = !retain && received.live == 0;
        Subscribed shared = null;
        boolean subscribed = false;
        boolean anyRetainAsPublished = false;
        boolean before = false;
        for (Subscribed s : view.subscriptions) {
            if (s.isFor(topic) && !isNotFor(s, view, of)) {
                shared = s.shared ? s : shared;
                anyRetainAsPublished |= s.retainAsPublished;
                before |= s.ackedAt < of.sentAt && s.endsAt == Long.MAX_VALUE && s.qos >= qos;
                subscribed |= s.overAt > of.sentAt || s.replays && retain;
            }
        }
        check(subscribed, "%s has no subscription for %s", view, of);
        if (retain && !anyRetainAsPublished) {
            view.node.count(Happening.RETAINED_REPLAY);
        }
        if (first) {
            received.firstStart = view.node.starts();
            if (of.ackedAt != Published.NEVER && of.ackedCrashes < of.node.crashes()) {
                view.node.count(Happening.ACKED_BEFORE_CRASH_DELIVERED_AFTER);
            }
        }
        view.node.watch().delivered(view, number);
        ClientLink on = view.node.clientOf(view).now;
        if (of.node != view.node) {
            view.node.count(Happening.DELIVERED_FROM_ANOTHER_NODE);
        }
        if (!retain && received.start != on.start) {
            // What was acknowledged before it was in the journal is not known there: sent again by
            // its publisher it comes again.
            boolean promised = qos == 2 && received.qos2 > 0;
            // So does a will that the store still had when the broker died.
            boolean again = of.sends > 1 || of.isWill && of.node.watch().crashesWith(of) > 0;
            // So does what another node has sent again after a crash of this one: that it was
            // delivered at QoS 1 nobody knows, also when the session asks for QoS 2 now.
            again |=
                    of.qos == 2
                            && qos == 2
                            && received.liveAtQos0 == 0
                            && of.node != view.node
                            && received.crashes != on.crashes;
            if (qos == 1 && received.crashes != on.crashes || !promised && again) {
                received.liveFresh = 0;
                received.liveAtQos0 = 0;
                received.live = 0;
            }
            received.start = on.start;
            received.crashes = on.crashes;
        }
        if (!retain) {
            received.live++;
            received.liveFresh += dup ? 0 : 1;
            received.liveAtQos0 += qos == 0 ? 1 : 0;
        }
        if (qos == 2 && !retain) {
            received.qos2++;
        }
        if (shared != null) {
            groups.received(view, of);
            if (!retain && !isRefusedAndNew(of) && (qos == 2 || of.qos == 0 && of.sends == 1)) {
                groups.checkOnce(view, of, views);
            }
            return;
        }
        checkOnce(view, of, received);
        boolean inOrder = topic.startsWith("r/") ? first : firstLive && !of.retain || firstLive;
        // A live copy that keeps its RETAIN flag looks like a replay.
        inOrder &= !(of.retain && anyRetainAsPublished && topic.startsWith("t/"));
        // At QoS 0 the first copy of what was sent twice may have been dropped.
        inOrder &= qos > 0 || of.sends < 2;
        // The first copy of what was sent twice may have come before this session subscribed.
        boolean goesAgain = of.qos == 1 || of.firstStart < of.node.starts();
        inOrder &= !goesAgain || of.sends < 2 || before;
        // Or its time was over, and what is sent again has another one.
        inOrder &= !goesAgain || of.sends < 2 || !of.isExpired(view.node.scheduler().micros());
        // What was refused in an alarm may be sent again when its refusal was not heard.
        inOrder &= of.sends < 2 || of.refusedMeanwhile == 0;
        if (inOrder && !of.isWill && !of.abandoned && !(retain && topic.startsWith("t/"))) {
            checkOrder(view, of, qos);
        }
    }

    /** A message that deletes what is retained has no number; it comes live only. */
    private void checkDeletion(String topic, boolean retain, SessionView view) {
        view.node.count(Happening.RETAINED_DELETED);
        boolean mayHaveFlag = false;
        for (Subscribed s : view.subscriptions) {
            mayHaveFlag |= s.isFor(topic) && s.retainAsPublished;
        }
        check(!retain || mayHaveFlag, "what deletes the retained message of %s was kept", topic);
    }

    /** No Local, also of what was retained before a start [MQTT-3.8.3-3]. */
    private static boolean isNotFor(Subscribed s, SessionView view, Published of) {
        return s.noLocal && of.by.index == view.client && !of.isWill;
    }

    /**
     * Some queues had taken it when one that was full refused it; that was not heard, and what is
     * sent again is a new message then [MQTT-4.3.3-9].
     */
    private static boolean isRefusedAndNew(Published of) {
        return of.sends > 1
                && of.refusedMeanwhile > 0
                && of.node.profile().shortage.policy() == QueuePolicy.REJECT;
    }

    private void checkOnce(SessionView view, Published of, SessionView.Received received) {
        if (isRefusedAndNew(of)) {
            return;
        }
        if (of.isWill && of.qos < 2) {
            check(
                    received.liveFresh
                            <= 1
                                    + of.node.watch().crashesWith(of)
                                    + of.node.startsWhileAnotherWasAway(of.sentMicros)
                                    + sentAgain(view, of),
                    "%s came %s times as new to %s",
                    of,
                    received.liveFresh,
                    view);
            return;
        }
        switch (of.qos) {
            case 0 -> check(received.live <= 1, "%s came twice to %s", of, view);
            case 1 ->
                    check(
                            of.sends > 1
                                    || of.abandoned
                                    || received.liveFresh <= 1 + sentAgain(view, of),
                            "%s came twice as new to %s",
                            of,
                            view);
            default -> {
                int known = isRaised(view, of) ? received.liveAtQos0 : 0;
                check(
                        received.liveFresh <= 1 + Math.min(known, 1) && received.liveAtQos0 <= 1,
                        "%s came twice as new to %s",
                        of,
                        view);
                check(received.qos2 <= 1, "%s was delivered twice to %s", of, view);
            }
        }
    }

    /**
     * Whether nobody knows that it has come at QoS 0: a publisher's node that died has had it sent
     * again, and the session asks for more now.
     */
    private static boolean isRaised(SessionView view, Published of) {
        return of.sends > 1 && of.node != view.node && of.firstStart < of.node.starts();
    }

    /**
     * How often another node may have sent it to a new start of the subscriber's, as if for the
     * first time: at QoS 1 nobody knows what the earlier start has done with it.
     */
    private static int sentAgain(SessionView view, Published of) {
        return of.node == view.node || of.qos != 1 ? 0 : view.node.startsSince(of.sentMicros);
    }

    private void checkOrder(SessionView view, Published of, int qos) {
        String key =
                of.by.index
                        + "/"
                        + of.generation
                        + "/"
                        + of.topic
                        + "/"
                        + qos
                        + (of.qos == 0 ? "/" + of.connection : "");
        Integer last = view.lastInOrder.put(key, of.number);
        check(
                last == null || last < of.number,
                "%s came to %s after message %s: order",
                of,
                view,
                last);
    }

    /** PUBACK or PUBREC has come: whatever it promises must be durable now. */
    void acknowledged(Published of, SessionView publisher) {
        boolean allDurable = true;
        for (SessionView view : views) {
            if (view.durable && !view.ended && isOwed(view, of) && mayComeBack(view)) {
                boolean appended = view.node.watch().hasAppended(view.queueId, of.number);
                allDurable &= appended;
                check(
                        appended || view.hasAcknowledged(of.number) || Missing.mayBe(view.node, of),
                        "%s was acknowledged before %s had it on disk",
                        of,
                        view);
            }
        }
        if (!allDurable) {
            of.node.count(Happening.ACKNOWLEDGED_BEFORE_COMMIT);
        }
        if (of.qos == 2 && publisher.durable && of.node.isThere(publisher)) {
            check(
                    of.node.watch().hasInbound(publisher.queueId, of.packetId),
                    "PUBREC for %s before its packet id was on disk",
                    of);
        }
    }

    /** Less is left of its interval when it comes, and something. */
    void checkExpiry(SessionView view, int number, long seconds) {
        Published of = published.get(number);
        long micros = view.node.scheduler().micros() - of.sentMicros;
        check(
                seconds <= of.expirySeconds && seconds >= of.expirySeconds - micros / 1_000_000 - 1,
                "%s came to %s with %s s left after %s us",
                of,
                view,
                seconds,
                micros);
        view.node.count(Happening.DELIVERED_IN_TIME);
    }

    /** Whether a session is there, or would be after a crash, since its end is not kept. */
    private boolean mayComeBack(SessionView view) {
        SimulatedNode at = view.node;
        return at.isThere(view) || at.watch().hasLivingSession(at.clientOf(view).id, view.queueId);
    }

    // ---------------------------------------------------------------- at the end

    void atEnd() {
        for (Published of : published) {
            if (of.ackedAt != Published.NEVER && of.qos > 0 && !of.isWill) {
                for (SessionView view : views) {
                    if (!view.ended && isOwed(view, of) && !view.hasReceived(of.number)) {
                        missing.add(view, of);
                    }
                }
                if (!of.deletes()) {
                    groups.atEnd(of, views, missing);
                }
            }
        }
        missing.check();
        groups.checkDropped();
    }

    /** Whether the session had a subscription for it all the time. */
    private boolean isOwed(SessionView view, Published of) {
        if (of.deletes()) {
            return false; // It has no number by which anyone could tell it.
        }
        for (Subscribed s : view.subscriptions) {
            if (!s.shared && isSure(s, of, of.by.index == view.client)) {
                return true;
            }
        }
        return false;
    }

    static boolean isSure(Subscribed s, Published of, boolean own) {
        return s.isFor(of.topic) && s.ackedAt < of.sentAt && s.promisesUntil(own) > of.ackedAt;
    }

    /** The broker of a node has gone down: what is not durable is gone with it. */
    void onBrokerGone(SimulatedNode node) {
        for (SessionView view : views) {
            view.ended |= !view.durable && view.node == node;
        }
    }

    /**
     * The will of a connection has to come to the observer, or must not.
     *
     * @param observer subscribed to wills from the beginning to the end
     */
    void checkWill(Published will, SessionView observer, boolean mustCome, boolean mustNotCome) {
        boolean came = observer.hasReceived(will.number);
        if (!came && mustCome) {
            missing.add(observer.node, will, observer.toString());
            missing.check();
        }
        check(!came || !mustNotCome, "%s came all the same", will);
    }

    void check(boolean holds, String message, Object... of) {
        if (!holds) {
            throw new IllegalStateException(String.format(message, of));
        }
    }
}
