package io.godwit.core.session;

import io.godwit.core.packet.ReasonCode;
import io.godwit.core.shard.Mail;
import io.godwit.core.shard.Shard;

/** Stands for a receipt of another shard; when its own targets are done, that one hears of it. */
final class RelayReceipt extends Receipt {
    private final Shard shard;
    private final Receipt original;
    private final int home;

    /**
     * @param home the original's shard
     */
    RelayReceipt(Shard shard, Receipt original, int home) {
        super(null, original.packetId, original.qos);
        this.shard = shard;
        this.original = original;
        this.home = home;
        this.hasIt = original.hasIt;
    }

    @Override
    void onDone() {
        shard.send(home, new Done(original, !hasFailed(), reason));
    }

    /** A receipt whose session has gone to another shard, and the one that stands for it there. */
    static final class Away {
        final Receipt arriving;
        private final Receipt left;
        private final Shard from;
        private final int to;

        /**
         * @param from the shard that {@code left} belongs to
         */
        Away(Shard from, int to, Receipt left) {
            this.from = from;
            this.to = to;
            this.left = left;
            this.arriving = left.arriving();
            left.goesOnAs(this);
        }

        void onDone() {
            from.send(to, new Done(arriving, !left.hasFailed(), left.reason));
        }
    }

    private static final class Done extends Mail {
        private final Receipt original;
        private final boolean taken;
        private final ReasonCode reason;

        Done(Receipt original, boolean taken, ReasonCode reason) {
            this.original = original;
            this.taken = taken;
            this.reason = reason;
        }

        @Override
        protected boolean handle(Shard at, int from) {
            if (reason != ReasonCode.SUCCESS) {
                original.reason = reason;
            }
            original.targetDone(taken);
            return true;
        }
    }
}
