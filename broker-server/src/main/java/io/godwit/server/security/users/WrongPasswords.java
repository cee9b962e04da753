package io.godwit.server.security.users;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Wrong passwords of addresses, and how long who guesses has to wait for the next try.
 *
 * <p>After {@link #OF_USER} within a minute for one user, those of this address for this user are
 * checked one after the other, 1, 2, 4 ... 30 s apart; after {@link #OF_ADDRESS} all those of this
 * address, whoever they name. A minute without a wrong one ends that. Any thread.
 */
final class WrongPasswords {
    static final int OF_USER = 5;
    static final int OF_ADDRESS = 50;

    /** The answer to who would have to wait too long. */
    static final long TOO_LONG = -1;

    /** Addresses, and pairs of address and user, that are remembered. */
    static final int RECORDS_MAX = 20_000;

    private static final long WINDOW_MS = 60_000;
    private static final long FIRST_MS = 1_000;
    private static final long MOST_MS = 30_000;
    private static final int DOUBLINGS_MAX = 5;
    private static final long LOG_EVERY_MS = 10_000;

    private record Pair(String address, long user) {}

    /** Wrong ones of an address, or of an address and user. */
    private static final class Failures {
        private final int allowed;
        private final long sinceMs;
        private int count;
        private long lastMs;

        /** When the next one may be checked. */
        private long nextMs;

        private long loggedMs;
        private long unlogged;

        Failures(int allowed, long nowMs) {
            this.allowed = allowed;
            this.sinceMs = nowMs;
            this.lastMs = nowMs;
            this.nextMs = nowMs;
            this.loggedMs = nowMs - LOG_EVERY_MS;
        }

        boolean isOver(long nowMs) {
            return nowMs - (count < allowed ? sinceMs : lastMs) >= WINDOW_MS;
        }

        long delayMs() {
            return count < allowed
                    ? 0
                    : Math.min(MOST_MS, FIRST_MS << Math.min(DOUBLINGS_MAX, count - allowed));
        }

        void add(long nowMs) {
            count++;
            lastMs = nowMs;
            nextMs = Math.max(nextMs, nowMs + delayMs());
        }

        long logDue(long nowMs) {
            unlogged++;
            if (nowMs - loggedMs < LOG_EVERY_MS) {
                return 0;
            }
            long times = unlogged;
            unlogged = 0;
            loggedMs = nowMs;
            return times;
        }
    }

    private final Map<Pair, Failures> pairs = new Table<>();
    private final Map<String, Failures> addresses = new Table<>();

    /** Forgets the one whose last wrong password is the longest ago. */
    private static final class Table<K> extends LinkedHashMap<K, Failures> {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<K, Failures> eldest) {
            return size() > RECORDS_MAX;
        }
    }

    /**
     * Gives a turn for one check.
     *
     * @param user a hash of the name, which may be long
     * @return milliseconds until then; {@link #TOO_LONG}: more than may be waited for, and no turn
     */
    synchronized long turn(String address, long user, long nowMs, long patienceMs) {
        Failures ofPair = find(pairs, new Pair(address, user), nowMs);
        Failures ofAddress = find(addresses, address, nowMs);
        long atMs = nowMs;
        for (Failures each : new @Nullable Failures[] {ofPair, ofAddress}) {
            if (each != null && each.delayMs() > 0) {
                atMs = Math.max(atMs, each.nextMs);
            }
        }
        if (atMs - nowMs > patienceMs) {
            return TOO_LONG;
        }
        for (Failures each : new @Nullable Failures[] {ofPair, ofAddress}) {
            if (each != null && each.delayMs() > 0) {
                each.nextMs = atMs + each.delayMs();
            }
        }
        return atMs - nowMs;
    }

    /** Whether checks of this address for this user need a turn. */
    synchronized boolean isSlowed(String address, long user, long nowMs) {
        Failures ofPair = find(pairs, new Pair(address, user), nowMs);
        Failures ofAddress = find(addresses, address, nowMs);
        return ofPair != null && ofPair.delayMs() > 0
                || ofAddress != null && ofAddress.delayMs() > 0;
    }

    /** Counts a wrong one; returns how many are to be logged now, this one included; 0: none. */
    synchronized long failed(String address, long user, long nowMs) {
        Failures ofPair = add(pairs, new Pair(address, user), OF_USER, nowMs);
        add(addresses, address, OF_ADDRESS, nowMs);
        return ofPair.logDue(nowMs);
    }

    /** Forgets the wrong ones of this address for this user: one was right. */
    synchronized void succeeded(String address, long user) {
        pairs.remove(new Pair(address, user));
    }

    /** Returns how many addresses and pairs are remembered. */
    synchronized int size() {
        return pairs.size() + addresses.size();
    }

    private static <K> @Nullable Failures find(Map<K, Failures> in, K key, long nowMs) {
        Failures found = in.get(key);
        return found == null || found.isOver(nowMs) ? null : found;
    }

    private static <K> Failures add(Map<K, Failures> to, K key, int allowed, long nowMs) {
        Failures found = to.remove(key);
        if (found == null || found.isOver(nowMs)) {
            found = new Failures(allowed, nowMs);
        }
        found.add(nowMs);
        to.put(key, found); // as the youngest
        return found;
    }
}
