package io.godwit.server.security.users;

import io.godwit.core.packet.KeyedHash;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Lets logins wait that an address has to wait with, and logs wrong ones. Any thread. */
final class LoginGate {
    /** Logins that wait; further ones are refused at once. */
    static final int WAITING_MAX = 10_000;

    /** Lines of the log in ten seconds. */
    private static final int LINES_MAX = 64;

    private static final long LINES_MS = 10_000;
    private static final Logger log = LoggerFactory.getLogger(LoginGate.class);

    private final WrongPasswords wrong = new WrongPasswords();
    private final KeyedHash names;
    private final Delay delay;
    private final long patienceMs;
    private final LongSupplier nowMs;
    private final UsersMetrics metrics;
    private final AtomicInteger waiting = new AtomicInteger();

    // Below: with the lock of this.
    private long windowMs;
    private int lines;
    private long untold;

    /** Calls back after a while, on a thread of its own or on any other, without blocking one. */
    interface Delay {
        void after(long ms, Runnable task);
    }

    /** A login that is checked, or refused because of wrong ones before it. */
    interface Login {
        String address();

        String userName();

        /**
         * @param hasTurn whether it has had to have a turn, and need not enter again
         */
        void check(boolean hasTurn);

        void refuse();
    }

    /**
     * @param patienceMs a login may wait
     * @param nowMs monotonic
     */
    LoginGate(
            KeyedHash names,
            Delay delay,
            long patienceMs,
            LongSupplier nowMs,
            UsersMetrics metrics) {
        this.names = names;
        this.delay = delay;
        this.patienceMs = patienceMs;
        this.nowMs = nowMs;
        this.metrics = metrics;
        this.windowMs = nowMs.getAsLong();
    }

    /**
     * Has it checked now, or when its turn has come, or refused after the time that it may wait.
     */
    void enter(Login login) {
        boolean needsTurn = isSlowed(login);
        long turnMs =
                wrong.turn(login.address(), hash(login.userName()), nowMs.getAsLong(), patienceMs);
        if (turnMs == 0) {
            login.check(needsTurn);
            return;
        }
        metrics.delayed.increment();
        if (waiting.incrementAndGet() > WAITING_MAX) {
            waiting.decrementAndGet();
            login.refuse();
            return;
        }
        delay.after(
                turnMs == WrongPasswords.TOO_LONG ? patienceMs : turnMs,
                () -> {
                    waiting.decrementAndGet();
                    if (turnMs == WrongPasswords.TOO_LONG) {
                        login.refuse();
                    } else {
                        login.check(true);
                    }
                });
    }

    /** Whether it has to enter again, because others were wrong since. */
    boolean isSlowed(Login login) {
        return wrong.isSlowed(login.address(), hash(login.userName()), nowMs.getAsLong());
    }

    void succeeded(Login login) {
        wrong.succeeded(login.address(), hash(login.userName()));
    }

    /** Counts and logs a wrong password, or a user who is not known. */
    void failed(Login login, String listener) {
        long now = nowMs.getAsLong();
        metrics.wrong.increment();
        long times = wrong.failed(login.address(), hash(login.userName()), now);
        if (times > 0) {
            say(login, listener, times, now);
        }
    }

    int waiting() {
        return waiting.get();
    }

    int records() {
        return wrong.size();
    }

    /** A hash that no stranger can compute; the name itself may be long. */
    long hash(String userName) {
        byte[] bytes = userName.getBytes(StandardCharsets.UTF_8);
        return names.hash(bytes, 0, bytes.length);
    }

    private synchronized void say(Login login, String listener, long times, long now) {
        if (now - windowMs >= LINES_MS) {
            if (untold > 0) {
                log.warn(
                        "Wrong passwords: {} more from other addresses or for other users", untold);
            }
            windowMs = now;
            lines = 0;
            untold = 0;
        }
        if (lines >= LINES_MAX) {
            untold += times;
            return;
        }
        lines++;
        // Log scanners read it, and the user name is a stranger's: it stands last, in quotes.
        log.warn(
                "Wrong password from {} at listener {}, {} since the last line, for user \"{}\"",
                login.address(),
                listener,
                times,
                UserName.shown(login.userName()));
    }
}
