package io.godwit.server.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class JvmFlagsTest {
    private static final long MIB = 1L << 20;
    @TempDir Path folder;
    private MemoryLimit limit;

    @BeforeEach
    void aMachineOfEightGibibytes() throws IOException {
        limit = new MemoryLimit(folder.resolve("self"), folder.resolve("fs"), file("meminfo", ""));
        file("meminfo", "MemTotal:        8388608 kB\nMemFree:  1 kB\n");
    }

    private Path file(String name, String text) throws IOException {
        Path file = folder.resolve(name);
        Files.createDirectories(file.getParent());
        return Files.writeString(file, text);
    }

    private List<String> flags(Map<String, String> environment, String... arguments)
            throws Exception {
        return JvmFlags.of(RunArguments.parse(List.of(arguments)), environment, limit);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "'node:\n  memory: 1GiB\n' | 1024",
                "'node:\n  # memory: 3GiB\n  name: x\n  memory: \"2 GiB\" # half\n' | 2048",
                "'node.memory: 512m\n' | 512",
                "'{node: {name: a,\n   memory: 3GiB}}' | 3072",
                "'other:\n  memory: 1GiB\nnode:\n  name: a\nlast:\n  memory: 2GiB\n' | 4096",
                "'node:\n  memory: banana\n' | 4096",
                "'node: {memory: 0}' | 4096",
            })
    void the_budget_is_the_files_else_half_of_the_machine(String yaml, long mib) throws Exception {
        Path file = file("godwit.yaml", yaml);
        long rest = mib - 96;
        assertThat(flags(Map.of(), "--config=" + file)).contains("-Xmx" + rest / 2 + "m");
    }

    @Test
    void the_later_word_about_memory_counts() throws Exception {
        Path file = file("godwit.yaml", "node: {memory: 1GiB}");
        Map<String, String> environment = Map.of("GODWIT_NODE_MEMORY", "2GiB");
        assertThat(flags(environment, "--config=" + file))
                .contains("-Xmx976m", "-XX:MaxDirectMemorySize=390m")
                .contains("-Dio.netty.maxDirectMemory=" + 390 * MIB)
                .contains("-Dgodwit.memory.store=" + 292 * MIB);
        assertThat(flags(environment, "--config=" + file, "--set", "node.memory=3GiB"))
                .contains("-Xmx1488m");
        assertThat(flags(Map.of("GODWIT_CONFIG", file.toString()))).contains("-Xmx464m");
    }

    @Test
    void a_node_of_several_has_a_class_cache_of_its_own() throws Exception {
        Path file = file("godwit.yaml", "cluster:\n  enabled: true\n");
        String node = "-Dgodwit.cache=cluster";
        String alone = "-Dgodwit.cache=godwit";
        assertThat(flags(Map.of(), "--config=" + file)).contains(node).doesNotContain(alone);
        assertThat(flags(Map.of(), "--config=" + file, "--set", "cluster.enabled=false"))
                .contains(alone);
        assertThat(flags(Map.of("GODWIT_CLUSTER_ENABLED", "true"))).contains(node);
        assertThat(flags(Map.of())).contains(alone);
    }

    @Test
    void the_key_wins_over_the_container_and_the_container_over_the_machine() throws Exception {
        file("self", "0::/mine\n");
        file("fs/mine/memory.max", "1073741824\n");
        assertThat(MemoryDivision.of(512 * MIB, limit).toString())
                .startsWith("512 MiB (node.memory): heap 208 MiB");
        assertThat(MemoryDivision.of(0, limit).toString())
                .startsWith("1024 MiB (the container's limit): heap 464 MiB");
        file("fs/mine/memory.max", "max\n");
        assertThat(MemoryDivision.of(0, limit).toString())
                .startsWith("4096 MiB (half of the machine): heap 2000 MiB");
        file("fs/mine/memory.max", "134217728\n");
        assertThatThrownBy(() -> MemoryDivision.of(0, limit))
                .hasMessage("the container's limit leaves 128 MiB; Godwit needs at least 256 MiB");
    }

    @ParameterizedTest
    @ValueSource(longs = {256, 512, 1024, 8192, 262144})
    void the_parts_leave_room_for_what_is_not_counted(long mib) throws Exception {
        file("meminfo", "MemTotal:        1073741824 kB\n");
        MemoryDivision memory = MemoryDivision.of(mib * MIB, limit);
        long parts = memory.heapBytes() + memory.directBytes() + memory.storeBytes();
        assertThat(mib * MIB - parts).isGreaterThanOrEqualTo(96 * MIB + (mib - 96) * MIB / 7);
        assertThat(memory.storeBytes()).isGreaterThan(16 * MIB);
        assertThat(memory.heapBytes()).isLessThanOrEqualTo(31L << 30);
    }

    @Test
    void the_least_limit_of_a_version_2_group_and_those_above_it_counts() throws IOException {
        file("self", "0::/above/mine\n");
        file("fs/above/memory.max", "1073741824\n");
        file("fs/above/mine/memory.max", "max\n");
        assertThat(limit.container()).isEqualTo(1073741824);
        file("fs/above/mine/memory.max", "536870912\n");
        assertThat(limit.container()).isEqualTo(536870912);
    }

    @Test
    void inside_a_container_the_own_group_is_the_root() throws IOException {
        file("self", "0::/outside/name\n");
        file("fs/memory.max", "268435456\n");
        assertThat(limit.container()).isEqualTo(268435456);
    }

    @Test
    void version_1_has_a_folder_per_controller_and_a_large_number_for_none() throws IOException {
        file("self", "5:cpu,cpuacct:/x\n4:memory:/docker/1\n0::/\n");
        file("fs/memory/memory.limit_in_bytes", "9223372036854771712\n");
        assertThat(limit.container()).isEqualTo(MemoryLimit.NONE);
        file("fs/memory/docker/1/memory.limit_in_bytes", "1073741824\n");
        assertThat(limit.container()).isEqualTo(1073741824);
    }

    @Test
    void without_control_groups_there_is_no_limit() {
        assertThat(limit.container()).isEqualTo(MemoryLimit.NONE);
        assertThat(limit.machineBytes()).isEqualTo(8L << 30);
    }

    @Test
    void a_process_is_as_old_as_the_launcher_says() {
        assertThat(ProcessAge.between("12.34", "13.00 99.9\n")).isEqualTo(660);
        assertThat(ProcessAge.between(null, "13.00 99.9")).isEqualTo(-1);
        assertThat(ProcessAge.between("12.34", null)).isEqualTo(-1);
        assertThat(ProcessAge.between("14.00", "13.00 1")).isEqualTo(-1);
        assertThat(ProcessAge.ms()).isNotNegative();
    }

    @Test
    void more_memory_than_the_machine_has_is_refused_by_name() {
        assertThatThrownBy(() -> flags(Map.of("GODWIT_NODE_MEMORY", "9GiB")))
                .hasMessage("node.memory: 9216 MiB are more than this machine has (8192 MiB)");
    }
}
