package io.godwit.core.session;

import io.godwit.core.id.IngressId;
import io.godwit.core.message.Message;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * Messages that came for a session since it came from another node: while its former home passes on
 * what still reaches it, the same message may come by both ways. Bounded: the oldest are forgotten.
 */
final class ArrivalMemory {
    static final int MAX = 20_000;

    private final Set<IngressId> ids = new LinkedHashSet<>();

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
}
