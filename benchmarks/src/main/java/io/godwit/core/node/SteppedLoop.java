package io.godwit.core.node;

import io.godwit.core.shard.ShardLoop;

/** The loop of one shard, which the benchmark's thread steps. */
final class SteppedLoop implements ShardLoop {
    private boolean hasMail;
    private boolean endsTurn;
    private boolean gathers;

    /**
     * One round of mail, and the end of the turn.
     *
     * @return whether there was anything to do
     */
    boolean step(BrokerShard shard) {
        if (!hasMail && !endsTurn && !gathers) {
            return false;
        }
        if (hasMail) {
            hasMail = false;
            shard.onMail();
        } else if (!endsTurn) {
            gathers = false;
            shard.onGathered();
        }
        if (endsTurn) {
            endsTurn = false;
            shard.onTurnEnd();
        }
        return true;
    }

    @Override
    public void wakeup() {
        hasMail = true;
    }

    @Override
    public void endTurnSoon() {
        endsTurn = true;
    }

    @Override
    public void gatherFor(int ms) {
        gathers = true;
    }

    @Override
    public boolean isInside() {
        return true;
    }
}
