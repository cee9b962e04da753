package io.godwit.core.index;

import io.godwit.core.mail.SessionMail;
import io.godwit.core.message.Message;
import io.godwit.core.shard.Mail;
import io.godwit.core.shard.Shard;

/** Mail about the replay of retained messages, to a subscriber's session and back. */
final class ReplayMail {
    private ReplayMail() {}

    /** Brings a batch of a replay to the subscriber's session. */
    static final class Replay extends SessionMail<Subscriber> {
        private final RetainedReplay replay;
        private final Message[] messages;
        private final boolean last;

        Replay(RetainedReplay replay, Message[] messages, boolean last) {
            super(replay.session());
            this.replay = replay;
            this.messages = messages;
            this.last = last;
        }

        @Override
        public boolean deliver(Shard at) {
            replay.onBatch(at, messages, last);
            return true;
        }

        @Override
        protected int weight() {
            return Math.max(1, messages.length);
        }

        @Override
        protected long bytes() {
            long sum = 0;
            for (Message message : messages) {
                sum += message.accountedBytes();
            }
            return sum;
        }
    }

    /** Tells the retained store's shard that the subscriber has room for another batch. */
    static final class More extends Mail {
        private final RetainedReplay replay;

        More(RetainedReplay replay) {
            this.replay = replay;
        }

        @Override
        protected boolean handle(Shard at, int from) {
            replay.sendBatch(at);
            return true;
        }
    }
}
