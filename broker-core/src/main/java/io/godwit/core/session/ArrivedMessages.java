package io.godwit.core.session;

import io.godwit.core.ack.Receipt;
import io.godwit.core.id.IngressId;
import io.godwit.core.message.Message;
import io.godwit.core.session.HeldMessages.Held;
import io.godwit.core.settings.Rule;
import io.godwit.core.shard.Shard;
import io.godwit.core.store.CopyPage;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Delivers to a session that has come from another node, or has gone on since, what comes directly
 * and what a former home passes on: see {@link Arrival}.
 */
final class ArrivedMessages {
    private ArrivedMessages() {}

    /** Whether a message may come both ways: not at QoS 0, nor as a retained one is replayed. */
    static boolean isLive(Message message, boolean retain, @Nullable Receipt receipt) {
        return message.qos > 0 && (!retain || receipt != null);
    }

    /**
     * A message has come directly.
     *
     * @return false when it is to be delivered now
     */
    static boolean direct(
            ArrivedTarget to,
            Arrival known,
            Message message,
            int qos,
            boolean retain,
            int[] ids,
            @Nullable Receipt receipt) {
        if (!isLive(message, retain, receipt)) {
            return false;
        }
        if (known.isOver()) {
            // It may have been slower than what came round.
            boolean isTaken = !to.isAway() && known.hasTaken(message);
            if (isTaken) {
                to.whenKept(receipt);
            }
            return isTaken;
        }
        known.comesDirectly(message, receipt);
        // One that waits for what is older does so however often it has come.
        Held round = known.isToWait(message) ? null : known.releaseRound(HeldMessages.id(message));
        if (round == null
                && qos > 0
                && to.rules().holds(Rule.ARRIVAL_ORDER)
                && known.isToComeRound(message)) {
            known.hold(new Held(message, qos, retain, ids, receipt, null));
            return true;
        }
        if (!to.isAway() && !known.take(message)) {
            to.whenKept(receipt);
        } else if (round == null) {
            return false;
        } else {
            to.deliverNow(message, qos, retain, ids, receipt);
        }
        answerOrPassOn(to, round);
        return true;
    }

    /** What goes after a session has come back to where it came from: it was here directly. */
    static void back(
            ArrivedTarget to,
            Arrival known,
            Message message,
            int qos,
            boolean retain,
            int[] ids,
            @Nullable Receipt receipt) {
        boolean isLive = isLive(message, retain, receipt);
        boolean isWanted = to.wants(message.topic) && !known.ways.comesOtherwise(message.topic);
        if (isLive && !isWanted) {
            notWanted(to, receipt);
        } else if (isLive
                && known.waitsWithCopy()
                && (known.isToWait(message) || known.isToComeRound(message))) {
            known.hold(new Held(message, qos, retain, ids, receipt, null));
        } else {
            takeWithRound(to, known, message, qos, retain, ids, receipt);
        }
    }

    private static void takeWithRound(
            ArrivedTarget to,
            Arrival known,
            Message message,
            int qos,
            boolean retain,
            int[] ids,
            @Nullable Receipt receipt) {
        Held round = known.releaseRound(HeldMessages.id(message));
        take(to, known, message, qos, retain, ids, receipt);
        answerOrPassOn(to, round);
    }

    private static void answerOrPassOn(ArrivedTarget to, @Nullable Held same) {
        if (to.isAway()) {
            passOn(to, same);
        } else {
            answerWithIt(to, same);
        }
    }

    /**
     * A former home has passed a message on.
     *
     * @param changes number of the grant for which it has given the session
     */
    static void round(
            ArrivedTarget to,
            Arrival known,
            long changes,
            Message message,
            int qos,
            boolean retain,
            int[] ids,
            @Nullable Receipt receipt) {
        if (to.rules().holds(Rule.RETURN_ORDER)
                && isLive(message, retain, receipt)
                && known.ways.takes(message.topic)
                && (known.isToComeDirectly(message) || known.isToComeInOrder(message, changes))) {
            known.holdRound(new Held(message, qos, retain, ids, receipt, null));
        } else if (to.rules().holds(Rule.ARRIVED_FILTERS)
                && isLive(message, retain, receipt)
                && !known.ways.takes(message.topic)) {
            notWanted(to, receipt);
        } else {
            takeWithRound(to, known, message, qos, retain, ids, receipt);
        }
    }

    private static void take(
            ArrivedTarget to,
            Arrival known,
            Message message,
            int qos,
            boolean retain,
            int[] ids,
            @Nullable Receipt receipt) {
        if (!isLive(message, retain, receipt)) {
            to.deliverNow(message, qos, retain, ids, receipt);
            return;
        }
        Held direct = known.release(message);
        if (to.isAway()) {
            known.passOn(message);
            to.deliverNow(message, qos, retain, ids, receipt);
            passOn(to, direct);
        } else if (!known.take(message)) {
            to.whenKept(receipt);
        } else if (direct == null || direct.receipt() == null) {
            to.deliverNow(message, qos, retain, ids, receipt);
        } else {
            to.deliverNow(message, direct.qos(), direct.retain(), direct.ids(), direct.receipt());
            to.whenKept(receipt);
            answerWithIt(to, direct.before());
        }
    }

    private static void notWanted(ArrivedTarget to, @Nullable Receipt receipt) {
        if (to.isAway()) {
            Receipt.done(receipt);
        } else {
            // When it is kept that the session has unsubscribed.
            to.whenKept(receipt);
        }
    }

    /** Goes on to the session's next home, as often as somebody waits for it. */
    private static void passOn(ArrivedTarget from, @Nullable Held what) {
        for (Held each = what; each != null; each = each.before()) {
            from.deliverNow(each.message(), each.qos(), each.retain(), each.ids(), each.receipt());
        }
    }

    static void answerWithIt(ArrivedTarget to, @Nullable Held same) {
        for (Held each = same; each != null; each = each.before()) {
            to.whenKept(each.receipt());
        }
    }

    /**
     * A page of the queue has come: what it brings may come directly, too. One that was replayed as
     * a retained message is wanted both times.
     */
    static void paged(ArrivedTarget to, Arrival known, CopyPage page) {
        for (CopyPage.Entry each : page.entries()) {
            if (!each.retain()) {
                IngressId id = new IngressId(each.ingressServer(), each.ingressCounter());
                answerWithIt(to, known.arrived(id));
                answerWithIt(to, known.releaseRound(id));
            }
        }
    }

    /** What has come directly need not wait any more. */
    static void deliver(ArrivedTarget to, Arrival known, List<Held> released) {
        for (Held each : released) {
            deliver(to, known, each);
        }
    }

    static void deliver(ArrivedTarget to, Arrival known, Held each) {
        if (to.isAway()) {
            passOn(to, each);
        } else if (known.take(each.message())) {
            to.deliverNow(each.message(), each.qos(), each.retain(), each.ids(), each.receipt());
            answerWithIt(to, each.before());
        } else {
            answerWithIt(to, each);
        }
    }

    /** The same, but for what was published before the session subscribed. */
    static void deliverLater(ArrivedTarget to, Arrival known, List<Held> released) {
        for (Held each : released) {
            if (isEarlier(to, known, each)) {
                leaveOut(to, each);
            } else {
                deliver(to, known, each);
            }
        }
    }

    /**
     * The same when nothing comes round any more. What has not, since the node where it came in has
     * started anew before it had told the former home, nobody has acknowledged: its publisher sends
     * it again, and what was before it. It would overtake that here, and then be taken for known.
     */
    static void deliverLast(ArrivedTarget to, Arrival known, List<Held> released) {
        for (Held each : released) {
            if (isEarlier(to, known, each)) {
                leaveOut(to, each);
            } else if (to.isAway() || isAwaited(each)) {
                deliver(to, known, each);
            } else {
                answerWithIt(to, each);
            }
        }
    }

    private static boolean isEarlier(ArrivedTarget to, Arrival known, Held message) {
        return to.rules().holds(Rule.EARLIER_MESSAGES) && known.isEarlier(message);
    }

    private static void leaveOut(ArrivedTarget to, Held message) {
        for (Held same = message; same != null; same = same.before()) {
            notWanted(to, same.receipt());
        }
    }

    private static boolean isAwaited(Held message) {
        for (Held each = message; each != null; each = each.before()) {
            if (each.receipt() == null || each.receipt().isAwaited()) {
                return true;
            }
        }
        return false;
    }

    /** The same after UNSUBSCRIBE: what no other filter is for goes. */
    static void deliverIfWanted(ArrivedTarget to, Arrival known, List<Held> released) {
        for (Held each : released) {
            if (to.wants(each.message().topic)) {
                deliver(to, known, each);
            } else {
                answerWithIt(to, each);
            }
        }
    }

    /** The session has ended: who waits hears of that when it is kept. */
    static void dropped(Shard at, List<Held> released) {
        for (Held each : released) {
            for (Held same = each; same != null; same = same.before()) {
                Receipt waits = same.receipt();
                if (waits != null) {
                    at.afterCommit(waits::targetDone);
                }
            }
        }
    }
}
