package io.godwit.core.session;

import io.godwit.core.ack.Receipt;
import io.godwit.core.ack.RelayReceipt;
import io.godwit.core.mail.SessionMail;
import io.godwit.core.message.Message;
import io.godwit.core.shard.Mail;
import io.godwit.core.shard.Shard;
import org.jspecify.annotations.Nullable;

/** Mail about retained messages, to and from the shard that owns the retained store. */
final class RetainedMail {
    private RetainedMail() {}

    /**
     * To the store's shard: keep it and route it, in one step, so that a subscriber gets it either
     * live or by replay.
     */
    static final class Publish extends Mail {
        private final Message message;
        private final @Nullable Receipt receipt;
        private final @Nullable ClientConnection connection;
        private final int replyTo;
        private Router.@Nullable FanOut fanOut;
        private int cost = 1;
        private @Nullable Receipt here;

        Publish(
                Message message,
                @Nullable Receipt receipt,
                @Nullable ClientConnection connection,
                int replyTo) {
            this.message = message;
            this.receipt = receipt;
            this.connection = connection;
            this.replyTo = replyTo;
        }

        @Override
        protected boolean handle(Shard shard, int from) {
            SessionShard at = (SessionShard) shard;
            ClientConnection publisher = connection;
            if (publisher == null) {
                at.publishHere(message, RelayReceipt.at(at, receipt, replyTo));
                return true;
            }
            // What comes behind it waits while a large fan-out goes slice by slice: order is kept.
            if (fanOut == null) {
                here = RelayReceipt.at(at, receipt, replyTo);
                fanOut = at.beginPublish(message, here);
            }
            int targets = fanOut.targetsLeft();
            boolean told = fanOut.slice();
            cost = 1 + targets - fanOut.targetsLeft();
            if (!told) {
                return false;
            }
            if (here != null && here.routed()) {
                here.onDone();
            }
            // The publisher's next message must not overtake this one.
            at.sendAfterAll(replyTo, new Routed(publisher, message, receipt));
            return true;
        }

        @Override
        protected int cost() {
            return cost;
        }

        @Override
        protected long bytes() {
            return message.accountedBytes();
        }
    }

    /** Back to the publisher's shard: what comes next may go. */
    private static final class Routed extends Mail {
        private final ClientConnection connection;
        private final Message message;
        private final @Nullable Receipt receipt;

        Routed(ClientConnection connection, Message message, @Nullable Receipt receipt) {
            this.connection = connection;
            this.message = message;
            this.receipt = receipt;
        }

        @Override
        protected boolean handle(Shard at, int from) {
            Publishing publishing = connection.publishing();
            if (publishing != null) {
                publishing.retainedRouted(message, receipt);
            }
            return true;
        }
    }

    /** To the subscriber's session: a batch of a replay. */
    static final class Replay extends SessionMail<Session> {
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
        public boolean deliver(Shard shard) {
            SessionShard at = (SessionShard) shard;
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

    /** To the store's shard: the subscriber has room for another batch. */
    static final class More extends Mail {
        private final RetainedReplay replay;

        More(RetainedReplay replay) {
            this.replay = replay;
        }

        @Override
        protected boolean handle(Shard at, int from) {
            replay.sendBatch((SessionShard) at);
            return true;
        }
    }
}
