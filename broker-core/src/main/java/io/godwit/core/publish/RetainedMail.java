package io.godwit.core.publish;

import io.godwit.core.ack.Receipt;
import io.godwit.core.ack.RelayReceipt;
import io.godwit.core.message.Message;
import io.godwit.core.routing.NodeRef;
import io.godwit.core.routing.RouteTarget;
import io.godwit.core.shard.Mail;
import io.godwit.core.shard.Shard;
import org.jspecify.annotations.Nullable;

/** Mail about retained messages, to and from the shard that owns the retained store. */
final class RetainedMail {
    private RetainedMail() {}

    /**
     * Has the store's shard keep and route a message in one step, so that a subscriber gets it
     * either live or by replay.
     */
    static final class Publish extends Mail implements Feeder {
        private final Router router;
        private final Message message;
        private final @Nullable Receipt receipt;
        private final @Nullable Publishing publishing;
        private final NodeRef[] late;
        private final int replyTo;
        private @Nullable FanOut fanOut;
        private int cost = 1;
        private @Nullable Receipt here;
        private @Nullable RouteTarget full;

        /**
         * @param router the router of the store's shard
         * @param publishing told when it is routed; null when the broker itself publishes
         * @param late nodes that have got it already
         */
        Publish(
                Router router,
                Message message,
                @Nullable Receipt receipt,
                @Nullable Publishing publishing,
                NodeRef[] late,
                int replyTo) {
            this.router = router;
            this.message = message;
            this.receipt = receipt;
            this.publishing = publishing;
            this.late = late;
            this.replyTo = replyTo;
        }

        @Override
        protected boolean handle(Shard at, int from) {
            Publishing publisher = publishing;
            if (publisher == null) {
                router.publishHere(message, RelayReceipt.at(at, receipt, replyTo), late);
                return true;
            }
            // What comes behind it waits while a large fan-out goes slice by slice: order is kept.
            if (fanOut == null) {
                here = RelayReceipt.at(at, receipt, replyTo);
                fanOut = router.begin(message, here, late, this);
            }
            int targets = fanOut.targetsLeft();
            boolean told = fanOut.slice();
            cost = 1 + targets - fanOut.targetsLeft() + router.routes().takeFound();
            if (!told) {
                return false;
            }
            if (here != null && here.routed()) {
                here.onDone();
            }
            RouteTarget target = full;
            // The publisher's next message must not overtake this one, on other nodes neither.
            router.nodes()
                    .whenRetainedAnswered(() ->
                            at.sendAfterAll(
                                    replyTo, new Routed(publisher, message, receipt, target)));
            return true;
        }

        @Override
        public void feeds(RouteTarget target) {
            full = target;
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

    /** Tells the publisher's shard that what comes next may go. */
    private static final class Routed extends Mail {
        private final Publishing publishing;
        private final Message message;
        private final @Nullable Receipt receipt;
        private final @Nullable RouteTarget full;

        Routed(
                Publishing publishing,
                Message message,
                @Nullable Receipt receipt,
                @Nullable RouteTarget full) {
            this.full = full;
            this.publishing = publishing;
            this.message = message;
            this.receipt = receipt;
        }

        @Override
        protected boolean handle(Shard at, int from) {
            if (full != null) {
                publishing.feeds(full);
            }
            publishing.retainedRouted(message, receipt);
            return true;
        }
    }
}
