package io.godwit.server.extension.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.server.StartFailed;
import io.godwit.server.extension.TestExtension;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class ExtensionCommandTest {
    @TempDir Path root;
    private Path folder;

    @BeforeEach
    void makeFolder() throws IOException {
        folder = Files.createDirectories(root.resolve("extensions"));
    }

    private int run(String command, Object what) {
        return new CommandLine(new ExtensionCommand())
                .execute(
                        command,
                        what.toString(),
                        "--set",
                        "extensions.folder=" + folder.toAbsolutePath());
    }

    private Path zip(Map<String, byte[]> files) throws IOException {
        Path zip = root.resolve("made.zip");
        try (ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(zip))) {
            for (Map.Entry<String, byte[]> each : files.entrySet()) {
                out.putNextEntry(new ZipEntry(each.getKey()));
                out.write(each.getValue());
            }
        }
        return zip;
    }

    private Path zipOf(String version) throws IOException {
        Map<String, byte[]> files = new LinkedHashMap<>();
        files.put(
                "a/extension.yaml",
                ("id: a\nversion: \"" + version + "\"\napi: \"0.1\"\n")
                        .getBytes(StandardCharsets.UTF_8));
        files.put("a/lib/readme.txt", new byte[10]);
        files.put("a/a.jar", TestExtension.logging("a").jar());
        return zip(files);
    }

    @Test
    void install_unpacks_and_replaces_and_keeps_what_is_the_operators() throws Exception {
        assertThat(run("install", zipOf("1"))).isZero();
        Path installed = folder.resolve("a");
        assertThat(Files.getPosixFilePermissions(installed.resolve("a.jar")))
                .contains(PosixFilePermission.OTHERS_READ);
        Files.writeString(installed.resolve("config.yaml"), "# nothing\n");
        Files.createFile(installed.resolve("DISABLED"));
        assertThat(run("install", zipOf("2"))).isZero();
        assertThat(installed.resolve("extension.yaml")).content().contains("version: \"2\"");
        assertThat(installed.resolve("config.yaml")).exists();
        assertThat(installed.resolve("DISABLED")).exists();
        assertThat(folder).isDirectoryNotContaining("glob:**.tmp");
    }

    @Test
    void install_leaves_what_is_there_when_the_new_one_has_mistakes() throws Exception {
        assertThat(run("install", zipOf("1"))).isZero();
        Path bad = zip(Map.of("a/extension.yaml", "id: a\n".getBytes(StandardCharsets.UTF_8)));
        assertThat(run("install", bad)).isEqualTo(1);
        assertThat(folder.resolve("a").resolve("a.jar")).exists();
        assertThat(folder).isDirectoryNotContaining("glob:**.tmp");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "../a/x",
                "a/../../x",
                "/a/x",
                "a//x",
                "a/./x",
                "a\\..\\x",
                "a/c:x",
                "b/x",
                "extension.yaml",
                "A_B/x"
            })
    void install_refuses_names_that_lead_elsewhere(String name) throws Exception {
        Map<String, byte[]> files = new LinkedHashMap<>();
        files.put(name, new byte[1]);
        if (!name.equals("A_B/x")) {
            files.put("a/x/y", new byte[1]);
        }
        assertThat(run("install", zip(files))).isEqualTo(1);
        assertThat(folder).isEmptyDirectory();
        assertThat(root).isDirectoryNotContaining("glob:**/x");
    }

    @Test
    void install_counts_the_bytes_that_it_writes() throws Exception {
        Path zip = zip(Map.of("a/x", new byte[1_000_000]));
        ExtensionZip packed = new ExtensionZip(zip, 999_999);
        assertThat(packed.id()).isEqualTo("a");
        assertThatThrownBy(() -> packed.unpack(root.resolve("to")))
                .isInstanceOf(StartFailed.class)
                .hasMessageContaining("has more than 999999 bytes");
    }

    @Test
    void check_says_by_its_exit_code_whether_an_extension_is_valid() {
        assertThat(run("check", TestExtension.logging("a").writeTo(root))).isZero();
        assertThat(run("check", TestExtension.called("b").writeTo(root))).isEqualTo(1);
        assertThat(run("check", root.resolve("none"))).isEqualTo(1);
    }

    @Test
    void remove_deletes_the_folder() {
        TestExtension.logging("a").writeTo(folder);
        assertThat(run("remove", "a")).isZero();
        assertThat(folder).isEmptyDirectory();
        assertThat(run("remove", "a")).isEqualTo(1);
        assertThat(run("remove", "..")).isEqualTo(1);
    }
}
