package io.godwit.core.session;

import io.godwit.core.ack.Receipt;
import io.godwit.core.message.Message;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Topic;
import io.godwit.core.session.HeldMessages.Held;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Which messages that have only come directly to a session, for others that were here before it,
 * are older than its subscription: a node may hear of a message long after it was published, and
 * does not know since when the session has a filter. But the session has a later message of the
 * same publisher and topic, from where it was before, or round by there. What a publisher sends on
 * a topic comes to each node in one order, and so does what goes round: an earlier message that was
 * for the session would have come there, and before that one.
 *
 * <p>Known by the streams in which both have come here: of each publisher, topic and stream the
 * last message that the session has otherwise. What is sent again says nothing, since it is sent
 * behind newer ones. What is not known is delivered.
 */
final class LaterMessages {
    private static final int MAX = 1_000;

    private final Map<Key, Receipt> last = new HashMap<>(0);

    private record Key(ClientId publisher, Topic topic, Object stream) {}

    /** A message comes directly, and the session has it. */
    void add(Message message, @Nullable Receipt receipt) {
        ClientId publisher = message.publisher;
        Object stream = receipt == null ? null : receipt.firstStream(message);
        if (receipt == null || publisher == null || stream == null) {
            return;
        }
        add(new Key(publisher, message.topic, stream), receipt);
    }

    private void add(Key key, Receipt receipt) {
        if (last.size() < MAX || last.containsKey(key)) {
            last.merge(key, receipt, (one, other) -> one.isBefore(other) ? other : one);
        }
    }

    LaterMessages copy() {
        LaterMessages same = new LaterMessages();
        same.last.putAll(last);
        return same;
    }

    void addAll(LaterMessages others) {
        others.last.forEach(this::add);
    }

    /**
     * The same of one that has waited, whoever has sent it.
     *
     * @return the same
     */
    @Nullable Held add(@Nullable Held message) {
        for (Held each = message; each != null; each = each.before()) {
            add(each.message(), each.receipt());
        }
        return message;
    }

    /** Whether a message came directly before one that the session has. */
    boolean hasBehind(Held message) {
        for (Held each = message; each != null; each = each.before()) {
            if (hasBehind(each.message(), each.receipt())) {
                return true;
            }
        }
        return false;
    }

    private boolean hasBehind(Message message, @Nullable Receipt receipt) {
        ClientId publisher = message.publisher;
        Object stream = receipt == null ? null : receipt.stream();
        if (receipt == null || publisher == null || stream == null) {
            return false;
        }
        Receipt later = last.get(new Key(publisher, message.topic, stream));
        return later != null && receipt.isBefore(later);
    }

    void clear() {
        last.clear();
    }
}
