package io.godwit.core.session;

import io.godwit.core.message.Message;
import io.godwit.core.session.HeldMessages.Held;
import io.godwit.core.shard.Shard;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What waits in an earlier copy of a session that is back: it goes on waiting there, in front of
 * what comes from now on, with what is known to be older than the subscription.
 */
public final class StillWaiting {
    private final int from;
    private final LaterMessages later;

    /** What has come directly, in order. */
    private final List<Held> direct;

    /** What has come round, in order. */
    private final List<Held> round;

    private StillWaiting(int from, LaterMessages later, List<Held> direct, List<Held> round) {
        this.from = from;
        this.later = later;
        this.direct = direct;
        this.round = round;
    }

    /**
     * Takes it out.
     *
     * @param from the shard where the copy is
     */
    static StillWaiting of(Arrival copy, int from, boolean both) {
        return new StillWaiting(
                from, copy.later(), both ? copy.takeHeld() : List.of(), copy.takeHeldRound());
    }

    /**
     * @param known of the session; null when nothing comes round for it any more
     * @param at where it is
     */
    void goOn(ArrivedTarget to, @Nullable Arrival known, Shard at) {
        if (known != null) {
            known.knowsLater(later);
        }
        goOn(to, known, at, direct, false);
        goOn(to, known, at, round, true);
    }

    private void goOn(
            ArrivedTarget to, @Nullable Arrival known, Shard at, List<Held> all, boolean isRound) {
        List<Held> here = all.stream().map(each -> each.at(at, from)).toList();
        if (known == null) {
            ArrivedMessages.dropped(at, here);
        } else {
            here.forEach(each -> goOn(to, known, each, isRound));
        }
    }

    private static void goOn(ArrivedTarget to, Arrival known, Held each, boolean isRound) {
        Message message = each.message();
        if (!to.wants(message.topic) || known.ways.comesOtherwise(message.topic)) {
            ArrivedMessages.answerWithIt(to, each);
        } else if (known.isToWait(message) || isRound && known.isToComeDirectly(message)) {
            holdAgain(known, each, isRound);
        } else if (isRound) {
            ArrivedMessages.deliver(to, known, each);
        } else {
            ArrivedMessages.deliverLater(to, known, List.of(each));
        }
    }

    private static void holdAgain(Arrival known, Held what, boolean isRound) {
        Held before = what.before();
        if (before != null) {
            holdAgain(known, before, isRound);
        }
        if (isRound) {
            known.holdRound(what);
        } else {
            known.hold(what);
        }
    }
}
