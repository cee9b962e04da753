package io.godwit.server.security.users;

import io.godwit.core.auth.Peer;
import io.godwit.core.auth.Verdict;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.server.config.UsersConfig;
import io.godwit.server.reload.FileMemory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Users with a clock that stands, a timer and hashers that run when they are told to. */
final class TestUsers implements LoginGate.Delay {
    static final long AUTHENTICATE_MS = 5_000;
    static final long CACHE_MS = 300_000;

    final NewHashes hashes = new NewHashes(new Random(7));
    final Argon2id argon2 = new Argon2id();
    final Users users;
    long nowMs = 1_000_000;
    boolean isLast = true;

    private final Path file;
    private final PriorityQueue<Timed> timed = new PriorityQueue<>();
    private int sequence;

    private record Timed(long atMs, int sequence, Runnable task) implements Comparable<Timed> {
        @Override
        public int compareTo(Timed other) {
            return atMs == other.atMs
                    ? Integer.compare(sequence, other.sequence)
                    : Long.compare(atMs, other.atMs);
        }
    }

    TestUsers(Path file, String... lines) throws Exception {
        this(file, CACHE_MS, lines);
    }

    TestUsers(Path file, long cacheMs, String... lines) throws Exception {
        this.file = file;
        write(lines);
        users =
                new Users(
                        new UsersConfig(file, 0, 64 << 20, cacheMs),
                        AUTHENTICATE_MS,
                        listener -> isLast,
                        FileMemory.unbounded(),
                        new Random(8),
                        () -> nowMs,
                        this,
                        () -> {});
        users.reload();
    }

    void write(String... lines) throws Exception {
        Files.writeString(file, String.join("\n", lines) + "\n");
    }

    @Override
    public void after(long ms, Runnable task) {
        timed.add(new Timed(nowMs + ms, sequence++, task));
    }

    /** Lets time pass, and hashes what waits in each moment. */
    void pass(long ms) {
        long endMs = nowMs + ms;
        hash();
        while (!timed.isEmpty() && timed.peek().atMs <= endMs) {
            Timed next = timed.poll();
            nowMs = Math.max(nowMs, next.atMs);
            next.task.run();
            hash();
        }
        nowMs = endMs;
    }

    /** Hashes all that waits; returns how many there were. */
    int hash() {
        int count = 0;
        while (users.hashers().runNext(argon2)) {
            count++;
        }
        return count;
    }

    /** A hash that takes no time, of a kind that goes by the hashers. */
    String line(String name, String password) {
        byte[] salt = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);
        Argon2id.Cost cost = new Argon2id.Cost(8, 1, 1);
        return name
                + ":"
                + new PasswordHash.OfArgon2(
                                cost, salt, argon2.hash(cost, bytes(password), salt, 32))
                        .text();
    }

    Login login(String address, @Nullable String name, @Nullable String password) {
        Login login = new Login();
        users.authenticator().authenticate(connect(name, password), peer(address), login);
        return login;
    }

    static Packet.Connect connect(@Nullable String name, @Nullable String password) {
        return new Packet.Connect(
                ProtocolVersion.MQTT_5,
                ClientId.of("c"),
                true,
                60,
                null,
                name,
                password == null ? null : bytes(password),
                false,
                Properties.NONE);
    }

    static Peer peer(String address) {
        return new Peer(address + ":50000", false, "mqtt");
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** Takes the verdicts. */
    static final class Login implements Consumer<Verdict> {
        final List<Verdict> verdicts = new ArrayList<>();

        @Override
        public void accept(Verdict verdict) {
            verdicts.add(verdict);
        }

        boolean isGranted() {
            return verdicts.size() == 1 && verdicts.getFirst() instanceof Verdict.Granted;
        }

        Verdict verdict() {
            if (verdicts.size() != 1) {
                throw new AssertionError("verdicts: " + verdicts);
            }
            return verdicts.getFirst();
        }
    }
}
