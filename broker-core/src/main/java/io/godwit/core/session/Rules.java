package io.godwit.core.session;

/**
 * Rules whose absence the simulator must notice (design section 11). In production each holds; only
 * test code makes an instance in which one does not.
 *
 * @param registrar CONNECTs of one client id pass one after the other
 * @param marker the new owner holds direct mail back until the sender's marker has come
 * @param waitForStore acknowledgements wait for the commit
 * @param forwarding the old owner forwards what reaches it after a hand-over
 * @param packetIdsReserved a packet id stays in use until its handshake has ended
 * @param packetIdBefore the packet id before the first one of each session: 0, or near 65 535 to
 *     meet the wrap early
 */
public record Rules(
        boolean registrar,
        boolean marker,
        boolean waitForStore,
        boolean forwarding,
        boolean packetIdsReserved,
        int packetIdBefore) {
    /** Every rule holds. */
    public static final Rules ALL = new Rules(true, true, true, true, true, 0);

    public Rules packetIdsFrom(int before) {
        return new Rules(registrar, marker, waitForStore, forwarding, packetIdsReserved, before);
    }
}
