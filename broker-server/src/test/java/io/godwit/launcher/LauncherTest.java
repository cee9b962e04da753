package io.godwit.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LauncherTest {
    private static final long MIB = 1 << 20;
    @TempDir Path folder;

    private static String call(String script) {
        Shell.Result result = Shell.withFunctions(Map.of(), script);
        assertThat(result.exitCode()).as(result.output()).isZero();
        return result.output();
    }

    private Path file(String name, String text) throws IOException {
        Path file = folder.resolve(name);
        Files.createDirectories(file.getParent());
        return Files.writeString(file, text);
    }

    private Path program(String name, String script) throws IOException {
        Path file = file(name, "#!/bin/bash\n" + script + "\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
        return file;
    }

    @Nested
    class Memory {
        @ParameterizedTest
        @CsvSource({
            "256MiB, 268435456",
            "2GiB, 2147483648",
            "2g, 2147483648",
            "1000MB, 1000000000",
            "5, 5",
            "1 TiB, 1099511627776",
            "0, 0",
            "banana, ''",
            "1.5GiB, ''",
            "-1, ''"
        })
        void sizes_are_read_as_the_configuration_reads_them(String text, String bytes) {
            assertThat(call("size_in_bytes '" + text + "'")).isEqualTo(bytes);
        }

        @ParameterizedTest
        @CsvSource(
                delimiter = '|',
                value = {
                    "'node:\n  memory: 1GiB\n' | 1GiB",
                    "'node:\n  # memory: 3GiB\n  name: x\n  memory: \"2 GiB\" # half\n' | 2 GiB",
                    "'# node\nnode.memory: 512m\n' | 512m",
                    "'node: {name: a, memory: 3GiB}\n' | 3GiB",
                    "'node: {memory: 3GiB, name: a}\n' | 3GiB",
                    "'other:\n  memory: 1GiB\nnode:\n  name: a\nlast:\n  memory: 2GiB\n' | ''",
                    "'node:\n  name: memory\n  data: x\n' | ''",
                })
        void the_key_is_found_in_the_file(String yaml, String value) throws IOException {
            Path file = file("godwit.yaml", yaml);
            assertThat(call("memory_in_file '" + file + "'")).isEqualTo(value);
        }

        @ParameterizedTest
        @CsvSource({"256", "512", "1024", "8192", "262144"})
        void the_parts_leave_room_for_what_is_not_counted(long budgetMib) {
            String parts =
                    call(
                            "divide_memory $(("
                                    + budgetMib
                                    + " * MIB)); echo $memory_heap $memory_direct $memory_store");
            long[] bytes = Arrays.stream(parts.split(" ")).mapToLong(Long::parseLong).toArray();
            long rest = budgetMib * MIB - Arrays.stream(bytes).sum();
            assertThat(Arrays.stream(bytes).min().orElseThrow()).isGreaterThan(16 * MIB);
            assertThat(rest).isGreaterThanOrEqualTo(96 * MIB + (budgetMib - 96) * MIB / 7);
            assertThat(bytes[0]).isLessThanOrEqualTo(31L << 30);
        }

        @Test
        void the_least_limit_of_a_version_2_group_and_those_above_it_counts() throws IOException {
            Path membership = file("self", "0::/above/mine\n");
            file("fs/above/memory.max", "1073741824\n");
            file("fs/above/mine/memory.max", "max\n");
            String script = "container_limit '" + membership + "' '" + folder.resolve("fs") + "'";
            assertThat(call(script)).isEqualTo("1073741824");
            file("fs/above/mine/memory.max", "536870912\n");
            assertThat(call(script)).isEqualTo("536870912");
        }

        @Test
        void inside_a_container_the_own_group_is_the_root() throws IOException {
            Path membership = file("self", "0::/outside/name\n");
            file("fs/memory.max", "268435456\n");
            assertThat(call("container_limit '" + membership + "' '" + folder.resolve("fs") + "'"))
                    .isEqualTo("268435456");
        }

        @Test
        void version_1_has_a_folder_per_controller_and_a_large_number_for_none()
                throws IOException {
            Path membership = file("self", "5:cpu,cpuacct:/x\n4:memory:/docker/1\n0::/\n");
            file("fs/memory/memory.limit_in_bytes", "9223372036854771712\n");
            String script = "container_limit '" + membership + "' '" + folder.resolve("fs") + "'";
            assertThat(call(script)).isEmpty();
            file("fs/memory/docker/1/memory.limit_in_bytes", "1073741824\n");
            assertThat(call(script)).isEqualTo("1073741824");
        }

        @Test
        void the_key_wins_over_the_container_and_the_container_over_the_machine() {
            String from = "; echo $memory_budget $memory_from";
            String machine = "machine_memory() { echo 8589934592; }; ";
            String container = machine + "container_limit() { echo 1073741824; }; ";
            String none = machine + "container_limit() { :; }; ";
            assertThat(call(container + "choose_budget 536870912" + from))
                    .isEqualTo("536870912 node.memory");
            assertThat(call(container + "choose_budget 0" + from))
                    .isEqualTo("1073741824 the container's limit");
            assertThat(call(none + "choose_budget 0" + from))
                    .isEqualTo("4294967296 half of the machine");
            Shell.Result small =
                    Shell.withFunctions(
                            Map.of(),
                            machine + "container_limit() { echo 134217728; }; choose_budget 0");
            assertThat(small.exitCode()).isEqualTo(1);
            assertThat(small.output())
                    .isEqualTo(
                            "godwit: the container's limit leaves 128 MiB; Godwit needs at least"
                                    + " 256 MiB");
        }
    }

    @Nested
    class Java {
        private void jdk(String name, String version, boolean compiler) throws IOException {
            file(name + "/release", "IMPLEMENTOR=\"Test\"\nJAVA_VERSION=\"" + version + "\"\n");
            program(name + "/bin/java", "exit 0");
            if (compiler) program(name + "/bin/javac", "exit 0");
        }

        private String find(String need) {
            return call(
                    "java_homes() { printf '%s\\n' '"
                            + folder
                            + "'/*; }; find_java "
                            + need
                            + "; echo $(basename $java_home) $java_major");
        }

        @Test
        void the_newest_wins_and_one_without_a_compiler_only_runs() throws IOException {
            jdk("a", "17.0.9", true);
            jdk("b", "21.0.10", true);
            jdk("c", "21.0.9", true);
            assertThat(find("javac")).isEqualTo("b 21");
            jdk("d", "25", false);
            assertThat(find("java")).isEqualTo("d 25");
            assertThat(find("javac")).isEqualTo("b 21");
        }

        @Test
        void without_one_the_command_that_installs_it_is_named() throws IOException {
            jdk("a", "17.0.9", true);
            program("tools/id", "echo 1000");
            program("tools/apt-get", "exit 0");
            program(
                    "tools/apt-cache",
                    "echo 'openjdk-17-jdk-headless - a'; echo 'openjdk-21-jdk-headless - b';"
                            + " echo 'openjdk-9-jdk-headless - c'");
            Shell.Result result =
                    Shell.withFunctions(
                            Map.of(),
                            "PATH='"
                                    + folder
                                    + "/tools':$PATH; java_homes() { echo '"
                                    + folder
                                    + "'/a; }; find_java javac");
            assertThat(result.exitCode()).isEqualTo(1);
            assertThat(result.output())
                    .isEqualTo(
                            "godwit: no JDK 21 or newer is here. Install one: sudo apt-get update &&"
                                    + " sudo apt-get install -y openjdk-21-jdk-headless");
        }

        @ParameterizedTest
        @CsvSource({"dnf, dnf install -y maven", "brew, brew install maven"})
        void other_systems_have_other_commands(String tool, String command) throws IOException {
            program("tools/" + tool, "exit 0");
            program("tools/id", "echo 0");
            assertThat(call("PATH='" + folder + "/tools'; install_hint maven")).isEqualTo(command);
        }

        @ParameterizedTest
        @CsvSource({
            "21, false, false, godwit.jsa",
            "23, true, false, godwit.jsa",
            "25, true, true, godwit.aot"
        })
        void flags_fit_the_jdk(int major, boolean unsafe, boolean compact, String cache) {
            String flags =
                    call(
                            "program=/p; java_major="
                                    + major
                                    + "; jvm_flags; echo \"${flags[*]}\"; cache_file");
            assertThat(flags)
                    .contains("-XX:+UseG1GC", "--enable-native-access=ALL-UNNAMED")
                    .endsWith("/p/lib/" + cache);
            assertThat(flags.contains("--sun-misc-unsafe-memory-access=allow")).isEqualTo(unsafe);
            assertThat(flags.contains("-XX:+UseCompactObjectHeaders")).isEqualTo(compact);
        }

        @Test
        void the_operators_collector_replaces_ours() {
            Shell.Result result =
                    Shell.withFunctions(
                            Map.of("GODWIT_JAVA_OPTS", "-Xmx1g -XX:+UseZGC"),
                            "java_major=25; jvm_flags; echo \"${flags[*]}\"");
            assertThat(result.output()).contains("ExitOnOutOfMemoryError").doesNotContain("G1GC");
        }
    }

    /** An unpacked archive whose Java only prints its arguments. */
    @Nested
    class Run {
        private Path archive() throws IOException {
            file("godwit/lib/b.jar", "");
            file("godwit/lib/a.jar", "");
            file("godwit/conf/godwit.yaml", "node:\n  memory: 1GiB\n");
            file("jdk/release", "JAVA_VERSION=\"99.0.1\"\n");
            program("jdk/bin/java", "printf '%s\\n' \"$$\" \"$@\"");
            Path launcher = folder.resolve("godwit/bin/godwit");
            Files.createDirectories(launcher.getParent());
            return Files.copy(Shell.LAUNCHER, launcher);
        }

        private String[] arguments(Map<String, String> more, String... command) throws IOException {
            Map<String, String> environment = new HashMap<>(more);
            environment.put("JAVA_HOME", folder.resolve("jdk").toString());
            Shell.Result result = Shell.run(environment, command);
            assertThat(result.exitCode()).as(result.output()).isZero();
            return result.output().split("\n");
        }

        @Test
        void everything_reaches_the_program_and_the_operators_flags_come_last() throws IOException {
            String launcher = archive().toString();
            String home = folder.toRealPath().resolve("godwit").toString();
            String[] all =
                    arguments(
                            Map.of("GODWIT_JAVA_OPTS", "-Xmx77m  -Dx=y"),
                            launcher,
                            "run",
                            "--set",
                            "log.level=debug",
                            "--set=sys.interval=0",
                            "--check");
            assertThat(String.join(" ", all))
                    .contains(" -Xmx464m ", " -Dgodwit.memory.budget=1073741824 ")
                    .contains(" -Dgodwit.home=" + home + " ")
                    .endsWith(
                            " -Xmx77m -Dx=y -cp "
                                    + home
                                    + "/lib/a.jar:"
                                    + home
                                    + "/lib/b.jar io.godwit.server.Main run --config "
                                    + home
                                    + "/conf/godwit.yaml --set log.level=debug"
                                    + " --set=sys.interval=0 --check");
        }

        @Test
        void the_later_word_about_memory_counts() throws IOException {
            String launcher = archive().toString();
            Map<String, String> environment = Map.of("GODWIT_NODE_MEMORY", "2GiB");
            assertThat(arguments(environment, launcher, "run"))
                    .contains("-Dgodwit.memory.budget=2147483648");
            assertThat(arguments(environment, launcher, "run", "--set", "node.memory=3GiB"))
                    .contains("-Dgodwit.memory.budget=3221225472");
            Path other = file("other.yaml", "node: {memory: 512MiB}\n");
            assertThat(arguments(Map.of(), launcher, "run", "--config=" + other))
                    .contains("-Dgodwit.memory.budget=536870912", other.toString());
            assertThat(arguments(Map.of("GODWIT_CONFIG", other.toString()), launcher, "run"))
                    .contains("-Dgodwit.memory.budget=536870912", other.toString());
        }

        @Test
        void the_process_becomes_the_java_one_and_links_are_followed() throws IOException {
            archive();
            Path link =
                    Files.createSymbolicLink(folder.resolve("link"), Path.of("godwit/bin/godwit"));
            String[] lines = arguments(Map.of(), "bash", "-c", "echo $$; exec '" + link + "' run");
            assertThat(lines[1]).as("Java's process id").isEqualTo(lines[0]);
        }

        @Test
        void commands_that_need_the_sources_say_so() throws IOException {
            String launcher = archive().toString();
            Shell.Result result = Shell.run(Map.of(), launcher, "test");
            assertThat(result.exitCode()).isEqualTo(1);
            assertThat(result.output()).contains("'test' needs the sources");
        }

        @Test
        void an_unknown_command_is_a_mistake_of_usage() throws IOException {
            String launcher = archive().toString();
            Shell.Result result = Shell.run(Map.of(), launcher, "rum");
            assertThat(result.exitCode()).isEqualTo(2);
            assertThat(result.output()).contains("Usage:", "there is no command 'rum'");
            assertThat(Shell.run(Map.of(), launcher).exitCode()).isZero();
        }
    }
}
