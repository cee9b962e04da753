package io.godwit.server.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.server.Main;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClusterPageTest {
    private static final Path PAGE = Path.of("../docs/cluster.md");

    @TempDir Path folder;

    /** The arguments of each command of the page's block that sets a cluster up. */
    private List<List<String>> commands() throws Exception {
        String page = Files.readString(PAGE);
        int from = page.indexOf("```", page.indexOf("## Setting one up")) + 3;
        String block =
                page.substring(from, page.indexOf("```", from))
                        .replace("\\\n", " ")
                        .replace("10.0.0.", "127.0.0.");
        List<List<String>> commands = new ArrayList<>();
        for (String line : block.strip().lines().toList()) {
            assertThat(line).startsWith("./godwit ");
            List<String> words = List.of(line.strip().split(" +", -1));
            commands.add(new ArrayList<>(words.subList(1, words.size())));
        }
        return commands;
    }

    @Test
    void the_commands_that_set_a_cluster_up_make_the_files_that_they_name() throws Exception {
        Path conf = Files.createDirectory(folder.resolve("conf"));
        Path file = Files.writeString(conf.resolve("godwit.yaml"), "");
        List<List<String>> commands = commands();
        assertThat(commands).hasSize(2);

        List<String> certificate = commands.get(0);
        assertThat(certificate.get(0)).isEqualTo("cluster-cert");
        certificate.set(1, folder.resolve(certificate.get(1)).toString()); // typed in this folder
        assertThat(Main.execute(certificate.toArray(String[]::new))).isZero();

        List<String> run = commands.get(1);
        assertThat(run.get(0)).isEqualTo("run");
        run.addAll(
                List.of(
                        "--check",
                        "--config=" + file,
                        "--set=node.data=data",
                        "--set=listeners.mqtt.bind=127.0.0.1:0",
                        "--set=listeners.ws.bind=127.0.0.1:0",
                        "--set=admin.bind=127.0.0.1:0",
                        "--set=cluster.bind=127.0.0.1:" + freePort()));
        assertThat(Main.execute(run.toArray(String[]::new))).isZero();

        Files.delete(folder.resolve("pki/n1-key.pem"));
        assertThat(Main.execute(run.toArray(String[]::new))).isEqualTo(1);
    }

    private static int freePort() throws Exception {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }
}
