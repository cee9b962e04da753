package io.godwit.core.session;

import io.godwit.core.ack.Receipt;
import io.godwit.core.id.HybridId;
import io.godwit.core.message.Message;
import org.jspecify.annotations.Nullable;

/** What sessions have to say to those who give and take client ids. On the owner's thread. */
public interface SessionOutside {
    /** It has ended and is forgotten, and that is kept. */
    void ended(Session session);

    /**
     * It wants the next page of its queue, from its last former home.
     *
     * @param above where that begins
     */
    void askForPage(Session session, HybridId above);

    /** All of its queue is here, and kept. */
    void filled(Session session);

    /**
     * A message came for a session that was given to another node: it goes after it.
     *
     * @param receipt told when it has been taken in there; null when nobody waits
     */
    void forward(
            Session session,
            Message message,
            int qos,
            boolean retain,
            int[] ids,
            @Nullable Receipt receipt);
}
