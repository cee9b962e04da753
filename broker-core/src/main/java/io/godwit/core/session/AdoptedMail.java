package io.godwit.core.session;

import io.godwit.core.ack.Receipt;
import io.godwit.core.ack.RelayReceipt;
import io.godwit.core.message.Message;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.shard.Mail;
import io.godwit.core.shard.Shard;
import java.util.Objects;

/** Mail about queues of groups that this node has adopted, to their shard and from it. */
final class AdoptedMail {
    private AdoptedMail() {}

    /** Asks whether a message of QoS 2 is in an adopted queue of a group, or was. */
    static final class Ask extends Mail {
        private final OwnedGroups groups;
        private final TopicFilter group;
        private final Message message;
        private final Receipt receipt;
        private final int origin;
        private final Runnable ifUnknown;

        Ask(
                OwnedGroups groups,
                TopicFilter group,
                Message message,
                Receipt receipt,
                int origin,
                Runnable ifUnknown) {
            this.groups = groups;
            this.group = group;
            this.message = message;
            this.receipt = receipt;
            this.origin = origin;
            this.ifUnknown = ifUnknown;
        }

        @Override
        protected long bytes() {
            return message.accountedBytes();
        }

        @Override
        protected boolean handle(Shard at, int from) {
            Receipt here = Objects.requireNonNull(RelayReceipt.at(at, receipt, origin));
            if (!groups.hasAdopted(group, message, here)) {
                at.send(origin, new NotAdopted(ifUnknown));
            }
            return true;
        }
    }

    /** Tells whoever has asked that no adopted queue knows a message. */
    private static final class NotAdopted extends Mail {
        private final Runnable ifUnknown;

        NotAdopted(Runnable ifUnknown) {
            this.ifUnknown = ifUnknown;
        }

        @Override
        protected boolean handle(Shard at, int from) {
            ifUnknown.run();
            return true;
        }
    }
}
