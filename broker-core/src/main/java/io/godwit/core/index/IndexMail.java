package io.godwit.core.index;

import io.godwit.core.shard.Mail;
import io.godwit.core.shard.Mailer;
import io.godwit.core.shard.Shard;

/**
 * Mail to the topic index. What is too long for one slice goes on in the index's backlog, and so
 * does everything that comes behind it, also from the index's own shard: order is kept.
 */
abstract class IndexMail extends Mail {
    private final IndexOwner index;

    /** Filters added or removed in one slice: some microseconds each. */
    static final int SLICE = 200;

    /** Units of a slice of mail that one filter takes. */
    private static final int FILTER_COST = 5;

    private int cost;

    /**
     * @param index on its own shard
     */
    IndexMail(IndexOwner index) {
        this.index = index;
    }

    /**
     * Does the next slice of this mail's work.
     *
     * @param from shard that sent it
     * @return how many filters it took; {@link #isDone} tells whether more follow
     */
    abstract int work(IndexOwner index, Mailer at, int from);

    abstract boolean isDone();

    @Override
    protected final boolean handle(Shard at, int from) {
        if (index.isBehind()) {
            cost = 1;
            index.later(this, from);
            return true;
        }
        cost = 1 + FILTER_COST * work(index, at, from);
        if (!isDone()) {
            index.later(this, from);
        }
        return true;
    }

    @Override
    protected final int cost() {
        return cost;
    }
}
