package io.godwit.cluster.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CertificateMakerTest {
    @TempDir Path folder;

    private static X509Certificate read(Path file) throws Exception {
        return (X509Certificate)
                CertificateFactory.getInstance("X.509")
                        .generateCertificate(new ByteArrayInputStream(Files.readAllBytes(file)));
    }

    @Test
    void a_node_has_a_certificate_of_the_folders_ca_and_a_key_for_its_owner_alone()
            throws Exception {
        CertificateMaker maker = new CertificateMaker(folder.resolve("pki"), 30);
        TlsFiles first = maker.make("n1", List.of("10.0.0.1", "n1.example.org"));
        TlsFiles second = maker.make("n2", List.of());

        X509Certificate ca = read(first.ca());
        assertThat(ca.getBasicConstraints()).isZero();
        X509Certificate node = read(first.certificate());
        node.verify(ca.getPublicKey());
        read(second.certificate()).verify(ca.getPublicKey());
        assertThat(node.getBasicConstraints()).isEqualTo(-1);
        assertThat(node.getExtendedKeyUsage())
                .containsExactlyInAnyOrder("1.3.6.1.5.5.7.3.1", "1.3.6.1.5.5.7.3.2");
        assertThat(node.getSubjectAlternativeNames()).hasSize(2);
        assertThat(Files.getPosixFilePermissions(first.key()))
                .containsExactlyInAnyOrder(
                        PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE);
        assertThat(Files.getPosixFilePermissions(folder.resolve("pki/ca.p12")))
                .doesNotContain(
                        PosixFilePermission.GROUP_READ, PosixFilePermission.OTHERS_READ);
        assertThat(Files.list(folder.resolve("pki"))).hasSize(6);
        assertThat(ClusterTls.context(first, line -> {})).isNotNull();
    }

    @Test
    void what_is_there_is_not_written_over() throws Exception {
        CertificateMaker maker = new CertificateMaker(folder, 30);
        maker.make("n1", List.of());
        assertThatThrownBy(() -> maker.make("n1", List.of()))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("n1.pem");
        assertThatThrownBy(() -> maker.make("../n1", List.of())).isInstanceOf(IOException.class);
    }

    @Test
    void a_file_that_is_not_what_it_should_be_is_named() throws Exception {
        TlsFiles files = new CertificateMaker(folder, 30).make("n1", List.of());
        TlsFiles swapped = new TlsFiles(files.ca(), files.certificate(), files.ca());
        assertThatThrownBy(() -> ClusterTls.context(swapped, line -> {}))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("PRIVATE KEY")
                .hasMessageContaining("ca.pem");
    }
}
