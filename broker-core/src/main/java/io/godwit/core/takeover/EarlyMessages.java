package io.godwit.core.takeover;

import io.godwit.core.ack.Receipt;
import io.godwit.core.packet.ClientId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Messages that a former home has sent after a session and that have come before it: header and
 * messages take different ways. They wait for it here, in order.
 *
 * <p>Bounded by what the former home has to have answered; one that it sends once more since a link
 * broke is recognised by the session.
 */
final class EarlyMessages {
    /** Of one session; what comes beyond it comes again with the next link. */
    private static final int MAX = 100_000;

    private final Map<ClientId, Waiting> waiting = new HashMap<>(0);

    /** What waits for the session of one grant. */
    private static final class Waiting {
        final long changes;
        final List<Early> messages = new ArrayList<>();

        Waiting(long changes) {
            this.changes = changes;
        }
    }

    private record Early(Forwarded what, @Nullable Receipt receipt) {}

    /** Takes what waits. */
    interface Taker {
        void take(Forwarded what, @Nullable Receipt receipt);
    }

    /**
     * @param changes number of the grant for which the session is to come. What waits for a lower
     *     one goes: it never arrived for that, and what was sent after it is sent again for this
     */
    void add(long changes, Forwarded what, @Nullable Receipt receipt) {
        Waiting of = waiting.get(what.clientId());
        if (of == null || of.changes < changes) {
            of = new Waiting(changes);
            waiting.put(what.clientId(), of);
        }
        if (of.changes == changes && of.messages.size() < MAX) {
            of.messages.add(new Early(what, receipt));
        }
    }

    /** The session of that grant has come: takes out what waits for it. */
    void take(ClientId clientId, long changes, Taker to) {
        Waiting of = waiting.get(clientId);
        if (of == null || of.changes > changes) {
            return;
        }
        waiting.remove(clientId);
        if (of.changes == changes) {
            of.messages.forEach(each -> to.take(each.what, each.receipt));
        }
    }
}
