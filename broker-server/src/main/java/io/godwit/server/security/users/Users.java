package io.godwit.server.security.users;

import io.godwit.core.auth.Authenticator;
import io.godwit.core.auth.EnhancedAuthenticator;
import io.godwit.core.packet.KeyedHash;
import io.godwit.server.config.UsersConfig;
import io.godwit.server.reload.FileMemory;
import io.micrometer.core.instrument.MeterRegistry;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;

/**
 * The users of {@code security.users}: the file, and who checks clients by it. Any thread.
 *
 * <p>A file that is not accepted changes nothing. Who was let in by a line that is gone is
 * disconnected; by one that has changed, stays connected.
 */
public final class Users implements AutoCloseable {
    /** An answer to a CONNECT has to be there so long before nobody waits for it any more. */
    private static final long SPARE_MS = 500;

    private static final int KEY_BYTES = 32;
    private static final byte[] END = {0};

    private final Path path;
    private final UsersFile file;
    private final long cacheMs;
    private final Predicate<String> isLast;
    private final LongSupplier nowMs;
    private final byte[] key = new byte[KEY_BYTES];
    private final UsersMetrics metrics = new UsersMetrics();
    private final PasswordHashers hashers;
    private final LoginGate gate;
    private final AutoCloseable delays;
    private final UsersAuthenticator authenticator;
    private final ScramAuthenticator scram;
    private volatile UserTable table = UserTable.EMPTY;

    /** The users that the last change of the file has removed. */
    private volatile Set<String> removed = Set.of();

    // Below: with the lock of this.
    private byte[] digest = {};
    private String lastMistake = "";

    /**
     * Tells what a reload has done.
     *
     * @param isChanged whether the file has other bytes than before
     * @param isAnyRemoved whether a user of before is not in it any more
     * @param summary one line, for people
     */
    public record Reloaded(boolean isChanged, boolean isAnyRemoved, String summary) {}

    Users(
            UsersConfig config,
            long authenticateMs,
            Predicate<String> isLast,
            FileMemory memory,
            RandomGenerator random,
            LongSupplier nowMs,
            LoginGate.Delay delay,
            AutoCloseable delays) {
        this.path = config.file();
        this.file = new UsersFile(config.file(), config.hashBytesMax(), memory);
        this.cacheMs = config.cacheMs();
        this.isLast = isLast;
        this.nowMs = nowMs;
        this.delays = delays;
        random.nextBytes(key);
        long patienceMs = Math.max(0, authenticateMs - SPARE_MS);
        hashers = new PasswordHashers(config.hashers(), authenticateMs, nowMs);
        gate = new LoginGate(new KeyedHash(random), delay, patienceMs, nowMs, metrics);
        authenticator = new UsersAuthenticator(this);
        scram = new ScramAuthenticator(this, random);
    }

    /**
     * Reads the file, and starts the threads that hash passwords.
     *
     * @param authenticateMs that the broker waits for an authenticator
     * @param isLast whether no other authenticator is asked after this one, by listener: then a
     *     user who is not known counts as one with a wrong password
     * @param memory counts the users, and refuses too many
     * @param random a secure one; gives keys, salts and nonces
     * @throws UsersMistake the file is not accepted; nothing is left open
     */
    public static Users open(
            UsersConfig config,
            long authenticateMs,
            Predicate<String> isLast,
            FileMemory memory,
            RandomGenerator random)
            throws UsersMistake {
        ScheduledThreadPoolExecutor timer =
                new ScheduledThreadPoolExecutor(
                        1, Thread.ofPlatform().daemon().name("login-delays").factory());
        timer.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        Users users =
                new Users(
                        config,
                        authenticateMs,
                        isLast,
                        memory,
                        random,
                        () -> TimeUnit.NANOSECONDS.toMillis(System.nanoTime()),
                        (ms, task) -> {
                            try {
                                timer.schedule(task, ms, TimeUnit.MILLISECONDS);
                            } catch (RejectedExecutionException e) {
                                // It is closed: the connections end, too.
                            }
                        },
                        timer::shutdownNow);
        try {
            users.reload();
        } catch (UsersMistake e) {
            users.close();
            throw e;
        }
        return users;
    }

    public Authenticator authenticator() {
        return authenticator;
    }

    /** Returns the Authentication Method SCRAM-SHA-256. */
    public EnhancedAuthenticator scram() {
        return scram;
    }

    /**
     * Reads the file again, whatever its time says; call on a thread that may wait for the disk.
     *
     * @throws UsersMistake it is not accepted, and the users before stay
     */
    public synchronized Reloaded reload() throws UsersMistake {
        try {
            byte[] bytes = UsersFile.bytes(path);
            byte[] now = Hmac.sha256(bytes);
            if (MessageDigest.isEqual(now, digest)) {
                lastMistake = "";
                return new Reloaded(false, false, table.size() + " users, unchanged");
            }
            UserTable before = table;
            UserTable next = file.parse(bytes).after(before);
            table = next;
            removed = before.missingIn(next);
            digest = now;
            lastMistake = "";
            return new Reloaded(true, !removed.isEmpty(), before.changesTo(next));
        } catch (UsersMistake e) {
            String mistake = String.valueOf(e.getMessage());
            if (!mistake.equals(lastMistake)) {
                lastMistake = mistake;
                metrics.reloadFailures.increment();
            }
            throw e;
        }
    }

    /** Returns the first bytes of the digest of the file that is in use. */
    public synchronized long fileDigest() {
        return ByteBuffer.wrap(digest).getLong();
    }

    /** Shows what is counted. */
    public void bindTo(MeterRegistry registry) {
        metrics.bindTo(registry, this);
    }

    /** Returns the bytes that hashing passwords takes at this moment. */
    public long memoryBytes() {
        return hashers.memoryBytes();
    }

    int size() {
        return table.size();
    }

    int waitingForHashers() {
        return hashers.waiting();
    }

    int waitingForTurn() {
        return gate.waiting();
    }

    // ---------------------------------------------------------------- for the authenticators

    UserTable table() {
        return table;
    }

    LoginGate gate() {
        return gate;
    }

    PasswordHashers hashers() {
        return hashers;
    }

    UsersMetrics metrics() {
        return metrics;
    }

    boolean isLast(String listener) {
        return isLast.test(listener);
    }

    /**
     * Whether the last change of the file has removed a user. Another node's file may not have all
     * users yet whom it lets in, so a name that is not in this one is not enough.
     */
    boolean isRemoved(String userName) {
        return removed.contains(userName);
    }

    /** Whether a user that was found before is still in the file, with the same hash. */
    boolean isCurrent(String userName, User user) {
        User now = table.find(userName);
        return now == user || now != null && now.hash().isSame(user.hash());
    }

    /** Returns what may be remembered of a password. */
    byte[] mac(String userName, byte[] password) {
        return Hmac.SHA256.of(key, userName.getBytes(StandardCharsets.UTF_8), END, password);
    }

    /** Returns bytes that are the same for a name as long as this process lives. */
    byte[] disguise(String purpose, String userName) {
        return Hmac.SHA256.of(
                key,
                purpose.getBytes(StandardCharsets.US_ASCII),
                END,
                userName.getBytes(StandardCharsets.UTF_8));
    }

    void remember(User user, byte[] mac) {
        if (cacheMs > 0) {
            user.remember(mac, nowMs.getAsLong() + cacheMs);
        }
    }

    boolean isRemembered(User user, byte[] mac) {
        return user.isRemembered(mac, nowMs.getAsLong());
    }

    @Override
    public void close() {
        try {
            delays.close();
        } catch (Exception e) {
            throw new IllegalStateException(e); // none of ours throws
        }
        hashers.close();
    }
}
