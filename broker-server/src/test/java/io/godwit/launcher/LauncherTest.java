package io.godwit.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LauncherTest {
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

        @Test
        void missing_jdk_and_missing_maven_are_told_in_one_sentence() throws IOException {
            program("tools/apt-get", "exit 0");
            program("tools/apt-cache", "echo 'openjdk-25-jdk-headless - a'");
            Shell.Result result =
                    Shell.withFunctions(
                            Map.of(),
                            "PATH='"
                                    + folder
                                    + "/tools':$PATH; MAVEN_HOME=''; java_homes() { :; };"
                                    + " command() { [[ $2 != mvn ]] && builtin command \"$@\"; };"
                                    + " find_java javac");
            assertThat(result.exitCode()).isEqualTo(1);
            assertThat(result.output())
                    .startsWith("godwit: no JDK 21 or newer, and no Maven, is here. Install them: ")
                    .endsWith("apt-get install -y openjdk-25-jdk-headless maven");
        }

        @Test
        void start_where_sigpipe_is_ignored_says_nothing_of_broken_pipes() throws IOException {
            String jdk = System.getProperty("java.home");
            assertThat(call("trap '' PIPE; JAVA_HOME='" + jdk + "'; find_java java 2>&1; echo"))
                    .isEmpty();
        }

        @Test
        void java_home_wins_over_a_newer_jdk_unless_it_is_too_old_or_has_no_compiler()
                throws IOException {
            jdk("a", "21.0.9", false);
            jdk("b", "25.0.1", true);
            jdk("c", "17.0.1", true);
            String home = "JAVA_HOME='" + folder + "'/";
            String script =
                    "java_homes() { printf '%s\\n' \"$JAVA_HOME\" '"
                            + folder
                            + "'/*; }; find_java ";
            String show = "; echo $(basename $java_home)";
            assertThat(call(home + "a; " + script + "java" + show)).isEqualTo("a");
            assertThat(call(home + "a; " + script + "javac" + show)).isEqualTo("b");
            assertThat(call(home + "c; " + script + "java" + show)).isEqualTo("b");
        }

        @ParameterizedTest
        @CsvSource({
            "temurin-25-jdk openjdk-21-jdk-headless openjdk-25-jdk-headless,"
                    + " openjdk-25-jdk-headless",
            "openjdk-17-jdk-headless temurin-21-jdk temurin-25-jdk, temurin-25-jdk"
        })
        void systems_own_package_wins_over_one_of_another_source(String known, String chosen)
                throws IOException {
            program("tools/apt-cache", "printf '%s - a\\n' " + known);
            assertThat(call("PATH='" + folder + "/tools':$PATH; newest_apt_jdk")).isEqualTo(chosen);
        }

        /** A new container has no list of packages until apt-get update was called. */
        @ParameterizedTest
        @CsvSource({
            "debian, 13, openjdk-21-jdk-headless",
            "debian, 12, ''",
            "ubuntu, 24.04, openjdk-21-jdk-headless"
        })
        void package_is_known_by_the_systems_version_while_apt_has_no_list(
                String id, String version, String chosen) throws IOException {
            program("tools/apt-cache", "exit 0");
            Path release = file("os-release", "ID=" + id + "\nVERSION_ID=\"" + version + "\"\n");
            assertThat(
                            call(
                                    "PATH='"
                                            + folder
                                            + "/tools':$PATH; os_release='"
                                            + release
                                            + "'; newest_apt_jdk"))
                    .isEqualTo(chosen);
        }

        @Test
        void system_without_a_new_enough_package_is_told_where_to_get_one() throws IOException {
            program("tools/apt-get", "exit 0");
            program("tools/apt-cache", "echo 'openjdk-17-jdk-headless - a'");
            Shell.Result result =
                    Shell.withFunctions(
                            Map.of(),
                            "PATH='"
                                    + folder
                                    + "/tools':$PATH; java_homes() { :; }; find_java java");
            assertThat(result.exitCode()).isEqualTo(1);
            assertThat(result.output())
                    .startsWith(
                            "godwit: no JDK 21 or newer is here. The packages that apt-get knows")
                    .contains("https://adoptium.net/installation/linux/", "-jvm")
                    .doesNotContain("apt-get install");
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
                                    + "; jvm_flags; echo \"${flags[*]}\"; cache_file godwit");
            assertThat(flags)
                    .contains("-XX:+UseG1GC -XX:MaxGCPauseMillis=50")
                    .contains("--enable-native-access=ALL-UNNAMED")
                    .endsWith("/p/lib/" + cache);
            assertThat(flags.contains("--sun-misc-unsafe-memory-access=allow")).isEqualTo(unsafe);
            assertThat(flags.contains("-XX:+UseCompactObjectHeaders")).isEqualTo(compact);
        }

        /** The JVM says nothing of a name that it does not find. */
        @Test
        void what_c2_keeps_apart_is_there() throws ClassNotFoundException {
            Matcher each =
                    Pattern.compile("dontinline,(\\S+)::(\\S+)")
                            .matcher(call("java_major=25; jvm_flags; echo \"${flags[*]}\""));
            int found = 0;
            for (; each.find(); found++) {
                Method[] methods = Class.forName(each.group(1)).getDeclaredMethods();
                assertThat(methods).extracting(Method::getName).contains(each.group(2));
            }
            assertThat(found).isEqualTo(6);
        }

        @Test
        void large_native_blocks_go_back_to_the_system_unless_the_operator_has_it_otherwise() {
            String show = "native_memory; env | grep '^MALLOC_MMAP'";
            assertThat(call("unset MALLOC_MMAP_THRESHOLD_; " + show))
                    .isEqualTo("MALLOC_MMAP_THRESHOLD_=1048576");
            assertThat(call("export MALLOC_MMAP_THRESHOLD_=5000; " + show))
                    .isEqualTo("MALLOC_MMAP_THRESHOLD_=5000");
        }

        @Test
        void the_operators_collector_replaces_ours() {
            Shell.Result result =
                    Shell.withFunctions(
                            Map.of("GODWIT_JAVA_OPTS", "-Xmx1g -XX:+UseZGC"),
                            "java_major=25; jvm_flags; echo \"${flags[*]}\"");
            assertThat(result.output()).contains("PerfDisableSharedMem").doesNotContain("GC");
        }
    }

    /** A build that fails: the reason is shown, wherever Maven says it. */
    @Nested
    class Failing {
        private String reason(String log) throws IOException {
            Path file = file("build.log", log);
            return call("locate; reason_of_failure '" + file + "'");
        }

        @Test
        void errors_are_shown_without_mavens_advice() throws IOException {
            assertThat(
                            reason(
                                    "[INFO] Scanning\n[ERROR] A.java:[1,2] cannot find symbol\n"
                                            + "[ERROR] \n[ERROR] -> [Help 1]\n"
                                            + "[ERROR] Re-run Maven using the -X switch\n"))
                    .isEqualTo("[ERROR] A.java:[1,2] cannot find symbol");
        }

        @Test
        void a_cause_that_ends_in_a_reference_to_mavens_help_is_shown() throws IOException {
            assertThat(
                            reason(
                                    "[ERROR] Fatal error compiling: a flag is missing -> [Help 1]\n"
                                            + "[ERROR] [Help 1] http://example.org/Exception\n"
                                            + "[ERROR] For more information about the errors and"
                                            + " possible solutions, please read\n"
                                            + "[ERROR] After correcting the problems, you can resume"
                                            + " the build with the command\n"
                                            + "[ERROR]   mvn <args> -rf :extensions-api\n"))
                    .isEqualTo("[ERROR] Fatal error compiling: a flag is missing");
        }

        @Test
        void a_warning_that_counts_as_an_error_is_the_reason() throws IOException {
            assertThat(
                            reason(
                                    "[WARNING] /x/A.java:[3,4] [unchecked] unchecked cast\n"
                                            + "[WARNING] something else\n"
                                            + "[ERROR] warnings found and -Werror specified\n"))
                    .isEqualTo(
                            "[WARNING] /x/A.java:[3,4] [unchecked] unchecked cast\n"
                                    + "[ERROR] warnings found and -Werror specified");
        }

        @Test
        void a_maven_that_does_not_even_begin_is_quoted() throws IOException {
            assertThat(reason("Error: Could not create the Java Virtual Machine.\n"))
                    .isEqualTo("Error: Could not create the Java Virtual Machine.");
        }
    }

    /** Turns the output of Maven into progress lines for a terminal or a log. */
    @Nested
    class Progress {
        private String told(String script) {
            return call("locate; { " + script + "; } | tell_progress");
        }

        @Test
        void each_module_and_the_first_download_have_a_line() {
            assertThat(
                            told("echo '[INFO] Building Godwit :: broker-core 0.1.0     "
                                            + " [3/6]'; echo '[INFO] Building jar: /x/a.jar';"
                                            + " echo '[INFO] Downloaded from central: x';"
                                            + " echo '[INFO] Downloaded from central: y'")
                                    .lines())
                    .allMatch(line -> line.matches("godwit: .* \\([0-9]+ s\\)"))
                    .extracting(line -> line.replaceAll(" \\([0-9]+ s\\)$", ""))
                    .containsExactly(
                            "godwit: compiling broker-core, module 3 of 6",
                            "godwit: downloading libraries, files so far: 1");
        }

        @Test
        void silence_of_ten_seconds_ends_with_a_line() {
            assertThat(told("sleep 13")).matches("godwit: Maven starts \\(1[0-3] s\\)");
        }

        @Test
        void failure_of_maven_is_the_failure_of_the_pipe() {
            assertThat(call("locate; false | tell_progress && echo fine || echo failed"))
                    .isEqualTo("failed");
        }
    }

    /** Checks the files and names of archives. */
    @Nested
    class Archives {
        @ParameterizedTest
        @CsvSource({
            "linux-x86_64, netty-epoll-4-linux-x86_64.jar, librocksdbjni-linux64.so",
            "macos-aarch64, netty-tcnative-2-osx-aarch_64.jar, librocksdbjni-osx-arm64.jnilib",
            "linux-musl-aarch64, '', librocksdbjni-linux-aarch64-musl.so"
        })
        void native_libraries_of_one_platform_are_in_an_archive(
                String platform, String netty, String rocksdb) throws IOException {
            for (String jar :
                    List.of(
                            "a",
                            "rocksdbjni-1",
                            "netty-transport-native-unix-common-4",
                            "netty-epoll-4-linux-x86_64",
                            "netty-tcnative-2-osx-aarch_64",
                            "netty-tcnative-2-windows-x86_64")) {
                file("godwit-9/lib/" + jar + ".jar", "");
            }
            file("godwit-9/lib/godwit.aot", "");
            for (String each : List.of("godwit", "LICENSE", "README.md", "CHANGELOG.md"))
                file("godwit-9/" + each, "");
            for (String each :
                    List.of(
                            "conf/godwit.yaml",
                            "extensions/http/DISABLED",
                            "sdk/io/godwit/extensions-api/9/extensions-api-9.pom",
                            "sdk/io/godwit/a/9/a.jar",
                            "systemd/install",
                            "data/README")) file("godwit-9/" + each, "");
            file("docs/operations.md", "");
            program("jdk/bin/java", "while [[ $1 == -* ]]; do shift; done; touch \"$3\" \"$5\"");
            String listed =
                    call(
                            "locate; program='"
                                    + folder
                                    + "/godwit-9'; sources='"
                                    + folder
                                    + "'; java_home='"
                                    + folder
                                    + "/jdk'; fill_archive "
                                    + platform
                                    + " '"
                                    + folder
                                    + "/packed'; cd '"
                                    + folder
                                    + "/packed'; LC_ALL=C; ls; ls lib; ls native; readlink"
                                    + " bin/godwit sdk/io/godwit/a/9/a.jar; ls docs/operations.md");
            assertThat(listed)
                    .isEqualTo(
                            "CHANGELOG.md\nLICENSE\nREADME.md\nbin\nconf\ndata\ndocs\n"
                                    + "extensions\ngodwit\nlib\nnative\nsdk\nsystemd\na.jar\n"
                                    + (netty.startsWith("netty-e") ? netty + "\n" : "")
                                    + (netty.startsWith("netty-tc") ? netty + "\n" : "")
                                    + "netty-transport-native-unix-common-4.jar\nrocksdbjni-1.jar\n"
                                    + rocksdb
                                    + "\n../godwit\n../../../../../lib/a.jar\ndocs/operations.md");
        }

        @Test
        void installing_twice_keeps_the_configuration_and_replaces_the_program()
                throws IOException {
            Path source = Shell.LAUNCHER.resolveSibling("broker-server/src/dist/systemd");
            for (String version : List.of("1", "2")) {
                String archive = "unpacked/godwit-" + version + "/";
                file(archive + "conf/godwit.yaml", "node:\n  data: data\n");
                program(archive + "godwit", "echo " + version);
                file(archive + "systemd/godwit.service", "");
                Files.copy(source.resolve("install"), folder.resolve(archive + "systemd/install"));
            }
            Path root = folder.resolve("root");
            Path config = root.resolve("etc/godwit/godwit.yaml");
            install("1", root);
            assertThat(config).hasContent("node:\n  data: /var/lib/godwit\n");
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(config)))
                    .isEqualTo("rw-r-----");
            Files.writeString(config, "mine");
            assertThat(install("2", root)).contains("kept " + config);
            assertThat(config).hasContent("mine");
            assertThat(Files.readSymbolicLink(root.resolve("opt/godwit"))).hasToString("godwit-2");
            assertThat(Shell.run(Map.of(), root + "/opt/godwit/godwit").output()).isEqualTo("2");
            assertThat(root.resolve("usr/local/lib/systemd/system/godwit.service")).exists();
        }

        private String install(String version, Path root) {
            String script = folder + "/unpacked/godwit-" + version + "/systemd/install";
            Shell.Result result = Shell.run(Map.of("DESTDIR", root.toString()), "bash", script);
            assertThat(result.exitCode()).as(result.output()).isZero();
            return result.output();
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
            program(
                    "jdk/bin/java",
                    "case \" $* \" in\n"
                            + "*'JvmFlags --no'*) exit 2 ;;\n"
                            + "*' io.godwit.server.launch.JvmFlags '*) echo -Xmx464m; echo -Da=b c ;;\n"
                            + "*) printf '%s\\n' \"$$\" \"$@\" ;;\n"
                            + "esac");
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
                    .contains(" -Xmx464m -Da=b c ")
                    .contains(" -Dgodwit.home=" + home + " ")
                    .endsWith(
                            " -Xmx77m -Dx=y -cp "
                                    + home
                                    + "/lib/a.jar:"
                                    + home
                                    + "/lib/b.jar io.godwit.server.Main run --set log.level=debug"
                                    + " --set=sys.interval=0 --check");
        }

        @Test
        void when_the_flags_can_not_be_found_nothing_is_started() throws IOException {
            String launcher = archive().toString();
            Map<String, String> environment = Map.of("JAVA_HOME", folder.resolve("jdk").toString());
            Shell.Result result = Shell.run(environment, launcher, "run", "--no");
            assertThat(result.exitCode()).isEqualTo(2);
            assertThat(result.output()).isEmpty();
        }

        @Test
        void the_process_becomes_the_java_one_and_links_are_followed() throws IOException {
            archive();
            Path link =
                    Files.createSymbolicLink(folder.resolve("link"), Path.of("godwit/bin/godwit"));
            String[] lines = arguments(Map.of(), "bash", "-c", "echo $$; exec '" + link + "' run");
            assertThat(lines[1]).as("Java's process id").isEqualTo(lines[0]);
        }

        /** The small JVM that sizes the other one takes a second here. */
        @ParameterizedTest
        @CsvSource({"TERM, 143, false", "HUP, 0, true", "USR1, 0, true"})
        void signal_during_a_start_ends_it_with_143_or_not_at_all(
                String signal, int exitCode, boolean isStarted) throws IOException {
            String launcher = archive().toString();
            program(
                    "jdk/bin/java",
                    "case \" $* \" in\n"
                            + "*' io.godwit.server.launch.JvmFlags '*) touch '"
                            + folder
                            + "/sizing'; sleep 1; echo -Xmx464m ;;\n"
                            + "*) echo started ;;\n"
                            + "esac");
            Shell.Result result =
                    Shell.run(
                            Map.of("JAVA_HOME", folder.resolve("jdk").toString()),
                            "bash",
                            "-c",
                            "'"
                                    + launcher
                                    + "' run & until [[ -e '"
                                    + folder
                                    + "/sizing' ]]; do sleep 0.05; done; kill -"
                                    + signal
                                    + " $!; wait $!");
            assertThat(result.exitCode()).isEqualTo(exitCode);
            assertThat(result.output()).isEqualTo(isStarted ? "started" : "");
        }

        @ParameterizedTest
        @CsvSource({"build", "test", "jmh", "chaos", "version"})
        void help_of_a_command_runs_nothing(String command) throws IOException {
            String launcher = archive().toString();
            program("jdk/bin/java", "echo java was run");
            Map<String, String> environment = Map.of("JAVA_HOME", folder.resolve("jdk").toString());
            Shell.Result archived = Shell.run(environment, launcher, command, "--help");
            assertThat(archived.exitCode()).as(archived.output()).isZero();
            assertThat(archived.output())
                    .startsWith("Usage: godwit " + command)
                    .doesNotContain("java was run");
            Shell.Result inSources =
                    Shell.run(environment, Shell.LAUNCHER.toString(), command, "--help");
            assertThat(inSources).isEqualTo(archived);
        }

        @Test
        void archive_with_a_jvm_inside_uses_no_other() throws IOException {
            String launcher = archive().toString();
            file("godwit/jvm/release", "JAVA_VERSION=\"25.0.1\"\n");
            program("godwit/jvm/bin/java", "echo own");
            assertThat(arguments(Map.of(), launcher, "version")).containsExactly("own");
        }

        @Test
        void installed_configuration_is_read_by_an_archive_unless_another_is_named()
                throws IOException {
            String launcher = archive().toString();
            String installed = file("etc/godwit.yaml", "").toString();
            String script =
                    "; installed_config='" + installed + "'; locate; echo ${GODWIT_CONFIG:-none}";
            String ofArchive = "source '" + launcher + "'" + script;
            String ofSources = "source '" + Shell.LAUNCHER + "'" + script;
            Map<String, String> named = Map.of("GODWIT_CONFIG", "/x.yaml");
            assertThat(Shell.run(Map.of(), "bash", "-c", ofArchive).output()).isEqualTo(installed);
            assertThat(Shell.run(named, "bash", "-c", ofArchive).output()).isEqualTo("/x.yaml");
            assertThat(Shell.run(Map.of(), "bash", "-c", ofSources).output()).isEqualTo("none");
            Files.delete(Path.of(installed));
            assertThat(Shell.run(Map.of(), "bash", "-c", ofArchive).output()).isEqualTo("none");
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
