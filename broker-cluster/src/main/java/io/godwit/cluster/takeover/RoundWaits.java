package io.godwit.cluster.takeover;

import io.godwit.cluster.transport.NodeStart;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * When whatever was sent until now to the first of a session's former homes has come round to where
 * the session is: it goes from there by each of the next ones.
 *
 * <p>That is so when the first home has answered for all of it. It answers for what it has passed
 * on when the session has taken that. But it answers for the messages of all sessions there, and
 * some of those may wait: in a circle, for what this one holds back as long as it waits. So the
 * answer is not waited for without end. When all is <i>handled</i> there, which waits for nobody
 * who waits himself, the homes have a time in which to pass it on. It counts as long as all of them
 * are linked, and none starts anew: the next start hears again of what was not answered, and so it
 * is asked for anew.
 */
final class RoundWaits {
    /**
     * For what a home holds to come round, behind what is on its way already: far longer than what
     * is waited for on a link that is not broken.
     */
    static final long PASS_ON_MS = 10_000;

    private final LastWord ways;
    private final IntFunction<@Nullable NodeStart> linked;
    private final Consumer<Runnable> later;

    /**
     * @param linked the start of a node that there is a link to, by server id; else null
     * @param later runs something when {@link #PASS_ON_MS} have passed
     */
    RoundWaits(LastWord ways, IntFunction<@Nullable NodeStart> linked, Consumer<Runnable> later) {
        this.ways = ways;
        this.linked = linked;
        this.later = later;
    }

    /**
     * Runs a task then.
     *
     * @param homes server ids of the former homes that pass it on, the first one first
     * @param task told whether it has come round, or only is not waited for any longer
     */
    void whenComeRound(List<Integer> homes, Consumer<Boolean> task) {
        Wait wait = new Wait(homes, task);
        ways.whenAnswered(homes.getFirst(), task, () -> wait.over(true));
        wait.untilHandled();
    }

    private final class Wait {
        private final List<Integer> homes;
        private final Consumer<Boolean> task;
        private boolean isOver;

        Wait(List<Integer> homes, Consumer<Boolean> task) {
            this.homes = homes;
            this.task = task;
        }

        void untilHandled() {
            if (!isOver) {
                ways.whenClear(homes.getFirst(), this, this::untilPassedOn);
            }
        }

        private void untilPassedOn() {
            if (!isOver) {
                List<@Nullable NodeStart> starts = starts();
                later.accept(() -> late(starts));
            }
        }

        private void late(List<@Nullable NodeStart> before) {
            List<@Nullable NodeStart> now = starts();
            if (now.contains(null) || !now.equals(before)) {
                untilHandled();
            } else {
                over(false);
            }
        }

        private List<@Nullable NodeStart> starts() {
            List<@Nullable NodeStart> all = new ArrayList<>(homes.size());
            homes.forEach(each -> all.add(linked.apply(each)));
            return all;
        }

        void over(boolean isKnown) {
            if (!isOver) {
                isOver = true;
                task.accept(isKnown);
            }
        }
    }
}
