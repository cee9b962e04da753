package io.godwit.core.node;

import io.godwit.core.shard.ShardLoop;

/** The thread of one shard: does only what the test asks for, on the test's thread. */
final class StepLoop implements ShardLoop {
    private BrokerShard shard;
    private boolean mailPending;
    private boolean endPending;

    void run(BrokerShard of) {
        shard = of;
    }

    /** One round of mail and the end of the turn. @return whether there was anything to do */
    boolean step() {
        if (!mailPending && !endPending) {
            return false;
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

    @Override
    public boolean isInside() {
        return true;
    }
}
