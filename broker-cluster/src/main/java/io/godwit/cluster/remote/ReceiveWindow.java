package io.godwit.cluster.remote;

/**
 * Counts one direction of a channel where it is received, and decides how much the sender may
 * begin.
 *
 * <pre>
 *            taken         received        limit
 *   ----------|===============|--------------|
 *             |<--- held ---->|
 *             |<--- at most window + shrinking + draining --->|
 * </pre>
 *
 * The limit never retreats by itself: a window shrinks by keeping credit back, and where that would
 * take too long by SHRINK, which the sender answers. A window doubles when its sender has used it
 * up and everything was taken. So the bytes that a channel can hold here are known at any time, but
 * for what a sender that was below its limit writes at once.
 */
final class ReceiveWindow {
    private final WindowBudget budget;
    private long received;
    private long taken;
    private long told;
    private long limit;
    private int window;
    private int shrinking;

    /** Bytes that came before the sender had lowered its limit, and are above the window. */
    private int draining;

    private boolean usedUp;
    private long lookedAt;

    ReceiveWindow(WindowBudget budget) {
        this.budget = budget;
        window = budget.marks().first();
        limit = window;
        budget.begin();
    }

    void received(int bytes) {
        received += bytes;
    }

    /** The sender waits for credit. */
    void usedUp() {
        usedUp = true;
    }

    void take(long bytes) {
        taken += bytes;
        if (draining > 0) {
            int left = Math.clamp(held() - window, 0, draining);
            budget.release(draining - left);
            draining = left;
        }
    }

    /** Bytes received and not taken. */
    long held() {
        return received - taken;
    }

    /** Bytes that may be under way to this side or held here, but for the last write of all. */
    int reserved() {
        return window + shrinking + draining;
    }

    /** Whether bytes were taken of which the sender is not told. */
    boolean hasNews() {
        return taken > told;
    }

    /**
     * Whether the sender is to be told, whatever else there is to say: much was taken, or it waits
     * and everything was taken.
     */
    boolean isDue() {
        return taken - told >= budget.marks().tell() || usedUp && taken == received;
    }

    /** Bytes taken since this was called last; see {@link #grant}. */
    long tellTaken() {
        long news = taken - told;
        told = taken;
        return news;
    }

    /** Bytes more that the sender may begin now; called with {@link #tellTaken}. */
    long grant() {
        if (usedUp && taken == received) {
            usedUp = false;
            if (window < budget.marks().most() && budget.grow(window)) {
                window *= 2;
            }
        }
        long granted = Math.max(0, taken + window + shrinking - limit);
        limit += granted;
        return granted;
    }

    /** Whether it is larger than at first. */
    boolean hasGrown() {
        return window > budget.marks().first();
    }

    /** Whether anything has come since this was asked last. */
    boolean takeUsed() {
        boolean used = received > lookedAt;
        lookedAt = received;
        return used;
    }

    /**
     * Makes it as small as at first.
     *
     * @return bytes by which the sender is to lower its limit; it answers. 0: credit that is kept
     *     back does it
     */
    int shrink() {
        int kept = window + shrinking;
        window = budget.marks().first();
        int more = (int) Math.max(0, limit - shrinking - taken - window);
        shrinking += more;
        budget.release(kept - window - shrinking);
        return more;
    }

    /**
     * The sender has lowered its limit.
     *
     * @throws IndexOutOfBoundsException when it was not asked to
     */
    void shrunk(long bytes) {
        if (bytes < 0 || bytes > shrinking) {
            throw new IndexOutOfBoundsException(bytes + " of " + shrinking);
        }
        limit -= bytes;
        shrinking -= (int) bytes;
        int stays = (int) Math.clamp(held() - window - draining, 0, bytes);
        draining += stays;
        budget.release(bytes - stays);
    }

    /** The channel has ended. */
    void close() {
        budget.end(reserved());
        window = 0;
        draining = 0;
        shrinking = 0;
    }
}
