package io.godwit.server.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.server.StartFailed;
import io.godwit.server.config.TlsConfig;
import io.godwit.server.reload.FileMemory;
import io.godwit.server.reload.ReloadResult;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.ReferenceCountUtil;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.security.KeyPair;
import java.security.cert.X509CRL;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class ListenerTlsTest {
    private static final long MEMORY = 1L << 30;

    @TempDir Path folder;

    private final FileMemory memory = new FileMemory(MEMORY);
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
        ListenerTls.load("secure", config(TlsConfig.Provider.AUTO), Instant.now(), memory)
                .release();
    }

    @ParameterizedTest
    @EnumSource(TlsConfig.Provider.class)
    void good_files_make_a_context_with_each_provider(TlsConfig.Provider provider)
            throws StartFailed {
        ListenerTls tls = ListenerTls.load("secure", config(provider), Instant.now(), memory);

        SslHandler handler = tls.newHandler(UnpooledByteBufAllocator.DEFAULT, null);
        assertThat(handler.engine().getUseClientMode()).isFalse();
        ReferenceCountUtil.release(handler.engine());
        tls.release();
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
                        ListenerTls.load(
                                "secure",
                                config(TlsConfig.Provider.AUTO),
                                server.certificate().getNotBefore().toInstant().minusSeconds(1),
                                memory))
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

    @Test
    void certificates_in_the_wrong_order_are_named() {
        TestCertificates.writeCertificates(
                certificate,
                server.certificate(),
                TestCertificates.authority("other").certificate());

        assertThatThrownBy(this::make)
                .hasMessage(
                        "listeners.secure.tls.certificate: "
                                + certificate
                                + " holds certificates in the wrong order: number 2 did not sign"
                                + " number 1");
    }

    @Nested
    class A_reload {
        private final TestCertificates.Identity next = TestCertificates.server(authority);
        private ListenerTls tls;

        @BeforeEach
        void load() throws StartFailed {
            tls =
                    ListenerTls.load(
                            "secure", config(TlsConfig.Provider.AUTO), Instant.now(), memory);
        }

        @AfterEach
        void release() {
            tls.release();
        }

        @Test
        void of_the_same_content_changes_nothing() throws Exception {
            Files.setLastModifiedTime(certificate, FileTime.from(Instant.now().plusSeconds(60)));
            assertThat(tls.reload()).isEqualTo(ReloadResult.unchanged());
        }

        @Test
        void of_a_new_pair_says_what_is_new_and_until_when() {
            TestCertificates.writeCertificates(certificate, next.certificate());
            TestCertificates.writeKey(key, next.key());

            assertThat(tls.reload())
                    .isEqualTo(
                            ReloadResult.changed(
                                    certificate
                                            + ", "
                                            + key
                                            + " are new; the certificate is valid until "
                                            + next.certificate().getNotAfter().toInstant()));
            assertThat(tls.reload()).isEqualTo(ReloadResult.unchanged());
        }

        @Test
        void of_half_a_pair_keeps_the_old_one_until_the_other_half_is_there() {
            TestCertificates.writeCertificates(certificate, next.certificate());

            assertThat(tls.reload())
                    .isEqualTo(
                            ReloadResult.failed(
                                    "listeners.secure.tls.key: "
                                            + key
                                            + " does not belong to the certificate in "
                                            + certificate));
            assertThat(tls.failures()).isEqualTo(1);
            TestCertificates.writeKey(key, next.key());
            assertThat(tls.reload().kind()).isEqualTo(ReloadResult.Kind.CHANGED);
        }

        @Test
        void of_an_expired_certificate_keeps_the_old_one() {
            long before = tls.expirySeconds(Instant.now());
            TestCertificates.Identity old = TestCertificates.expired(authority);
            TestCertificates.writeCertificates(certificate, old.certificate());
            TestCertificates.writeKey(key, old.key());

            assertThat(tls.reload().text()).contains("holds a certificate that expired at");
            assertThat(tls.expirySeconds(Instant.now())).isBetween(before - 60, before);
        }

        @Test
        void follows_a_symbolic_link_that_is_swapped() throws Exception {
            Path first = Files.createDirectory(folder.resolve("first"));
            Path second = Files.createDirectory(folder.resolve("second"));
            Files.copy(certificate, first.resolve("tls.crt"));
            Files.copy(key, first.resolve("tls.key"));
            TestCertificates.writeCertificates(second.resolve("tls.crt"), next.certificate());
            TestCertificates.writeKey(second.resolve("tls.key"), next.key());
            Path data = Files.createSymbolicLink(folder.resolve("..data"), first);
            certificate =
                    Files.createSymbolicLink(
                            folder.resolve("tls.crt"), Path.of("..data", "tls.crt"));
            key = Files.createSymbolicLink(folder.resolve("tls.key"), Path.of("..data", "tls.key"));
            ListenerTls linked =
                    ListenerTls.load(
                            "secure", config(TlsConfig.Provider.AUTO), Instant.now(), memory);

            assertThat(linked.reload()).isEqualTo(ReloadResult.unchanged());
            Path swap = Files.createSymbolicLink(folder.resolve("..data_tmp"), second);
            Files.move(swap, data, StandardCopyOption.ATOMIC_MOVE);
            assertThat(linked.reload().kind()).isEqualTo(ReloadResult.Kind.CHANGED);
            linked.release();
        }

        @Test
        void gives_the_old_context_back_with_its_last_connection() throws Exception {
            SslHandler connected = tls.newHandler(UnpooledByteBufAllocator.DEFAULT, null);
            SslContext old = tls.context();
            TestCertificates.writeCertificates(certificate, next.certificate());
            TestCertificates.writeKey(key, next.key());

            assertThat(tls.reload().kind()).isEqualTo(ReloadResult.Kind.CHANGED);
            assertThat(tls.context()).isNotSameAs(old);
            assertThat(ReferenceCountUtil.refCnt(old)).isEqualTo(1);
            ReferenceCountUtil.release(connected.engine());
            assertThat(ReferenceCountUtil.refCnt(old)).isZero();
        }
    }

    @Nested
    class Revocation_lists {
        private final TestCertificates.Identity client =
                TestCertificates.client(authority, "cn=dev1");
        private final Instant tomorrow = Instant.now().plusSeconds(86_400);
        private Path list;

        @BeforeEach
        void nameFile() {
            list = folder.resolve("ca.crl");
        }

        private ListenerTls load(TlsConfig.ExpiredCrl expired) throws StartFailed {
            Path ca =
                    TestCertificates.writeCertificates(
                            folder.resolve("ca.pem"), authority.certificate());
            return ListenerTls.load(
                    "secure",
                    new TlsConfig(
                            certificate,
                            key,
                            ca,
                            TlsConfig.ClientAuth.REQUIRED,
                            List.of("TLSv1.3"),
                            TlsConfig.Provider.AUTO,
                            List.of(list),
                            expired,
                            Map.of(),
                            TlsConfig.Identity.NONE),
                    Instant.now(),
                    memory);
        }

        private @Nullable String refusal(TlsConfig.ExpiredCrl expired) throws StartFailed {
            ListenerTls tls = load(expired);
            tls.release();
            return tls.refusal(new X509Certificate[] {client.certificate()});
        }

        private void mistake(String text) {
            assertThatThrownBy(() -> load(TlsConfig.ExpiredCrl.REFUSE))
                    .isInstanceOf(StartFailed.class)
                    .hasMessage("listeners.secure.tls.client-crl: " + list + " " + text);
        }

        @ParameterizedTest
        @ValueSource(booleans = {true, false})
        void name_a_certificate_in_pem_and_der(boolean pem) throws Exception {
            X509CRL made = TestCertificates.revocationList(authority, tomorrow, client);
            if (pem) {
                TestCertificates.writeLists(list, made);
            } else {
                Files.write(list, made.getEncoded());
            }
            assertThat(refusal(TlsConfig.ExpiredCrl.REFUSE)).isEqualTo(RevocationLists.REVOKED);
        }

        @Test
        void do_not_name_others() throws Exception {
            TestCertificates.writeLists(
                    list, TestCertificates.revocationList(authority, tomorrow, server));
            assertThat(refusal(TlsConfig.ExpiredCrl.REFUSE)).isNull();
        }

        @Test
        void that_are_out_of_date_refuse_everybody_unless_they_are_accepted() throws Exception {
            TestCertificates.writeLists(
                    list,
                    TestCertificates.revocationList(authority, Instant.now().minusSeconds(60)));
            assertThat(refusal(TlsConfig.ExpiredCrl.REFUSE)).isEqualTo(RevocationLists.OUT_OF_DATE);
            assertThat(refusal(TlsConfig.ExpiredCrl.ACCEPT)).isNull();
        }

        @Test
        void that_do_not_fit_into_memory_keep_the_old_ones() throws Exception {
            TestCertificates.writeLists(list, TestCertificates.revocationList(authority, tomorrow));
            long size = Files.size(list);
            memory.set("others", MEMORY - 20 * size);
            ListenerTls tls = load(TlsConfig.ExpiredCrl.REFUSE);
            assertThat(memory.bytes()).isEqualTo(MEMORY - 20 * size + 12 * size);
            Files.writeString(list, "\n".repeat((int) size), StandardOpenOption.APPEND);
            assertThat(tls.reload().text())
                    .startsWith("listeners.secure.tls.client-crl: takes about 1 MiB of memory");
            assertThat(memory.bytes()).isEqualTo(MEMORY - 20 * size + 12 * size);
            tls.release();
        }

        @Test
        void of_another_authority_are_a_mistake() {
            TestCertificates.writeLists(
                    list,
                    TestCertificates.revocationList(TestCertificates.authority("other"), tomorrow));
            mistake("holds a revocation list of CN=other, which is not in tls.client-ca");
        }

        @Test
        void that_another_key_signed_are_a_mistake() {
            TestCertificates.writeLists(
                    list,
                    TestCertificates.revocationList(TestCertificates.authority("ca"), tomorrow));
            mistake("holds a revocation list that the key of CN=ca did not sign");
        }

        @Test
        void without_read_permission_are_a_mistake() throws Exception {
            // Point at a file that the kernel lets nobody read, as root may read all others.
            Files.createSymbolicLink(list, Path.of("/sys/bus/platform/uevent"));
            mistake("can't be read: permission denied");
        }

        @Test
        void that_are_delta_lists_are_a_mistake() {
            TestCertificates.writeLists(
                    list, TestCertificates.deltaList(authority, tomorrow, client));
            mistake("holds a delta list; whole lists are needed");
        }

        @Test
        void that_are_none_are_mistakes() throws Exception {
            mistake("does not exist");
            Files.writeString(list, "");
            mistake("is empty");
            Files.writeString(list, "nothing");
            mistake("holds no revocation list (-----BEGIN X509 CRL-----)");
            Files.write(list, new byte[] {0x30, 0x03, 1, 2, 3});
            assertThatThrownBy(() -> load(TlsConfig.ExpiredCrl.REFUSE))
                    .hasMessageContaining("holds a revocation list that can't be read: ");
        }
    }
}
