package io.godwit.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.mqtt5.Mqtt5BlockingClient;
import io.godwit.server.extension.TestExtension;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/** Starts and ends of brokers of a kit, each in a class of tests that is run here. */
@Timeout(30)
class GodwitKitLifeIT {
    /** Where packed extensions are; of one test at a time. */
    private static Path packed = Path.of("none");

    @TempDir private Path folder;

    private static TestExecutionSummary run(Class<?> tests) {
        SummaryGeneratingListener listener = new SummaryGeneratingListener();
        LauncherFactory.create()
                .execute(
                        LauncherDiscoveryRequestBuilder.request()
                                .selectors(DiscoverySelectors.selectClass(tests))
                                .configurationParameter(
                                        "junit.jupiter.execution.parallel.enabled", "false")
                                .build(),
                        listener);
        return listener.getSummary();
    }

    private static void assertAllPass(Class<?> tests, int number) {
        TestExecutionSummary summary = run(tests);
        assertThat(summary.getFailures())
                .extracting(TestExecutionSummary.Failure::getException)
                .isEmpty();
        assertThat(summary.getTestsSucceededCount()).isEqualTo(number);
    }

    private static List<String> failures(Class<?> tests) {
        return run(tests).getFailures().stream()
                .map(each -> String.valueOf(each.getException().getMessage()))
                .toList();
    }

    private static Set<Thread> threads() {
        return new HashSet<>(Thread.getAllStackTraces().keySet());
    }

    static class OneForEach {
        private static final Set<Integer> PORTS = new HashSet<>();

        @RegisterExtension
        final GodwitKit broker = GodwitKit.with("door", Door.class).config("password", "secret");

        @Test
        void first() {
            assertThat(Door.RUNNING).hasValue(1);
            assertThat(broker.calls()).isEmpty();
            PORTS.add(broker.port());
        }

        @Test
        void second() {
            first();
        }
    }

    @Test
    void broker_of_each_test_is_gone_behind_it_with_its_threads_and_files() {
        Door.FOLDERS.clear();
        Set<Thread> before = threads();
        assertAllPass(OneForEach.class, 2);
        assertThat(Door.RUNNING).hasValue(0);
        assertThat(Door.FOLDERS).hasSize(2).noneMatch(Files::exists);
        Awaitility.await()
                .pollInSameThread()
                .atMost(10, TimeUnit.SECONDS)
                .untilAsserted(() ->
                        assertThat(threads())
                                .filteredOn(each -> !before.contains(each))
                                .extracting(Thread::getName)
                                .isEmpty());
    }

    static class WithoutASettingThatIsNeeded {
        @RegisterExtension static final GodwitKit broker = GodwitKit.with("door", Door.class);

        @Test
        void never_runs() {}
    }

    static class WithAWrongKey {
        @RegisterExtension
        static final GodwitKit broker = GodwitKit.broker().setting("mqtt.maximum-qso", "1");

        @Test
        void never_runs() {}
    }

    static class WithoutItsZip {
        @RegisterExtension
        static final GodwitKit broker = GodwitKit.withPacked(Path.of("target/none.zip"));

        @Test
        void never_runs() {}
    }

    @Test
    void tests_fail_with_the_reason_if_the_broker_does_not_start() {
        Door.FOLDERS.clear();
        assertThat(failures(WithoutASettingThatIsNeeded.class))
                .singleElement()
                .asString()
                .startsWith("The broker does not start: the extension door, which is required")
                .contains("password");
        assertThat(failures(WithAWrongKey.class))
                .singleElement()
                .asString()
                .contains("mqtt.maximum-qso");
        assertThat(failures(WithoutItsZip.class))
                .singleElement()
                .asString()
                .contains("there is no extension ", "none.zip");
        assertThat(Door.FOLDERS).hasSize(1).noneMatch(Files::exists);
    }

    static class OfSeveral {
        @RegisterExtension
        static final GodwitKit broker =
                GodwitKit.with("door", Door.class)
                        .config("password", "secret")
                        .descriptor("priority", "1")
                        .and("second", Door.class)
                        .config("password", "other")
                        .descriptor("priority", "2")
                        .andPacked(packed);

        @Test
        void each_runs_and_is_asked_by_priority() {
            assertThat(broker.registrations())
                    .extracting(RecordedRegistration::extension)
                    .startsWith("second")
                    .contains("door")
                    .endsWith("packed");
            Mqtt5BlockingClient client = KitClients.client(broker, "c1");
            assertThat(KitClients.connect(client, "u", "other")).isZero();
            KitClients.publish(client, "data/1", "1");
            client.disconnect();
            assertThat(broker.calls("publish-interceptor"))
                    .extracting(RecordedCall::extension)
                    .containsExactly("second", "door", "packed");
        }
    }

    private Path packed() {
        return TestExtension.starting(
                        "packed",
                        """
                        context.registrations().publishInterceptor("#", (client, publish) ->
                                Interception.<io.godwit.extension.packet.PublishPacket>unchanged().now(),
                                OnFailure.REFUSE);
                        """)
                .says("priority: -1")
                .writeTo(folder);
    }

    @Test
    void extensions_of_the_class_path_and_a_packed_one_run_beside_each_other() {
        packed = packed();
        assertAllPass(OfSeveral.class, 1);
    }

    static class OfAZip {
        @RegisterExtension static final GodwitKit broker = GodwitKit.withPacked(packed);

        @Test
        void extension_runs() {
            assertThat(broker.registrations())
                    .containsExactly(
                            new RecordedRegistration("packed", "publish-interceptor", "#"));
        }
    }

    @Test
    void extension_runs_from_its_zip() throws IOException {
        Path unpacked = packed();
        Path zip = folder.resolve("packed-1.0.zip");
        try (Stream<Path> all = Files.walk(unpacked);
                ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(zip))) {
            all.filter(Files::isRegularFile)
                    .forEach(file -> {
                        try {
                            out.putNextEntry(new ZipEntry(folder.relativize(file).toString()));
                            Files.copy(file, out);
                        } catch (IOException e) {
                            throw new UncheckedIOException(e);
                        }
                    });
        }
        packed = zip;
        assertAllPass(OfAZip.class, 1);
    }

    static class OnADisk {
        @RegisterExtension static final GodwitKit broker = GodwitKit.broker().onDisk();

        @Test
        void session_is_there_after_a_restart_until_its_time_has_passed() {
            Mqtt5BlockingClient client = KitClients.client(broker, "c1");
            client.connectWith().cleanStart(false).sessionExpiryInterval(3600).send();
            client.subscribeWith().topicFilter("a").qos(MqttQos.AT_LEAST_ONCE).send();
            client.disconnect();
            broker.awaitIdle();
            int port = broker.port();
            broker.restart();
            assertThat(broker.port()).isEqualTo(port);
            assertThat(isPresent(client)).isTrue();
            broker.clock().pass(Duration.ofSeconds(3700));
            broker.restart();
            assertThat(isPresent(client)).isFalse();
        }

        private static boolean isPresent(Mqtt5BlockingClient client) {
            boolean isPresent =
                    client.connectWith()
                            .cleanStart(false)
                            .sessionExpiryInterval(3600)
                            .send()
                            .isSessionPresent();
            client.disconnect();
            broker.awaitIdle();
            return isPresent;
        }
    }

    @Test
    void broker_on_a_disk_can_be_started_again() {
        assertAllPass(OnADisk.class, 1);
    }
}
