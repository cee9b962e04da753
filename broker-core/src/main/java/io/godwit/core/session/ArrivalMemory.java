package io.godwit.core.session;

import io.godwit.core.id.IngressId;
import io.godwit.core.message.Message;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Messages that came for a session since it came from another node: while its former home passes on
 * what still reaches it, the same message may come by both ways. Bounded: the oldest are forgotten.
 */
final class ArrivalMemory {
    static final int MAX = 20_000;

    private final Set<IngressId> ids = new LinkedHashSet<>();

    /** QoS 2 messages that their publishers will not send again. */
    private final List<IngressId> toForget = new ArrayList<>(0);

    /**
     * @return false when it has come before
     */
    boolean add(Message message) {
        if (!ids.add(new IngressId(message.ingressServer, message.ingressCounter))) {
            return false;
        }
        if (ids.size() > MAX) {
            Iterator<IngressId> oldest = ids.iterator();
            oldest.next();
            oldest.remove();
        }
        return true;
    }

    /** Notes that the queue need not remember a message once it can't be passed on any more. */
    void forgetLater(int ingressServer, long ingressCounter) {
        if (toForget.size() < MAX) {
            toForget.add(new IngressId(ingressServer, ingressCounter));
        }
    }

    List<IngressId> toForget() {
        return toForget;
    }
}
