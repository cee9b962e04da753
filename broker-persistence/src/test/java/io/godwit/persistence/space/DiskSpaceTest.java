package io.godwit.persistence.space;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.store.ExpiredRow;
import io.godwit.core.store.StoreListener;
import io.godwit.persistence.settings.Durability;
import io.godwit.persistence.settings.StoreSettings;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DiskSpaceTest {
    private static final long MIB = 1 << 20;
    private static final long FREE = 100 * MIB;
    private static final long BALLAST = 3 * MIB + 17;

    @TempDir Path folder;
    private final List<Boolean> alarms = new ArrayList<>();
    private long usable = 1000 * MIB;
    private boolean isUnreadable;

    @Test
    void publishers_wait_below_the_mark_and_go_on_when_ten_looks_find_a_fifth_more() {
        DiskSpace space = space(0);
        tick(space, FREE);
        assertThat(alarms).isEmpty();
        tick(space, FREE - 1);
        tick(space, FREE - 2);
        assertThat(alarms).containsExactly(true);
        assertThat(space.isAlarm()).isTrue();
        assertThat(space.usableBytes()).isEqualTo(FREE - 2);
        tickQuietly(space, FREE * 6 / 5, 2 * DiskSpace.QUIET_LOOKS);
        assertThat(alarms).containsExactly(true);
        tickQuietly(space, FREE * 6 / 5 + 1, DiskSpace.QUIET_LOOKS - 1);
        assertThat(alarms).containsExactly(true);
        tick(space, FREE * 6 / 5 + 1);
        assertThat(alarms).containsExactly(true, false);
        assertThat(space.isAlarm()).isFalse();
    }

    @Test
    void free_space_that_swings_does_not_end_the_alarm() {
        DiskSpace space = space(0);
        tick(space, FREE - 1);
        for (int i = 0; i < 10; i++) {
            tickQuietly(space, 2 * FREE, DiskSpace.QUIET_LOOKS - 1);
            tick(space, FREE); // a compaction
        }
        assertThat(alarms).containsExactly(true);
    }

    @Test
    void the_ballast_takes_room_is_given_up_near_the_end_and_made_again() throws Exception {
        DiskSpace space = space(BALLAST);
        tick(space, 1000 * MIB);
        assertThat(ballast()).hasSize(BALLAST);
        assertThat(blocks(ballast()) * 512).isGreaterThanOrEqualTo(BALLAST);
        tick(space, FREE / 4);
        assertThat(ballast()).exists();
        tick(space, FREE / 4 - 1);
        assertThat(ballast()).doesNotExist();
        assertThat(space.ballastsGivenUp()).isEqualTo(1);
        tick(space, FREE * 6 / 5 + BALLAST);
        assertThat(ballast()).doesNotExist();
        tick(space, FREE * 6 / 5 + BALLAST + 1);
        assertThat(ballast()).hasSize(BALLAST);
    }

    @Test
    void making_the_ballast_does_not_raise_the_alarm_by_itself() {
        DiskSpace space = space(BALLAST);
        tick(space, FREE * 6 / 5 + BALLAST + 1);
        assertThat(ballast()).exists();
        tick(space, FREE * 6 / 5 + 1);
        assertThat(alarms).isEmpty();
    }

    @Test
    void a_ballast_that_was_cut_short_is_made_again_and_one_of_other_settings_is_removed()
            throws Exception {
        Files.write(ballast(), new byte[100]);
        tick(space(BALLAST), 1000 * MIB);
        assertThat(ballast()).hasSize(BALLAST);
        tick(space(0), 1000 * MIB);
        assertThat(ballast()).doesNotExist();
    }

    @Test
    void a_disk_that_does_not_answer_changes_nothing() {
        DiskSpace space = space(0);
        tick(space, FREE - 1);
        isUnreadable = true;
        tick(space, 1000 * MIB);
        assertThat(alarms).containsExactly(true);
        isUnreadable = false;
        tickQuietly(space, 1000 * MIB, DiskSpace.QUIET_LOOKS);
        assertThat(alarms).containsExactly(true, false);
    }

    @Test
    void it_is_looked_at_ten_times_a_second_where_the_alarm_is_near() {
        DiskSpace space = space(0);
        tick(space, 3 * FREE);
        assertThat(space.tickMs()).isEqualTo(1_000);
        tick(space, 3 * FREE - 1);
        assertThat(space.tickMs()).isEqualTo(100);
        tick(space, FREE - 1);
        assertThat(space.tickMs()).as("during the alarm").isEqualTo(1_000);
    }

    @Test
    void the_real_disk_says_how_much_room_it_has() throws Exception {
        assertThat(Volume.of(folder).usableBytes())
                .isBetween(1L, Files.getFileStore(folder).getTotalSpace());
    }

    private void tick(DiskSpace space, long bytes) {
        usable = bytes;
        space.tick();
    }

    private void tickQuietly(DiskSpace space, long bytes, int looks) {
        for (int i = 0; i < looks; i++) {
            tick(space, bytes);
        }
    }

    private Path ballast() {
        return folder.resolve("ballast");
    }

    private static long blocks(Path file) throws Exception {
        Process stat = new ProcessBuilder("stat", "-c", "%b", file.toString()).start();
        return Long.parseLong(
                new String(stat.getInputStream().readAllBytes(), StandardCharsets.US_ASCII)
                        .strip());
    }

    private DiskSpace space(long ballastBytes) {
        StoreSettings settings =
                new StoreSettings(
                        Durability.COMMIT, 100, 0, 2000, MIB, 64 * MIB, ballastBytes, FREE);
        return new DiskSpace(
                folder,
                () -> {
                    if (isUnreadable) {
                        throw new IOException("no answer");
                    }
                    return usable;
                },
                settings,
                new Random(1),
                new StoreListener() {
                    @Override
                    public void onExpired(long queueId, List<ExpiredRow> rows) {
                        throw new AssertionError("nothing expires here");
                    }

                    @Override
                    public void onDiskAlarm(boolean full) {
                        alarms.add(full);
                    }

                    @Override
                    public void onFailed(Throwable cause) {
                        throw new AssertionError("nothing fails here", cause);
                    }
                });
    }
}
