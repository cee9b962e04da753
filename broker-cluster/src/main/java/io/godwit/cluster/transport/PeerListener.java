package io.godwit.cluster.transport;

import java.util.List;

/**
 * Is told what becomes of links. Calls come one after the other on the thread of the links, except
 * {@link #onRoom}; none may wait.
 *
 * <pre>
 * called       link is    | what it means
 * onUp         up         | both nodes have accepted each other's hello
 * onSilent     silent     | nothing came, or nothing was confirmed, for cluster.peer-timeout in which
 *                         | our own loop ran. Nobody waits for this peer any more; the link takes what
 *                         | is offered up to its bounds
 * onHeard      up         | it is back, and nothing was lost
 * onDown       down       | the link has ended: the pipe broke, the peer left or started anew
 * </pre>
 */
public interface PeerListener {
    /**
     * A link is open.
     *
     * @param resumed what the peer has received by former links between these two starts
     */
    void onUp(PeerLink link, Resumed resumed);

    void onSilent(PeerLink link);

    void onHeard(PeerLink link);

    /**
     * A link has ended. Nothing comes from it any more, and it takes nothing.
     *
     * @param unconfirmed what was offered and not confirmed, in the order of each class: the peer
     *     may have received a beginning of it. Whoever offered it decides whether it is sent again,
     *     there or elsewhere; when the same start of the peer is back, {@link Resumed} tells which
     */
    void onDown(PeerLink link, List<Unconfirmed> unconfirmed);

    /** {@link PeerLink#hasRoom} is true again. On any thread. */
    void onRoom(PeerLink link, TrafficClass traffic);
}
