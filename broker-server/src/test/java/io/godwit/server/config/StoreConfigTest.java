package io.godwit.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.godwit.core.settings.QueuePolicy;
import io.godwit.core.settings.QueueSettings;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StoreConfigTest {
    private static final Path HOME = Path.of("/opt/godwit");
    private static final ConfigFolders FOLDERS = new ConfigFolders(HOME, HOME);
    private static final long MIB = 1L << 20;

    private static Config load(long heapBytes, String... sets) throws ConfigException {
        MemoryBudget budget = new MemoryBudget(heapBytes, 256 * MIB, 128 * MIB);
        return ConfigLoader.load(null, Map.of(), List.of(sets), FOLDERS, budget);
    }

    private static List<String> mistakes(String... sets) {
        ConfigException failure =
                catchThrowableOfType(ConfigException.class, () -> load(1024 * MIB, sets));
        assertThat(failure).as("the configuration is refused").isNotNull();
        return failure.problems().stream().map(ConfigProblem::toString).toList();
    }

    @Test
    void queues_have_their_defaults_until_they_are_set() throws Exception {
        assertThat(load(1024 * MIB).queues()).isEqualTo(QueueSettings.DEFAULTS);
        assertThat(
                        load(
                                        1024 * MIB,
                                        "queues.messages=5",
                                        "queues.bytes=20MiB",
                                        "queues.policy=discard-oldest",
                                        "queues.node-messages=6",
                                        "queues.node-bytes=1TiB",
                                        "queues.page=7")
                                .queues())
                .isEqualTo(
                        new QueueSettings(5, 20 * MIB, QueuePolicy.DISCARD_OLDEST, 6, 1L << 40, 7));
    }

    @Test
    void every_key_of_the_store_arrives() throws Exception {
        Config config =
                load(
                        1024 * MIB,
                        "durability.store=memory",
                        "durability.sync=interval",
                        "durability.sync-interval=20ms",
                        "durability.gather=0",
                        "durability.window=5s",
                        "durability.window-bytes=3MiB",
                        "durability.journal-max=100MiB",
                        "durability.ballast=0",
                        "durability.disk-free=4MiB",
                        "durability.stall-time=7s",
                        "durability.stall-exit=0");
        assertThat(config.durability())
                .isEqualTo(
                        new DurabilityConfig(
                                DurabilityConfig.Store.MEMORY,
                                DurabilityConfig.Sync.INTERVAL,
                                20,
                                0,
                                5_000,
                                3 * MIB,
                                100 * MIB,
                                0,
                                4 * MIB,
                                7_000,
                                0,
                                128 * MIB));
    }

    @ParameterizedTest
    @CsvSource({"256, 256, 32", "4096, 256, 64", "4096, 1024, 256", "2048, 32, 8"})
    void the_window_is_a_share_of_the_heap_that_the_logs_can_hold(
            long heapMib, long journalMib, long windowMib) throws Exception {
        assertThat(
                        load(heapMib * MIB, "durability.journal-max=" + journalMib + "MiB")
                                .durability()
                                .windowBytes())
                .isEqualTo(windowMib * MIB);
    }

    @Test
    void keys_that_contradict_each_other_are_refused() {
        assertThat(
                        mistakes(
                                "durability.window-bytes=600MiB",
                                "durability.journal-max=1GiB",
                                "queues.bytes=1MiB",
                                "queues.node-bytes=1KiB",
                                "queues.node-messages=999999"))
                .containsExactlyInAnyOrder(
                        "--set: durability.window-bytes = 600MiB: must not be above half of the Java"
                                + " heap (536870912 bytes; see node.memory)",
                        "--set: durability.window-bytes = 600MiB: must not be above half of"
                                + " durability.journal-max (1073741824 bytes)",
                        "configuration: durability.disk-free: must not be below"
                                + " durability.window-bytes (629145600 bytes)",
                        "--set: queues.bytes = 1MiB: must not be below mqtt.maximum-packet-size"
                                + " (16777216 bytes)",
                        "--set: queues.node-bytes = 1KiB: must not be below queues.bytes (1048576"
                                + " bytes)",
                        "--set: queues.node-messages = 999999: must not be below queues.messages"
                                + " (1000000)");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "durability.store | disk",
                "durability.sync | always",
                "durability.sync-interval | 0",
                "durability.gather | 20us",
                "durability.window | 1ms",
                "durability.window-bytes | 1KiB",
                "durability.journal-max | 31MiB",
                "durability.ballast | 5",
                "durability.disk-free | 0",
                "queues.messages | 0",
                "queues.bytes | 0",
                "queues.policy | discard",
                "queues.page | 0",
                "queues.node-messages | many",
            })
    void what_is_outside_is_refused_by_what_is_allowed(String key, String value) {
        Key<?> known = KnownKeys.find(key).orElseThrow();
        assertThat(mistakes(key + "=" + value))
                .contains("--set: " + key + " = " + value + ": allowed: " + known.type().allowed());
    }
}
