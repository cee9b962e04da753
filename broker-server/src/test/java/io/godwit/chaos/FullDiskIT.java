package io.godwit.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.chaos.Habits.Acking;
import io.godwit.chaos.Habits.Attendance;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A disk that becomes full by what the broker itself keeps for a client that is away: publishers
 * wait before it is, the client drains it, and publishers go on.
 */
@Tag("alone")
class FullDiskIT {
    private static final int MESSAGE_BYTES = 16 << 10;
    private static final long FILL_LIMIT_MS = 120_000;
    private static final long STOPPED_MS = 1_500;
    private static final int ENOUGH = 200;

    @TempDir Path folder;

    private Mount disk;
    private Broker broker;
    private final Scene scene = Scene.of(1);
    private final Client publisher =
            client(0, Habits.quiet(true).publishing(4_000, 50, MESSAGE_BYTES, List.of("t/0")));
    private final Client away =
            client(
                    1,
                    Habits.quiet(true)
                            .subscribing(Map.of("t/0", 1), Acking.PROMPT, Attendance.ON_CALL));
    private final Crowd crowd = new Crowd(scene, List.of(publisher, away));

    private Client client(int number, Habits habits) {
        return new Client(number, habits, scene, new SplittableRandom(number));
    }

    @BeforeEach
    void small_disk() {
        NativeTools.need(Mount.problem());
        disk = Mount.tmpfs(folder, "size=320m");
        broker =
                new Broker(
                        folder,
                        List.of(
                                "durability.journal-max=32MiB",
                                "durability.window=100ms",
                                "durability.window-bytes=2MiB",
                                "durability.ballast=16MiB",
                                "durability.disk-free=180MiB",
                                "log.level=warn"),
                        Map.of());
        away.call(true);
        publisher.pause(true);
        broker.start();
        crowd.brokerIs(broker.process().address("mqtt"));
        assertThat(crowd.runUntil(away::settled, 60_000)).isTrue();
        away.call(false);
        crowd.runFor(50);
    }

    @AfterEach
    void gone() {
        crowd.close();
        broker.close();
        disk.close();
    }

    private long acknowledged() {
        return scene.tally().of(Happening.ACKNOWLEDGED);
    }

    /** Publishes until nothing is acknowledged any more; the number of those that were. */
    private long fill() {
        publisher.pause(false);
        long end = System.nanoTime() + FILL_LIMIT_MS * 1_000_000;
        long before;
        do {
            before = acknowledged();
            crowd.runFor(STOPPED_MS);
        } while ((acknowledged() > before || !saysThatItIsFull()) && System.nanoTime() < end);
        assertThat(acknowledged()).as("still acknowledged: %s", this).isEqualTo(before);
        return before;
    }

    private boolean saysThatItIsFull() {
        return broker.process().output().stream()
                .anyMatch(line -> line.contains(" is nearly full: "));
    }

    private void drain() {
        publisher.pause(true);
        away.call(true);
        assertThat(crowd.settle(60_000)).as(scene.tally().toString()).isTrue();
        scene.checker().finish();
        assertThat(scene.checker().violations()).isEmpty();
    }

    @Test
    void publishers_wait_before_the_disk_is_full_and_go_on_when_it_was_drained() {
        long filled = fill();
        assertThat(filled).isGreaterThan(ENOUGH);
        assertThat(broker.isRunning()).isTrue();
        assertThat(saysThatItIsFull()).isTrue();
        away.call(true);
        assertThat(crowd.runUntil(() -> acknowledged() > filled + ENOUGH, 60_000))
                .as("nothing is acknowledged after the disk was drained: %s", scene.tally())
                .isTrue();
        drain();
    }

    @Test
    void what_was_acknowledged_on_a_full_disk_is_there_after_a_kill() {
        fill();
        broker.kill();
        crowd.brokerIsGone();
        scene.checker().killed();
        broker.start();
        crowd.brokerIs(broker.process().address("mqtt"));
        drain();
    }
}
