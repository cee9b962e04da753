package io.godwit.cluster.remote;

/**
 * Counts one direction of a channel where it is sent. The limit is a mark above which nothing more
 * is begun: what is written nevertheless is sent.
 */
final class SendWindow {
    private long sent;
    private long taken;
    private long limit;

    SendWindow(int first) {
        limit = first;
    }

    void sent(int bytes) {
        sent += bytes;
    }

    /** Bytes sent that the other side has not taken. */
    long pending() {
        return sent - taken;
    }

    /** Whether more may be begun. */
    boolean isBelow() {
        return sent < limit;
    }

    /**
     * The other side has taken bytes and allows more.
     *
     * @throws IndexOutOfBoundsException when so many were never sent
     */
    void credit(long bytesTaken, long granted) {
        if (bytesTaken < 0 || bytesTaken > pending() || granted < 0) {
            throw new IndexOutOfBoundsException(
                    bytesTaken + " taken and " + granted + " granted of " + pending());
        }
        taken += bytesTaken;
        limit += granted;
    }

    void shrink(long bytes) {
        limit -= bytes;
    }
}
