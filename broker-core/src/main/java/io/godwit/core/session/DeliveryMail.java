package io.godwit.core.session;

import io.godwit.core.message.Message;
import io.godwit.core.routing.Subscription;
import io.godwit.core.shard.Mail;
import io.godwit.core.shard.Shard;
import org.jspecify.annotations.Nullable;

/** Messages on the way to sessions of another shard. */
final class DeliveryMail {
    private DeliveryMail() {}

    /** One message to one session. */
    static final class One extends SessionMail {
        private final Message message;
        private final Subscription subscription;
        private final @Nullable Receipt receipt;
        private final int home;

        /**
         * @param home shard of the receipt
         */
        One(Message message, Subscription subscription, @Nullable Receipt receipt, int home) {
            super((Session) subscription.session);
            this.message = message;
            this.subscription = subscription;
            this.receipt = receipt;
            this.home = home;
        }

        @Override
        boolean deliver(SessionShard at) {
            at.deliver(session, message, subscription, relay(at, receipt, home));
            return true;
        }

        @Override
        protected long bytes() {
            return message.accountedBytes();
        }
    }

    /** One message to many sessions; each may have moved, so each is looked at on its own. */
    static final class Many extends Mail {
        private final Message message;
        private final Subscription[] subscriptions;
        private final int count;
        private final @Nullable Receipt receipt;
        private final int home;

        /**
         * @param receipt told once for each durable session
         */
        Many(
                Message message,
                Subscription[] subscriptions,
                int count,
                @Nullable Receipt receipt,
                int home) {
            this.message = message;
            this.subscriptions = subscriptions;
            this.count = count;
            this.receipt = receipt;
            this.home = home;
        }

        @Override
        protected boolean handle(Shard shard, int from) {
            SessionShard at = (SessionShard) shard;
            for (int i = 0; i < count; i++) {
                Subscription subscription = subscriptions[i];
                Session session = (Session) subscription.session;
                if (session.owner() == at.index() && session.handOver() == null) {
                    at.deliver(session, message, subscription, relay(at, receipt, home));
                } else {
                    new One(message, subscription, receipt, home).handle(at, from);
                }
            }
            return true;
        }

        @Override
        protected int weight() {
            return count;
        }

        @Override
        protected long bytes() {
            return message.accountedBytes() + (long) count * Long.BYTES;
        }
    }

    private static @Nullable Receipt relay(SessionShard at, @Nullable Receipt receipt, int home) {
        if (receipt == null) {
            return null;
        }
        return home == at.index() ? receipt : new RelayReceipt(at, receipt, home);
    }
}
