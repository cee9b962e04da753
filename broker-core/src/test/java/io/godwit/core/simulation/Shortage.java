package io.godwit.core.simulation;

import io.godwit.core.settings.QueuePolicy;

/**
 * What there is too little of: time, room in queues, blocks that can be read. Of most seeds
 * nothing; the seeds above {@link #FROM} lack one of them at least, the lowest bits say which.
 *
 * @param expires whether messages of MQTT 5.0 have an expiry interval of a second or two, often
 * @param queueMessages that wait in one queue, at most
 * @param policy what happens then
 * @param readsFail whether pages of rows can't be read, now and then
 * @param smallPackets whether clients of MQTT 5.0 take small packets only, often
 */
public record Shortage(
        boolean expires,
        int queueMessages,
        QueuePolicy policy,
        boolean readsFail,
        boolean smallPackets) {
    public static final long FROM = 1_000_000;

    /** Above this the seeds up to twice it have clients that take small packets only. */
    public static final long SMALL_PACKETS_FROM = 4_000_000;

    /** Maximum Packet Size of such a client: about half of what is published is larger. */
    public static final int PACKET_BYTES = 45;

    private static final Shortage NONE =
            new Shortage(false, 1_000_000, QueuePolicy.DISCARD_NEWEST, false, false);

    static Shortage of(long seed) {
        boolean small = seed > SMALL_PACKETS_FROM && seed <= 2 * SMALL_PACKETS_FROM;
        if (!small && (seed <= FROM || seed > 2 * FROM)) {
            return NONE;
        }
        long number = seed - (small ? SMALL_PACKETS_FROM : FROM);
        int kinds = small ? (int) (number % 2) * 5 : 1 + (int) (number % 7);
        long draw = number / 7;
        int messages = draw % 2 == 0 ? 12 : 40;
        QueuePolicy[] policies = QueuePolicy.values();
        return new Shortage(
                (kinds & 1) != 0,
                (kinds & 2) != 0 ? messages : NONE.queueMessages,
                (kinds & 2) != 0 ? policies[(int) (draw % policies.length)] : NONE.policy,
                (kinds & 4) != 0,
                small);
    }

    /** Whether queues may be full. */
    boolean isLimited() {
        return queueMessages < NONE.queueMessages;
    }
}
