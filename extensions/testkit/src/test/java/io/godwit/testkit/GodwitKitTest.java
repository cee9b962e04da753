package io.godwit.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.extension.Extension;
import io.godwit.extension.ExtensionContext;
import io.godwit.testkit.spi.BrokerPlan;
import io.godwit.testkit.spi.PlannedExtension;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The kit with the oldest JUnit that it works with, and without a broker. */
class GodwitKitTest {
    static final RecordedCall CALL =
            new RecordedCall("door", "authenticate", "c1", "timeout", Duration.ofSeconds(10));

    @RegisterExtension
    static final GodwitKit ofAll =
            GodwitKit.with("door", Door.class)
                    .config("a.b", "1")
                    .descriptor("priority", "3")
                    .andPacked(Path.of("packed.zip"))
                    .config("c", "2")
                    .setting("mqtt.maximum-qos", "1");

    @RegisterExtension final GodwitKit ofOne = GodwitKit.broker().onDisk();

    /** An extension. */
    public static final class Door implements Extension {
        @Override
        public void start(ExtensionContext context) {}
    }

    private static BrokerPlan last() {
        return FakeStarter.PLANS.getLast();
    }

    private static int portOfAll;
    private static @Nullable BrokerPlan planOfAll;

    @BeforeAll
    static void broker_of_all_has_started() {
        portOfAll = ofAll.port();
        planOfAll = last();
    }

    private static BrokerPlan planOfAll() {
        return Objects.requireNonNull(planOfAll);
    }

    @AfterAll
    static void brokers_of_single_tests_are_gone() {
        assertThat(FakeStarter.running).isEqualTo(1);
        assertThat(last().folder()).doesNotExist();
        assertThat(planOfAll().folder()).isDirectory();
    }

    @Test
    void plan_has_what_was_named_in_its_order() {
        BrokerPlan plan = planOfAll();
        assertThat(plan.extensions())
                .containsExactly(
                        new PlannedExtension.Loaded(
                                "door", Door.class, Map.of("priority", "3"), Map.of("a.b", "1")),
                        new PlannedExtension.Packed(Path.of("packed.zip"), Map.of("c", "2")));
        assertThat(plan.settings()).isEqualTo(Map.of("mqtt.maximum-qos", "1"));
        assertThat(plan.isOnDisk()).isFalse();
        assertThat(last().isOnDisk()).isTrue();
        assertThat(FakeStarter.running).isEqualTo(2);
    }

    @Test
    void restart_has_the_same_folder_and_port() throws Exception {
        Path file = Files.createFile(last().folder().resolve("file"));
        int port = ofOne.port();
        ofOne.restart();
        assertThat(ofOne.port()).isEqualTo(port);
        assertThat(last().folder().resolve("file")).isEqualTo(file).exists();
        assertThat(FakeStarter.running).isEqualTo(2);
    }

    @Test
    void time_that_passes_counts_for_the_broker_and_calls_are_those_of_this_test() {
        assertThat(ofOne.calls()).isEmpty();
        ofOne.clock().pass(Duration.ofSeconds(10));
        assertThat(last().passedMs().getAsLong()).isEqualTo(10_000);
        assertThat(ofOne.calls()).isEqualTo(List.of(CALL));
        assertThat(ofOne.calls("authenticate")).isEqualTo(List.of(CALL));
        assertThat(ofOne.calls("client-event")).isEmpty();
        assertThatThrownBy(() -> ofOne.clock().pass(Duration.ofMillis(-1)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void idle_is_waited_for_and_what_is_under_way_is_named() {
        FakeStarter.busyLooks = 3;
        ofOne.awaitIdle();
        FakeStarter.busyLooks = 1_000_000;
        assertThatThrownBy(() -> ofOne.awaitIdle(Duration.ofMillis(50)))
                .isInstanceOf(AssertionError.class)
                .hasMessage("the broker is not idle after 0.05 s: a call");
        FakeStarter.busyLooks = 0;
    }

    @Test
    void broker_that_runs_is_described_no_more_and_one_that_does_not_is_not_asked() {
        assertThatThrownBy(() -> ofAll.setting("a", "b")).hasMessageContaining("started already");
        assertThatThrownBy(() -> GodwitKit.broker().port()).hasMessageContaining("@Register");
        assertThatThrownBy(() -> GodwitKit.broker().config("a", "b"))
                .hasMessage("no extension was named");
        assertThatThrownBy(() -> GodwitKit.withPacked(Path.of("x")).descriptor("a", "b"))
                .hasMessageContaining("has a descriptor");
    }

    @Nested
    class InAClassWithin {
        @Test
        void broker_of_all_is_the_same() {
            assertThat(ofAll.port()).isEqualTo(portOfAll);
        }
    }
}
