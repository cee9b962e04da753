package io.godwit.server.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.server.Main;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClusterCertCommandTest {
    @TempDir Path folder;

    @Test
    void a_nodes_files_are_made_once_and_arguments_are_checked() {
        String pki = folder.resolve("pki").toString();
        assertThat(Main.execute("cluster-cert", pki, "n1", "--address", "10.0.0.1")).isZero();
        assertThat(folder.resolve("pki/ca.pem")).exists();
        assertThat(folder.resolve("pki/n1.pem")).exists();
        assertThat(folder.resolve("pki/n1-key.pem")).exists();
        assertThat(Main.execute("cluster-cert", pki, "n1")).isEqualTo(1);
        assertThat(Main.execute("cluster-cert", pki)).isEqualTo(2);
    }
}
