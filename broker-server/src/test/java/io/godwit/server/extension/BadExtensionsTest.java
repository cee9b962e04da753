package io.godwit.server.extension;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.server.extension.ExtensionStatus.State;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Extensions that do not load, each with the sentence that says why. */
class BadExtensionsTest {
    @TempDir Path root;
    private ExtensionsFixture fixture;

    @BeforeEach
    void makeFixture() throws Exception {
        fixture = new ExtensionsFixture(root);
    }

    @AfterEach
    void stop() {
        fixture.close();
    }

    private String causeOf(TestExtension extension) throws Exception {
        extension.writeTo(fixture.folder);
        fixture.start();
        assertThat(fixture.state("a").state()).isEqualTo(State.FAILED);
        assertThat(fixture.runningIds()).isEmpty();
        return fixture.state("a").cause().replace(fixture.folder.toString(), "extensions");
    }

    @Test
    void no_descriptor() throws Exception {
        assertThat(causeOf(TestExtension.logging("a").descriptor(null)))
                .isEqualTo("there is no file extensions/a/extension.yaml");
    }

    @Test
    void descriptor_that_is_not_yaml() throws Exception {
        assertThat(causeOf(TestExtension.logging("a").descriptor("id: [a\n")))
                .contains("extensions/a/extension.yaml line", "is not YAML");
    }

    @Test
    void descriptor_with_mistakes_names_all_of_them() throws Exception {
        String cause =
                causeOf(
                        TestExtension.logging("a")
                                .descriptor(
                                        """
                                        id: b
                                        versio: 1
                                        priority: high
                                        threads: many
                                        api: "0.2"
                                        needs: [B]
                                        required: perhaps
                                        """));
        assertThat(cause)
                .contains(
                        "line 1: id = b: must be the name of the folder, a",
                        "line 2: versio = 1: unknown key, did you mean version",
                        "priority = high: allowed: -1000000..1000000",
                        "threads = many: allowed: 1..64, virtual",
                        "api = 0.2: this broker has version 0.1 of the API",
                        "needs = B: allowed: a list of ids of extensions",
                        "required = perhaps: allowed: true, false",
                        "version: is missing");
    }

    @Test
    void folder_whose_name_is_no_id() throws Exception {
        TestExtension.logging("My_One").writeTo(fixture.folder);
        fixture.start();
        assertThat(fixture.state("My_One").cause()).contains("the name of its folder is its id");
    }

    @Test
    void no_jar() throws Exception {
        Path folder = TestExtension.logging("a").writeTo(fixture.folder);
        Files.delete(folder.resolve("a.jar"));
        fixture.start();
        assertThat(fixture.state("a").cause()).startsWith("there is no JAR in ");
    }

    @Test
    void jar_that_is_none() throws Exception {
        Path folder = TestExtension.logging("a").writeTo(fixture.folder);
        Files.writeString(folder.resolve("a.jar"), "this is not a JAR");
        fixture.start();
        assertThat(fixture.state("a").cause())
                .startsWith("none of its JARs has a file META-INF/services/");
    }

    @Test
    void no_service() throws Exception {
        assertThat(causeOf(TestExtension.called("a").source("p.A", "package p; class A {}")))
                .isEqualTo(
                        "none of its JARs has a file META-INF/services/io.godwit.extension.Extension"
                                + " that names its main class");
    }

    @Test
    void two_services() throws Exception {
        assertThat(causeOf(TestExtension.logging("a").service("p.Other")))
                .isEqualTo(
                        "META-INF/services/io.godwit.extension.Extension must name one main class,"
                                + " and names p.Main, p.Other");
    }

    @Test
    void service_that_is_not_there() throws Exception {
        assertThat(causeOf(TestExtension.called("a").service("p.Main")))
                .contains("names p.Main, which is in none of its JARs");
    }

    @Test
    void service_of_the_jdk() throws Exception {
        assertThat(causeOf(TestExtension.called("a").service("java.lang.String")))
                .contains("names java.lang.String, which is not in its JARs but of the JDK");
    }

    @Test
    void service_of_the_broker() throws Exception {
        assertThat(causeOf(TestExtension.called("a").service("io.godwit.extension.Extension")))
                .contains("which is not in its JARs but of the broker");
    }

    @Test
    void main_class_that_is_no_extension() throws Exception {
        assertThat(causeOf(TestExtension.called("a").main("p.A", "package p; public class A {}")))
                .isEqualTo("its main class p.A does not implement io.godwit.extension.Extension");
    }

    @Test
    void main_class_that_is_not_public() throws Exception {
        String source = TestExtension.mainSource("", "").replace("public class Main", "class Main");
        assertThat(causeOf(TestExtension.called("a").main("p.Main", source)))
                .contains("must be public, with a public constructor without parameters");
    }

    @Test
    void class_file_of_a_newer_java() throws Exception {
        assertThat(causeOf(TestExtension.logging("a").classVersion(99)))
                .startsWith("p.Main was compiled for a newer Java than the one that the broker");
    }

    @Test
    void start_that_throws_an_error() throws Exception {
        assertThat(causeOf(TestExtension.starting("a", "throw new StackOverflowError();")))
                .isEqualTo("start() threw java.lang.StackOverflowError");
    }

    @Test
    void constructor_that_throws() throws Exception {
        String source =
                TestExtension.mainSource("", "")
                        .replace("void log(", "{ if (true) throw new Error(\"no\"); } void log(");
        assertThat(causeOf(TestExtension.called("a").main("p.Main", source)))
                .isEqualTo("the constructor of p.Main threw java.lang.Error: no");
    }

    @Test
    void class_of_the_broker_is_not_visible_and_a_sentence_says_so() throws Exception {
        assertThat(
                        causeOf(
                                TestExtension.starting(
                                        "a", "Class.forName(\"io.godwit.server.Version\");")))
                .contains(
                        "io.godwit.server.Version: it is not part of the API of Godwit"
                                + " (io.godwit.extension)");
    }

    @Test
    void library_of_the_broker_is_not_visible_and_a_sentence_says_so() throws Exception {
        assertThat(
                        causeOf(
                                TestExtension.starting(
                                        "a", "Class.forName(\"io.netty.buffer.ByteBuf\");")))
                .contains(
                        "io.netty.buffer.ByteBuf: it is neither in the JARs of the extension a 1.0"
                                + " nor in the JDK");
    }

    @Test
    void settings_with_mistakes_are_all_named() throws Exception {
        String main =
                TestExtension.mainSource("context.configuration(Config.class);", "")
                        .replace(
                                "private ExtensionContext context;",
                                """
                                private ExtensionContext context;
                                record Config(
                                        @Setting(description = "d", min = 1, max = 5) int times,
                                        @Setting(description = "where to ask") String url) {}
                                """);
        Path folder = TestExtension.called("a").main("p.Main", main).writeTo(fixture.folder);
        Files.writeString(folder.resolve("config.yaml"), "times: 7\n");
        fixture.start();
        assertThat(fixture.state("a").cause())
                .contains(
                        "config.yaml line 1: extensions.a.config.times = 7: allowed: a whole number"
                                + " 1..5",
                        "extensions.a.config.url: is missing (where to ask)");
    }

    @Test
    void extension_that_brings_netty_and_jackson_uses_its_own() throws Exception {
        TestExtension.starting(
                        "a",
                        """
                        log(io.netty.buffer.ByteBuf.WORD);
                        log(com.fasterxml.jackson.core.JsonFactory.WORD);
                        """)
                .source(
                        "io.netty.buffer.ByteBuf",
                        "package io.netty.buffer; public class ByteBuf {"
                                + " public static final String WORD = String.valueOf(1); }")
                .source(
                        "com.fasterxml.jackson.core.JsonFactory",
                        "package com.fasterxml.jackson.core; public class JsonFactory {"
                                + " public static final String WORD = String.valueOf(2); }")
                .writeTo(fixture.folder);
        fixture.start();
        assertThat(fixture.log("a")).containsExactly("1", "2");
    }

    @Test
    void extension_that_brings_slf4j_logs_by_the_brokers_and_may_bring_a_bridge() throws Exception {
        TestExtension.starting(
                        "a",
                        """
                        Class<?> shared = Class.forName("org.slf4j.LoggerFactory");
                        log("" + (shared.getClassLoader() == Extension.class.getClassLoader()));
                        Class<?> own = Class.forName("org.slf4j.bridge.Bridge");
                        log("" + (own.getClassLoader() == Main.class.getClassLoader()));
                        """)
                .source(
                        "org.slf4j.LoggerFactory",
                        "package org.slf4j; public class LoggerFactory {}")
                .source(
                        "org.slf4j.bridge.Bridge",
                        "package org.slf4j.bridge; public class Bridge {}")
                .writeTo(fixture.folder);
        fixture.start();
        assertThat(fixture.log("a")).containsExactly("true", "true");
    }

    @Test
    void services_of_libraries_are_found_in_its_jars_and_not_in_the_brokers() throws Exception {
        TestExtension.starting(
                        "a",
                        """
                        Iterator<java.net.spi.URLStreamHandlerProvider> own =
                                ServiceLoader.load(java.net.spi.URLStreamHandlerProvider.class)
                                        .iterator();
                        log("" + Main.class.getClassLoader()
                                .getResource("META-INF/services/org.slf4j.spi.SLF4JServiceProvider"));
                        log("" + (ServiceLoader.load(Extension.class).iterator().next().getClass()
                                == Main.class));
                        """)
                .writeTo(fixture.folder);
        fixture.start();
        assertThat(fixture.log("a")).containsExactly("null", "true");
    }
}
