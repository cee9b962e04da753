package io.godwit.core.shard;

import java.util.Arrays;

/** Mail for one other shard, gathered during a turn. */
final class Outbox {
    private static final int CAPACITY_FIRST = 64;

    private Mail[] mails = new Mail[CAPACITY_FIRST];
    private int count;
    private int weight;
    private long bytes;

    void add(Mail mail) {
        if (count == mails.length) {
            mails = Arrays.copyOf(mails, count * 2);
        }
        mails[count++] = mail;
        weight += mail.weight();
        bytes += mail.bytes();
    }

    boolean isEmpty() {
        return count == 0;
    }

    Mailbox.Batch take(int from) {
        Mailbox.Batch batch = new Mailbox.Batch(from, mails, count, weight, bytes);
        mails = new Mail[Math.max(CAPACITY_FIRST, Integer.highestOneBit(count))];
        count = 0;
        weight = 0;
        bytes = 0;
        return batch;
    }
}
