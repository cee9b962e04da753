package io.godwit.core.node;

import io.godwit.core.shard.ShardLoop;

/** The thread of one shard: does only what the test asks for, on the test's thread. */
final class StepLoop implements ShardLoop {
    @SuppressWarnings("NullAway.Init") // set by run(...)
    private BrokerShard shard;

    private boolean mailPending;
    private boolean endPending;
    private boolean gathers;

    void run(BrokerShard of) {
        shard = of;
    }

    /** One round of mail and the end of the turn. @return whether there was anything to do */
    boolean step() {
        if (!mailPending && !endPending) {
            if (!gathers) {
                return false;
            }
            gathers = false;
            shard.onGathered();
        }
        if (mailPending) {
            mailPending = false;
            shard.onMail();
        }
        endTurn();
        return true;
    }

    /** The end of the turn alone: what came in bytes is answered, mail is left. */
    void endTurn() {
        if (endPending) {
            endPending = false;
            shard.onTurnEnd();
        }
    }

    @Override
    public void wakeup() {
        mailPending = true;
    }

    @Override
    public void endTurnSoon() {
        endPending = true;
    }

    /** Time does not pass in a step: it is over when there is nothing else to do. */
    @Override
    public void gatherFor(int ms) {
        gathers = true;
    }

    @Override
    public boolean isInside() {
        return true;
    }
}
