package io.godwit.server.extension.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.server.StartFailed;
import io.godwit.server.Version;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class NewProjectTest {
    @TempDir Path root;
    private Path sdk;
    private Path folder;

    @BeforeEach
    void makeSdk() throws IOException {
        sdk = Files.createDirectories(root.resolve("god & wit/sdk"));
        folder = root.resolve("projects/door");
    }

    private List<String> files() throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            return all.filter(Files::isRegularFile)
                    .map(file -> folder.relativize(file).toString())
                    .toList();
        }
    }

    @Test
    void project_has_its_files_with_id_package_and_sdk_in_them() throws Exception {
        new NewProject("front-door", "org.example.door", sdk).writeTo(folder);
        String main = "src/main/java/org/example/door/";
        String test = "src/test/java/org/example/door/";
        assertThat(files())
                .containsExactlyInAnyOrder(
                        "README.md",
                        "pom.xml",
                        main + "Main.java",
                        main + "Settings.java",
                        main + "PasswordAuthenticator.java",
                        main + "SenderInterceptor.java",
                        test + "PasswordAuthenticatorTest.java",
                        test + "SenderInterceptorTest.java",
                        test + "BrokerTest.java",
                        "src/main/folder/extension.yaml",
                        "src/main/folder/config.sample.yaml",
                        "src/main/resources/META-INF/services/io.godwit.extension.Extension");
        for (String each : files()) {
            assertThat(folder.resolve(each))
                    .content()
                    .endsWith("\n")
                    .doesNotContainPattern("@[a-z]+@");
        }
        assertThat(folder.resolve("pom.xml"))
                .content()
                .contains(
                        "<groupId>org.example.door</groupId>",
                        "<artifactId>front-door</artifactId>",
                        "/god%20&amp;%20wit/sdk/</godwit.sdk>",
                        "<godwit.version>" + Version.current() + "</godwit.version>");
        assertThat(folder.resolve("src/main/resources/META-INF/services"))
                .isDirectoryContaining("glob:**/io.godwit.extension.Extension");
        assertThat(folder.resolve(main + "Main.java"))
                .content()
                .startsWith("package org.example.door;\n");
    }

    @Test
    void empty_folder_is_taken_and_any_other_is_refused() throws Exception {
        NewProject project = new NewProject("door", "door", sdk);
        Files.createDirectories(folder);
        project.writeTo(folder);
        List<String> before = files();
        assertThatThrownBy(() -> project.writeTo(folder))
                .isInstanceOf(StartFailed.class)
                .hasMessage(folder + " is not empty; the project needs a new or empty folder");
        assertThat(files()).isEqualTo(before);
        assertThatThrownBy(() -> project.writeTo(folder.resolve("pom.xml")))
                .isInstanceOf(StartFailed.class)
                .hasMessageContaining("is a file; the project needs a new or empty folder");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "Door", "a_b", "-a", "a.b", "a/b", "..", "d\u00f6r"})
    void id_that_is_not_allowed_is_refused(String id) {
        assertThatThrownBy(() -> new NewProject(id, "org.example", sdk))
                .isInstanceOf(StartFailed.class)
                .hasMessageStartingWith("--id = " + id + ": allowed: ");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "Org.example",
                "org..example",
                ".org",
                "org.",
                "org.1a",
                "org-example",
                "org/example",
                "../org",
                "org.example.new",
                "int"
            })
    void package_that_is_not_allowed_is_refused(String name) {
        assertThatThrownBy(() -> new NewProject("door", name, sdk))
                .isInstanceOf(StartFailed.class)
                .hasMessageStartingWith("--package = " + name + ": allowed: ");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"io.godwit.extension", "io.godwit.extension.auth", "org.slf4j.x", "java.x"})
    void package_whose_classes_are_the_brokers_is_refused(String name) {
        assertThatThrownBy(() -> new NewProject("door", name, sdk))
                .isInstanceOf(StartFailed.class)
                .hasMessageContaining("come from the broker or the JDK");
    }

    @Test
    void installation_without_sdk_is_named() {
        Path missing = root.resolve("none");
        assertThatThrownBy(() -> new NewProject("door", "org.example", missing))
                .isInstanceOf(StartFailed.class)
                .hasMessage("there is no folder " + missing + ": this is no whole installation");
    }

    @Test
    void command_without_id_or_package_has_exit_code_two() {
        CommandLine command = new CommandLine(new ExtensionCommand());
        assertThat(command.execute("new", folder.toString(), "--id=door")).isEqualTo(2);
        assertThat(command.execute("new", folder.toString(), "--package=door")).isEqualTo(2);
        assertThat(folder).doesNotExist();
    }
}
