package io.godwit.core.takeover;

import io.godwit.core.packet.ClientId;
import java.util.function.Consumer;

/** Finds the homes of sessions that this node does not have. */
public interface Homes {
    /** The homes seen from a node that is alone: nobody else has a session. */
    Homes ALONE = (clientId, answer) -> answer.accept(Holder.UNKNOWN);

    /**
     * Asks for the home of a client id's session.
     *
     * @param answer told once, on the asking shard's thread, at once or later: {@link
     *     Holder.Elsewhere}, or {@link Holder.Unknown} when there is no such session
     */
    void ask(ClientId clientId, Consumer<Holder> answer);
}
