package io.godwit.server.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.server.StartFailed;
import io.godwit.server.config.TlsConfig;
import io.netty.handler.ssl.SslContext;
import io.netty.util.ReferenceCountUtil;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.KeyPair;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class TlsContextsTest {
    @TempDir Path folder;

    private final TestCertificates.Identity authority = TestCertificates.authority("ca");
    private final TestCertificates.Identity server = TestCertificates.server(authority);
    private Path certificate;
    private Path key;

    @BeforeEach
    void writeGoodFiles() {
        certificate =
                TestCertificates.writeCertificates(
                        folder.resolve("cert.pem"), server.certificate(), authority.certificate());
        key = TestCertificates.writeKey(folder.resolve("key.pem"), server.key());
    }

    private TlsConfig config(TlsConfig.Provider provider) {
        return new TlsConfig(
                certificate,
                key,
                null,
                TlsConfig.ClientAuth.NONE,
                List.of("TLSv1.3", "TLSv1.2"),
                provider);
    }

    private void make() throws StartFailed {
        SslContext context =
                TlsContexts.of("secure", config(TlsConfig.Provider.AUTO), Instant.now());
        ReferenceCountUtil.release(context);
    }

    @ParameterizedTest
    @EnumSource(TlsConfig.Provider.class)
    void good_files_make_a_context_with_each_provider(TlsConfig.Provider provider)
            throws StartFailed {
        SslContext context = TlsContexts.of("secure", config(provider), Instant.now());

        assertThat(context.isServer()).isTrue();
        ReferenceCountUtil.release(context);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void keys_in_the_older_forms_are_read(boolean rsa) throws StartFailed {
        KeyPair keys = rsa ? TestCertificates.rsaKeys() : TestCertificates.ecKeys();
        TestCertificates.writeCertificates(
                certificate, TestCertificates.server(authority, keys).certificate());
        TestCertificates.writeTraditionalKey(key, keys.getPrivate());
        assertThat(key).content().contains(rsa ? "BEGIN RSA PRIVATE KEY" : "BEGIN EC PRIVATE KEY");

        make();
    }

    @Test
    void a_missing_file_is_named() throws Exception {
        Files.delete(certificate);

        assertThatThrownBy(this::make)
                .isInstanceOf(StartFailed.class)
                .hasMessage("listeners.secure.tls.certificate: " + certificate + " does not exist");
    }

    @Test
    void a_folder_in_place_of_a_file_is_named() throws Exception {
        Files.delete(key);
        Files.createDirectory(key);

        assertThatThrownBy(this::make)
                .hasMessage("listeners.secure.tls.key: " + key + " is a folder");
    }

    @Test
    void a_key_of_another_certificate_is_named() {
        TestCertificates.writeKey(key, TestCertificates.ecKeys().getPrivate());

        assertThatThrownBy(this::make)
                .hasMessage(
                        "listeners.secure.tls.key: "
                                + key
                                + " does not belong to the certificate in "
                                + certificate);
    }

    @Test
    void a_key_of_another_kind_is_named() {
        TestCertificates.writeKey(key, TestCertificates.rsaKeys().getPrivate());

        assertThatThrownBy(this::make).hasMessageContaining("does not belong to the certificate");
    }

    @Test
    void an_expired_certificate_is_named_with_its_date() {
        TestCertificates.Identity old = TestCertificates.expired(authority);
        TestCertificates.writeCertificates(certificate, old.certificate());
        TestCertificates.writeKey(key, old.key());

        assertThatThrownBy(this::make)
                .hasMessage(
                        "listeners.secure.tls.certificate: "
                                + certificate
                                + " holds a certificate that expired at "
                                + old.certificate().getNotAfter().toInstant());
    }

    @Test
    void a_certificate_of_tomorrow_is_named() {
        assertThatThrownBy(() ->
                        TlsContexts.of(
                                "secure",
                                config(TlsConfig.Provider.AUTO),
                                server.certificate().getNotBefore().toInstant().minusSeconds(1)))
                .hasMessageContaining(
                        certificate + " holds a certificate that is not valid before");
    }

    @Test
    void files_in_the_wrong_places_are_named() throws Exception {
        Path swap = certificate;
        certificate = key;
        key = swap;

        assertThatThrownBy(this::make)
                .hasMessageContaining(
                        "listeners.secure.tls.certificate: "
                                + certificate
                                + " holds no certificate");
        Files.copy(key, certificate, StandardCopyOption.REPLACE_EXISTING);
        assertThatThrownBy(this::make)
                .hasMessageContaining("listeners.secure.tls.key: " + key + " holds no private key");
    }

    @Test
    void an_encrypted_key_is_named_with_the_way_out() throws Exception {
        Files.writeString(
                key,
                "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n");

        assertThatThrownBy(this::make)
                .hasMessageContaining(key + " holds an encrypted private key")
                .hasMessageContaining("openssl pkey");
    }

    @Test
    void a_damaged_file_is_named() throws Exception {
        Files.writeString(
                certificate, "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n");

        assertThatThrownBy(this::make)
                .hasMessageContaining(certificate + " holds a certificate that can't be read");
        Files.writeString(
                certificate, "-----BEGIN CERTIFICATE-----\nM=I\n-----END CERTIFICATE-----\n");
        assertThatThrownBy(this::make).hasMessageContaining(certificate + " is not a PEM file");
    }
}
