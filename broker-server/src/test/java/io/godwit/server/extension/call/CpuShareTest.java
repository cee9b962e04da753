package io.godwit.server.extension.call;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.auth.Identity;
import io.godwit.core.auth.Peer;
import io.godwit.core.auth.Subject;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.TopicFilter;
import io.godwit.extension.OnFailure;
import io.godwit.extension.intercept.Interception;
import io.godwit.extension.packet.SubscribePacket;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Extensions that may use a share of the processors only. */
class CpuShareTest {
    private final Map<Thread, Long> used = new HashMap<>();
    private final CpuShare half = new CpuShare(0.5, thread -> used.getOrDefault(thread, -1L));
    private final Thread one = new Thread(() -> {});
    private final Thread two = new Thread(() -> {});
    private long nowMs = Long.MAX_VALUE / 1_000_000 - 1_000;

    private void use(Thread thread, long ms) {
        used.merge(thread, TimeUnit.MILLISECONDS.toNanos(ms), Long::sum);
    }

    /** Passes 100 ms, in which each thread uses CPU time. */
    private boolean pass(long usedByEachMs) {
        use(one, usedByEachMs);
        use(two, usedByEachMs);
        nowMs += 100;
        half.look(nowMs * 1_000_000);
        return half.isExceeded();
    }

    @Test
    void share_counts_for_all_threads_on_the_average_of_a_second() {
        half.add(one);
        half.add(two);
        pass(0);
        for (int i = 1; i < 10; i++) {
            assertThat(pass(40)).as("look %d", i).isFalse();
        }
        assertThat(pass(40)).isTrue();
        assertThat(half.seconds()).isEqualTo(0.8);
        int looks = 0;
        while (pass(0)) {
            looks++;
        }
        assertThat(looks).isBetween(2, 5);
        for (int i = 0; i < 20; i++) {
            assertThat(pass(25)).isFalse();
        }
    }

    @Test
    void short_burst_exceeds_nothing() {
        half.add(one);
        half.add(two);
        for (int i = 0; i < 12; i++) {
            pass(0);
        }
        assertThat(pass(100)).isFalse();
        assertThat(pass(100)).isFalse();
        assertThat(pass(100)).isTrue();
    }

    @Test
    void ended_thread_still_counts_and_is_asked_about_no_more() throws Exception {
        half.add(one);
        pass(100);
        one.start();
        one.join();
        used.remove(one);
        use(two, 0);
        nowMs += 100;
        half.look(nowMs * 1_000_000);
        assertThat(half.seconds()).isEqualTo(0.1);
        use(one, 500);
        half.look(nowMs * 1_000_000 + 1);
        assertThat(half.seconds()).isEqualTo(0.1);
    }

    @Test
    void calls_wait_while_too_much_is_used_and_go_on_after_that() {
        SteppedCalls.Clock clock = new SteppedCalls.Clock();
        SteppedCalls extension =
                new SteppedCalls(
                        "x", clock, new CallSettings(2, Duration.ofSeconds(10), 100, 100_000, 0.1));
        extension.registering.subscribeInterceptor(
                (client, packet) -> Interception.<SubscribePacket>unchanged().now(),
                OnFailure.REFUSE);
        extension.calls.measure(Thread.currentThread());
        for (int i = 0; i < 12; i++) {
            extension.cpuNanos += TimeUnit.MILLISECONDS.toNanos(20);
            extension.passMs(100);
        }
        ExtensionHooks hooks =
                new ExtensionHooks(List.of(extension.running(0)), new ReviewOrder(), 1_000);
        int[] answers = new int[1];
        Objects.requireNonNull(hooks.reviewer())
                .subscribe(
                        new Subject(
                                ClientId.of("c"),
                                Identity.ofUser("u"),
                                new Peer("10.0.0.1:5000", false, "tcp")),
                        ProtocolVersion.MQTT_5,
                        new Packet.Subscribe(
                                1,
                                List.of(
                                        new Packet.Subscription(
                                                TopicFilter.of("t"), 1, false, false, 0)),
                                0,
                                Properties.NONE),
                        outcome -> answers[0]++);
        assertThat(extension.runAll()).isZero();
        assertThat(extension.calls.state().waiting()).isEqualTo(1);
        assertThat(extension.calls.state().cpuSeconds()).isEqualTo(0.24);
        for (int i = 0; i < 10; i++) {
            extension.passMs(100);
        }
        assertThat(extension.runAll()).isEqualTo(1);
        assertThat(answers[0]).isEqualTo(1);
    }
}
