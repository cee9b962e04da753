package io.godwit.core.publish;

import io.godwit.core.ack.Receipt;
import io.godwit.core.ack.RelayReceipt;
import io.godwit.core.load.CrowdBrake;
import io.godwit.core.mail.Recipient;
import io.godwit.core.mail.SessionMail;
import io.godwit.core.message.Message;
import io.godwit.core.routing.Subscription;
import io.godwit.core.shard.Mail;
import io.godwit.core.shard.Shard;
import org.jspecify.annotations.Nullable;

/** Mail with messages for sessions of another shard. */
final class DeliveryMail {
    private DeliveryMail() {}

    /** Brings one message to one session. */
    static final class One extends SessionMail<Recipient> {
        private final Message message;
        private final Subscription subscription;
        private final int mails;
        private final @Nullable Receipt receipt;
        private final int origin;

        /**
         * @param mails about so many bring the message, which is in memory once
         * @param origin shard of the receipt
         */
        One(
                Message message,
                Subscription subscription,
                int mails,
                @Nullable Receipt receipt,
                int origin) {
            super((Recipient) subscription.session);
            this.message = message;
            this.mails = mails;
            this.subscription = subscription;
            this.receipt = receipt;
            this.origin = origin;
        }

        @Override
        public boolean deliver(Shard at) {
            DeliveryMail.deliver(
                    session, message, subscription, RelayReceipt.at(at, receipt, origin));
            return true;
        }

        @Override
        protected long bytes() {
            return message.accountedBytes() / mails;
        }
    }

    /**
     * Brings one message to many sessions; each may have moved, so each is looked at on its own.
     */
    static final class Many extends Mail {
        private final Message message;
        private final Subscription[] subscriptions;
        private final int count;
        private final long share;
        private final @Nullable Receipt receipt;
        private final int origin;
        private final @Nullable CrowdBrake crowd;

        /**
         * @param share of the message's bytes: it is in memory once, whatever the number of mails
         * @param receipt told once for each durable session
         * @param crowd of the shard that it goes to, when it is a part of a large fan-out
         */
        Many(
                Message message,
                Subscription[] subscriptions,
                int count,
                long share,
                @Nullable Receipt receipt,
                int origin,
                @Nullable CrowdBrake crowd) {
            this.message = message;
            this.subscriptions = subscriptions;
            this.count = count;
            this.share = share;
            this.receipt = receipt;
            this.origin = origin;
            this.crowd = crowd;
        }

        @Override
        protected boolean handle(Shard at, int from) {
            at.gather(crowd != null);
            for (int i = 0; i < count; i++) {
                Subscription subscription = subscriptions[i];
                Recipient session = (Recipient) subscription.session;
                if (session.isHere(at.index())) {
                    DeliveryMail.deliver(
                            session, message, subscription, RelayReceipt.at(at, receipt, origin));
                } else {
                    new One(message, subscription, count, receipt, origin).handle(at, from);
                }
            }
            at.gather(false);
            if (crowd != null) {
                crowd.onHandled(count);
            }
            return true;
        }

        @Override
        protected int weight() {
            return count;
        }

        @Override
        protected long bytes() {
            return share + (long) count * Long.BYTES;
        }
    }

    /** Delivers to a session that is here, as its subscription has it. */
    static void deliver(
            Recipient session,
            Message message,
            Subscription subscription,
            @Nullable Receipt receipt) {
        session.deliver(
                message,
                Math.min(message.qos, subscription.qos),
                subscription.retainAsPublished && message.retain,
                subscription.ids,
                receipt);
    }
}
