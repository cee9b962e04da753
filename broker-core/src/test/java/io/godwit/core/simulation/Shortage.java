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
 */
public record Shortage(boolean expires, int queueMessages, QueuePolicy policy, boolean readsFail) {
    public static final long FROM = 1_000_000;

    private static final Shortage NONE =
            new Shortage(false, 1_000_000, QueuePolicy.DISCARD_NEWEST, false);

    static Shortage of(long seed) {
        if (seed <= FROM || seed > 2 * FROM) {
            return NONE;
        }
        long number = seed - FROM;
        int kinds = 1 + (int) (number % 7);
        long draw = number / 7;
        int messages = draw % 2 == 0 ? 12 : 40;
        QueuePolicy[] policies = QueuePolicy.values();
        return new Shortage(
                (kinds & 1) != 0,
                (kinds & 2) != 0 ? messages : NONE.queueMessages,
                (kinds & 2) != 0 ? policies[(int) (draw % policies.length)] : NONE.policy,
                (kinds & 4) != 0);
    }

    /** Whether queues may be full. */
    boolean isLimited() {
        return queueMessages < NONE.queueMessages;
    }
}
