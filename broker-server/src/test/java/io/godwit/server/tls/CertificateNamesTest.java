package io.godwit.server.tls;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.server.config.TlsConfig.IdentitySource;
import org.bouncycastle.asn1.x509.GeneralName;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class CertificateNamesTest {
    private static final TestCertificates.Identity AUTHORITY = TestCertificates.authority("ca");

    private static @Nullable String name(
            IdentitySource source, String subject, GeneralName... alternatives) {
        return CertificateNames.of(
                TestCertificates.client(AUTHORITY, subject, alternatives).certificate(), source);
    }

    private static GeneralName of(int kind, String text) {
        return new GeneralName(kind, text);
    }

    @ParameterizedTest
    @CsvSource({
        "CN, dev1",
        "DN, 'CN=dev1,OU=sensors,O=Example\\, Inc.'",
        "SAN_DNS, dev1.example.org",
        "SAN_URI, spiffe://example.org/dev1",
        "SAN_EMAIL, dev1@example.org",
    })
    void a_certificate_gives_the_name_that_is_asked_for(IdentitySource source, String expected) {
        assertThat(
                        name(
                                source,
                                "cn=dev1,ou=sensors,o=Example\\, Inc.",
                                of(GeneralName.iPAddress, "10.0.0.1"),
                                of(GeneralName.rfc822Name, "dev1@example.org"),
                                of(GeneralName.dNSName, "dev1.example.org"),
                                of(GeneralName.dNSName, "other.example.org"),
                                of(
                                        GeneralName.uniformResourceIdentifier,
                                        "spiffe://example.org/dev1")))
                .isEqualTo(expected);
    }

    @ParameterizedTest
    @EnumSource(
            value = IdentitySource.class,
            names = {"NONE", "CN", "SAN_DNS", "SAN_URI", "SAN_EMAIL"})
    void a_certificate_without_that_part_gives_no_name(IdentitySource source) {
        assertThat(name(source, "o=Example")).isNull();
    }

    @Test
    void the_most_specific_of_several_common_names_counts() {
        assertThat(name(IdentitySource.CN, "cn=dev1,cn=devices,o=Example")).isEqualTo("dev1");
    }

    @Test
    void a_common_name_keeps_its_characters() {
        assertThat(name(IdentitySource.CN, "cn=Ger\u00e4t 7\\, Halle+uid=9,o=Example"))
                .isEqualTo("Ger\u00e4t 7, Halle");
    }

    @Test
    void a_subject_with_an_e_mail_address_is_written_with_its_keyword() {
        assertThat(name(IdentitySource.DN, "1.2.840.113549.1.9.1=a@b.org,cn=dev1"))
                .isEqualTo("EMAILADDRESS=a@b.org,CN=dev1");
    }

    @Test
    void a_name_of_257_characters_is_none() {
        String text = "urn:" + "x".repeat(252);
        assertThat(ofUri(text)).isEqualTo(text);
        assertThat(ofUri(text + "x")).isNull();
    }

    private static @Nullable String ofUri(String text) {
        return name(
                IdentitySource.SAN_URI, "cn=dev1", of(GeneralName.uniformResourceIdentifier, text));
    }

    @ParameterizedTest
    @CsvSource({"0", "10", "127", "133", "65533"})
    void a_name_with_a_control_character_is_none(int character) {
        assertThat(name(IdentitySource.CN, "cn=dev" + (char) character + "1")).isNull();
    }
}
