package io.godwit.cluster.transport;

/**
 * Bounds and times of links.
 *
 * @param peerTimeoutMs a peer that is not heard for so long is silent
 * @param creditBytes by class: what a peer may have sent that is not {@linkplain PeerLink#taken
 *     taken} here, but for the message that goes beyond it
 * @param roomBytes by class: what may wait for a peer until {@link PeerLink#hasRoom} is false; more
 *     than the peer's credit, or that is never used up
 */
public record LinkSettings(long peerTimeoutMs, Bytes creditBytes, Bytes roomBytes) {
    /** Bytes for each class. */
    public record Bytes(
            long publishes, long appends, long control, long connections, long questions) {
        long of(TrafficClass traffic) {
            return switch (traffic) {
                case PUBLISHES -> publishes;
                case APPENDS -> appends;
                case CONTROL -> control;
                case CONNECTIONS -> connections;
                case QUESTIONS -> questions;
            };
        }
    }

    public static final LinkSettings DEFAULTS =
            new LinkSettings(
                    5_000,
                    new Bytes(4 << 20, 4 << 20, 2 << 20, 4 << 20, 1 << 20),
                    new Bytes(8 << 20, 8 << 20, 4 << 20, 8 << 20, 2 << 20));

    /**
     * What a peer may have sent of each class but control: this part of the memory, one in so many.
     */
    private static final int CREDIT_SHARE = 64;

    private static final long CREDIT_LEAST = 256 << 10;

    /**
     * These bounds for a node that has little memory.
     *
     * @param memoryBytes at which its memory alarm rises
     */
    public LinkSettings within(long memoryBytes) {
        long most = Math.max(CREDIT_LEAST, memoryBytes / CREDIT_SHARE);
        return new LinkSettings(
                peerTimeoutMs,
                new Bytes(
                        Math.min(creditBytes.publishes(), most),
                        Math.min(creditBytes.appends(), most),
                        creditBytes.control(),
                        Math.min(creditBytes.connections(), most),
                        Math.min(creditBytes.questions(), most)),
                roomBytes);
    }

    /** How often the links' thread looks at them. */
    public static final long TICK_MS = 100;

    /** After so long without a frame one is sent that says nothing but that we are here. */
    long heartbeatMs() {
        return Math.max(TICK_MS, peerTimeoutMs / 10);
    }

    /** A hello without an answer is sent again after so long. */
    long helloMs() {
        return Math.max(TICK_MS, Math.min(500, peerTimeoutMs / 4));
    }
}
