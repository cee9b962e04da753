package io.godwit.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.server.extension.TestExtension;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StartCheckIT {
    @TempDir Path folder;

    private record Result(int exitCode, String out, String err) {}

    private Result run(String... more) {
        List<String> arguments = new ArrayList<>(List.of("run"));
        BrokerFixture.settings(folder).forEach(each -> arguments.add("--set=" + each));
        arguments.addAll(List.of(more));
        PrintStream out = System.out;
        PrintStream err = System.err;
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
        System.setErr(new PrintStream(said, true, StandardCharsets.UTF_8));
        try {
            int exitCode = Main.execute(arguments.toArray(String[]::new));
            return new Result(
                    exitCode,
                    printed.toString(StandardCharsets.UTF_8),
                    said.toString(StandardCharsets.UTF_8));
        } finally {
            System.setOut(out);
            System.setErr(err);
        }
    }

    @Test
    void a_check_names_the_file_that_it_has_read_and_leaves_nothing_behind() throws Exception {
        Path file = Files.writeString(folder.resolve("mine.yaml"), "");
        Result result = run("--check", "--config=" + file);
        assertThat(result.exitCode()).as(result.err()).isZero();
        assertThat(result.out()).isEqualTo("The configuration is valid: " + file + "\n");
        assertThat(folder.resolve("data")).doesNotExist();
    }

    @Test
    void a_check_names_the_mistakes_of_extensions_and_fails_for_those_that_are_required()
            throws Exception {
        Path extensions = Files.createDirectories(folder.resolve("extensions"));
        TestExtension.called("a").writeTo(extensions);
        Result result = run("--check", "--set=extensions.folder=" + extensions);
        assertThat(result.exitCode()).as(result.err()).isZero();
        assertThat(result.err()).contains("extensions.a: none of its JARs has a file");
        result =
                run(
                        "--check",
                        "--set=extensions.folder=" + extensions,
                        "--set=extensions.a.required=true",
                        "--set=extensions.b.required=true");
        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.err())
                .contains(
                        "extensions.a: none of its JARs has a file",
                        "extensions.b: it is required, and has no folder");
    }

    @Test
    void a_check_names_everything_that_a_start_would_end_with() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Path data = Files.writeString(folder.resolve("data"), "a file");
            Result result =
                    run(
                            "--check",
                            "--set=listeners.s.type=tls",
                            "--set=listeners.s.bind=127.0.0.1:0",
                            "--set=listeners.s.tls.certificate=/nowhere/s.pem",
                            "--set=listeners.s.tls.key=/nowhere/s-key.pem",
                            "--set=cluster.enabled=true",
                            "--set=cluster.bind=192.0.2.1:7800",
                            "--set=listeners.mqtt.bind=127.0.0.1:" + taken.getLocalPort());
            assertThat(result.exitCode()).isEqualTo(1);
            assertThat(result.err())
                    .contains(
                            "listeners.s.tls.certificate: /nowhere/s.pem does not exist",
                            "cluster.tls",
                            "node.data: can't use the folder " + data,
                            "listeners.mqtt.bind: can't listen on 127.0.0.1:"
                                    + taken.getLocalPort()
                                    + ": the address is in use")
                    .doesNotContain("Exception");
        }
    }

    @Test
    void a_check_opens_the_files_of_tls_between_nodes() {
        Result result =
                run(
                        "--check",
                        "--set=cluster.enabled=true",
                        "--set=cluster.bind=127.0.0.1:1",
                        "--set=cluster.tls.ca=/nowhere/ca.pem",
                        "--set=cluster.tls.certificate=/nowhere/n1.pem",
                        "--set=cluster.tls.key=/nowhere/n1-key.pem");
        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.err())
                .contains("cluster.tls.certificate: /nowhere/n1.pem does not exist");
    }

    @Test
    void a_check_beside_the_running_broker_tries_no_port_and_succeeds() {
        try (BrokerFixture broker = BrokerFixture.start()) {
            Result result =
                    run(
                            "--check",
                            "--set=node.data=" + broker.server().dataFolder(),
                            "--set=listeners.mqtt.bind=127.0.0.1:" + broker.port());
            assertThat(result.exitCode()).isZero();
            assertThat(result.err()).contains("A broker is running with the data folder");
        }
    }

    @Test
    void a_check_refuses_a_data_folder_whose_number_is_none() throws Exception {
        Path data = Files.createDirectory(folder.resolve("data"));
        Files.writeString(data.resolve("server-id"), "none");
        Result result = run("--check");
        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.err()).contains("server-id should hold this node's number");
    }

    @Test
    void errors_that_end_a_start_are_lines_of_the_log() throws Exception {
        Path data = Files.writeString(folder.resolve("file"), "");
        Result text = run("--set=node.data=" + data);
        assertThat(text.exitCode()).isEqualTo(1);
        assertThat(text.err())
                .matches(
                        "[0-9T:.-]+Z ERROR \\[[^]]+] Start: node.data: can't use .*: a file of this name exists already\n")
                .doesNotContain("Exception");
        Result json = run("--set=node.data=" + data, "--set=log.format=json", "--set=node.name=n7");
        assertThat(json.err())
                .startsWith("{\"time\":\"")
                .contains("\"level\":\"ERROR\",\"node\":\"n7\"", "can't use the folder")
                .endsWith("\"}\n")
                .hasLineCount(1);
        Result wrong = run("--set=log.format=json", "--set=mqtt.maximum-qos=3", "--set=a.b=c");
        assertThat(wrong.err().lines())
                .hasSize(2)
                .allMatch(line -> line.startsWith("{\"time\":") && line.endsWith("}"));
    }
}
