package io.godwit.testkit;

import io.godwit.extension.Extension;
import io.godwit.testkit.spi.BrokerNotStarted;
import io.godwit.testkit.spi.BrokerPlan;
import io.godwit.testkit.spi.BrokerStarter;
import io.godwit.testkit.spi.PlannedExtension;
import io.godwit.testkit.spi.StartedBroker;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.ServiceLoader;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A broker in the JVM of a test, with the extensions that are tested. It is real but for where it
 * listens, on a free port of 127.0.0.1, and for its time, which a test can move.
 *
 * <pre>{@code
 * @RegisterExtension
 * static final GodwitKit broker =
 *         GodwitKit.with("front-door", Main.class)
 *                 .config("password", "secret")
 *                 .setting("mqtt.maximum-qos", "1");
 * }</pre>
 *
 * <p>In a static field it starts before the first test of the class and stops behind the last one;
 * in another field each test has one of its own. If it does not start, or an extension does not,
 * the tests fail with the reason. When it has stopped, its files are deleted.
 *
 * <p>Warnings of the broker are logged as the tests' own log has them; by default to standard
 * output.
 */
public final class GodwitKit
        implements BeforeAllCallback, BeforeEachCallback, AfterEachCallback, AfterAllCallback {
    private static final Duration IDLE_LIMIT = Duration.ofSeconds(10);
    private static final long LOOK_MS = 10;

    /** So many looks in a row must have found nothing: a client may just be writing. */
    private static final int QUIET_LOOKS = 4;

    private final List<Given> extensions = new ArrayList<>();
    private final Map<String, String> settings = new LinkedHashMap<>();
    private final KitClock clock = new KitClock(() -> started().onTimePassed());
    private final Queue<RecordedCall> calls = new ConcurrentLinkedQueue<>();
    private boolean isOnDisk;

    /** How many classes run that have it in a static field: nested ones count. */
    private int classes;

    private @Nullable Path folder;
    private @Nullable StartedBroker broker;

    /**
     * An extension as far as it is described.
     *
     * @param main null: it is packed
     * @param place null: it is not
     */
    private record Given(
            String id,
            @Nullable Class<? extends Extension> main,
            @Nullable Path place,
            Map<String, String> descriptor,
            Map<String, String> config) {
        PlannedExtension planned() {
            if (main != null) {
                return new PlannedExtension.Loaded(id, main, descriptor, config);
            }
            if (place != null) {
                return new PlannedExtension.Packed(place, config);
            }
            throw new IllegalStateException("neither a class nor a place");
        }
    }

    private GodwitKit() {}

    /** Begins a broker without an extension. */
    public static GodwitKit broker() {
        return new GodwitKit();
    }

    /**
     * Begins a broker with an extension from the test's class path.
     *
     * @see #and(String, Class)
     */
    public static GodwitKit with(String id, Class<? extends Extension> main) {
        return new GodwitKit().and(id, main);
    }

    /**
     * Begins a broker with an extension as it is shipped.
     *
     * @see #andPacked(Path)
     */
    public static GodwitKit withPacked(Path folderOrZip) {
        return new GodwitKit().andPacked(folderOrZip);
    }

    /**
     * Adds an extension from the test's class path. Its classes are those that the test sees, so
     * the test can look into them; that it needs nothing but the API and its own JARs is tested
     * with {@link #andPacked}.
     *
     * @param id the name of its folder
     * @param main public, with a public constructor without parameters
     */
    public GodwitKit and(String id, Class<? extends Extension> main) {
        return add(new Given(id, main, null, new LinkedHashMap<>(), new LinkedHashMap<>()));
    }

    /**
     * Adds an extension as it is shipped, with a class loader of its own.
     *
     * @param folderOrZip its folder, or a ZIP with that, such as {@code target/front-door.zip}; it
     *     is copied at the start
     */
    public GodwitKit andPacked(Path folderOrZip) {
        return add(new Given("", null, folderOrZip, new LinkedHashMap<>(), new LinkedHashMap<>()));
    }

    private GodwitKit add(Given extension) {
        checkNotStarted();
        extensions.add(extension);
        return this;
    }

    /**
     * Sets a value of the settings of the extension that was named last.
     *
     * @param key as below {@code extensions.<id>.config}, such as {@code retry.times}
     */
    public GodwitKit config(String key, String value) {
        checkNotStarted();
        last().config().put(key, value);
        return this;
    }

    /**
     * Sets a value of the {@code extension.yaml} of the extension that was named last, which comes
     * from the class path: {@code priority}, {@code threads} ...
     */
    public GodwitKit descriptor(String key, String value) {
        checkNotStarted();
        if (last().main() == null) {
            throw new IllegalStateException("an extension that is packed has a descriptor");
        }
        last().descriptor().put(key, value);
        return this;
    }

    private Given last() {
        if (extensions.isEmpty()) {
            throw new IllegalStateException("no extension was named");
        }
        return extensions.getLast();
    }

    /**
     * Sets a value of the broker's configuration.
     *
     * @param key as in {@code godwit.yaml}, with dots: {@code mqtt.maximum-qos}
     */
    public GodwitKit setting(String key, String value) {
        checkNotStarted();
        settings.put(key, value);
        return this;
    }

    /** Has the broker write to a disk, so that {@link #restart} finds all again. */
    public GodwitKit onDisk() {
        checkNotStarted();
        isOnDisk = true;
        return this;
    }

    private void checkNotStarted() {
        if (broker != null) {
            throw new IllegalStateException("the broker has started already");
        }
    }

    // ---------------------------------------------------------------- while it runs

    /** Returns the name of the machine that it listens at. */
    public String host() {
        return address().getHostString();
    }

    /** Returns the port at which it accepts MQTT over TCP. */
    public int port() {
        return started().port();
    }

    /** Returns where it accepts MQTT over TCP. */
    public InetSocketAddress address() {
        return new InetSocketAddress("127.0.0.1", port());
    }

    /** Returns the broker's time. */
    public KitClock clock() {
        return clock;
    }

    /** Returns the calls of extensions that have ended since this test began, in that order. */
    public List<RecordedCall> calls() {
        return List.copyOf(calls);
    }

    /** Returns the calls of one kind that have ended since this test began. */
    public List<RecordedCall> calls(String kind) {
        return calls.stream().filter(each -> each.kind().equals(kind)).toList();
    }

    /** Returns what extensions have registered now, in the order in which they are asked. */
    public List<RecordedRegistration> registrations() {
        return started().registrations();
    }

    /**
     * Waits until no packet and no call of an extension is under way. What a client has not sent
     * yet, what an extension does in threads or at times of its own, and what waits for a time to
     * come is not waited for.
     *
     * @throws AssertionError something is under way after 10 s
     */
    public void awaitIdle() {
        awaitIdle(IDLE_LIMIT);
    }

    /**
     * Waits like {@link #awaitIdle()}.
     *
     * @param limit of the machine's time
     * @throws AssertionError something is under way behind it
     */
    public void awaitIdle(Duration limit) {
        long deadline = System.nanoTime() + limit.toNanos();
        StartedBroker running = started();
        StartedBroker.Activity before = running.look();
        int quiet = 0;
        while (quiet < QUIET_LOOKS) {
            if (System.nanoTime() > deadline) {
                throw new AssertionError(
                        "the broker is not idle after "
                                + limit.toMillis() / 1000.0
                                + " s: "
                                + (before.underWay().isEmpty()
                                        ? "packets come and go"
                                        : before.underWay()));
            }
            sleep();
            StartedBroker.Activity now = running.look();
            quiet = now.underWay().isEmpty() && now.done() == before.done() ? quiet + 1 : 0;
            before = now;
        }
    }

    private static void sleep() {
        try {
            Thread.sleep(LOOK_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }

    /**
     * Stops the broker and starts it again, at the same port. What was in memory only is gone;
     * {@link #onDisk} keeps what a broker keeps.
     */
    public void restart() {
        int port = port();
        stopBroker();
        startBroker(port);
    }

    private StartedBroker started() {
        StartedBroker running = broker;
        if (running == null) {
            throw new IllegalStateException(
                    "the broker runs while tests do, if its field has @RegisterExtension");
        }
        return running;
    }

    // ---------------------------------------------------------------- life

    @Override
    public void beforeAll(ExtensionContext context) {
        classes++;
        startIfNeeded();
    }

    @Override
    public void beforeEach(ExtensionContext context) {
        startIfNeeded();
        calls.clear();
    }

    @Override
    public void afterEach(ExtensionContext context) {
        if (classes == 0) {
            stop();
        }
    }

    @Override
    public void afterAll(ExtensionContext context) {
        classes--;
        if (classes == 0) {
            stop();
        }
    }

    private void startIfNeeded() {
        if (broker != null) {
            return;
        }
        try {
            folder = Files.createTempDirectory("godwit-kit");
        } catch (IOException e) {
            throw new UncheckedIOException("no folder for the broker's files", e);
        }
        startBroker(0);
    }

    private void startBroker(int port) {
        Path files = folder;
        if (files == null) {
            throw new IllegalStateException("there is no folder");
        }
        boolean isDone = false;
        try {
            BrokerPlan plan =
                    new BrokerPlan(
                            files,
                            isOnDisk,
                            port,
                            extensions.stream().map(Given::planned).toList(),
                            settings,
                            clock::passedMs,
                            calls::add);
            broker = starter().start(plan);
            isDone = true;
        } catch (BrokerNotStarted e) {
            throw new IllegalStateException("The broker does not start: " + e.getMessage(), e);
        } finally {
            if (!isDone) {
                deleteFiles();
            }
        }
    }

    private static BrokerStarter starter() {
        return ServiceLoader.load(BrokerStarter.class, BrokerStarter.class.getClassLoader())
                .findFirst()
                .orElseThrow(() ->
                        new IllegalStateException(
                                "the broker is not in the class path: io.godwit:broker-server"));
    }

    private void stop() {
        try {
            stopBroker();
        } finally {
            deleteFiles();
        }
    }

    private void stopBroker() {
        StartedBroker running = broker;
        broker = null;
        if (running != null) {
            running.close();
        }
    }

    private void deleteFiles() {
        Path files = folder;
        folder = null;
        if (files == null) {
            return;
        }
        try (Stream<Path> all = Files.walk(files)) {
            for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(each);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("the broker's files can't be deleted", e);
        }
    }
}
