package io.godwit.cluster.transport;

/**
 * How two nodes agree on a link: each gives it a number, and data goes out when the peer has said
 * that it is open for just these two numbers. Numbers only rise, so that what is late is known.
 *
 * <pre>
 * phase   what is known                               next, on a hello of the peer
 * HELLO   nothing, or the peer's number               AGREED when it names our number
 * AGREED  both know both numbers; we take data        OPEN when the peer has agreed
 * OPEN    the peer takes data                         HELLO, with a new number, when the peer's is
 *                                                     new
 * </pre>
 */
final class Handshake {
    /** How far it has come. */
    enum Phase {
        HELLO,
        AGREED,
        OPEN
    }

    /** What a hello of the peer leads to. */
    enum Step {
        NONE,
        /** The link that was agreed on has ended. */
        ENDED,
        AGREED,
        OPENED,
        /** Both at once. */
        AGREED_AND_OPENED
    }

    private Phase phase = Phase.HELLO;
    private long near;
    private long far;
    private long farEnded;

    /**
     * @param near number of the link that this side wants to open
     */
    Handshake(long near) {
        this.near = near;
    }

    Phase phase() {
        return phase;
    }

    long near() {
        return near;
    }

    /** The peer's number; 0 as long as it is not known. */
    long far() {
        return far;
    }

    /** The link is over for this side: the next one has a higher number, here and there. */
    void end(long nextNear) {
        near = nextNear;
        farEnded = Math.max(farEnded, far);
        far = 0;
        phase = Phase.HELLO;
    }

    /**
     * A hello of the same start of the peer.
     *
     * @param nextNear the number that this side takes if the peer has begun anew
     */
    Step onHello(long peerLink, Phase peerPhase, long peerEcho, long nextNear) {
        if (peerLink <= farEnded || peerLink < far) {
            return Step.NONE; // Of a link that has ended.
        }
        boolean ended = false;
        if (peerLink > far) {
            if (phase != Phase.HELLO) {
                end(nextNear);
                ended = true;
            }
            far = peerLink;
        }
        if (peerEcho != near) {
            return ended ? Step.ENDED : Step.NONE;
        }
        boolean agreed = phase == Phase.HELLO;
        if (agreed) {
            phase = Phase.AGREED;
        }
        boolean opened = phase == Phase.AGREED && peerPhase != Phase.HELLO;
        if (opened) {
            phase = Phase.OPEN;
        }
        if (agreed) {
            return opened ? Step.AGREED_AND_OPENED : Step.AGREED;
        }
        return opened ? Step.OPENED : Step.NONE;
    }

    /** Whether the peer needs an answer to go on. */
    boolean owesAnswer(Phase peerPhase, long peerEcho) {
        return peerEcho != near || peerPhase != Phase.OPEN;
    }
}
