package io.godwit.server.security.users;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.server.security.users.PasswordHash.OfScram;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class PasswordHashTest {
    /** Written by mosquitto_passwd 2.0.11 for the password "wonder land". */
    private static final String OF_MOSQUITTO =
            "$7$101$L+xnxjScp39juM7p$KI+/4MJOnwUnkJDVQoldyDhuYElNmKTfza3V6uVfegZkQr8pcNTCyz30lQGkFq"
                    + "FQjfd0oAJEQN5jYETrXGRX0g==";

    private final Argon2id argon2 = new Argon2id();

    @Test
    void line_of_mosquitto_accepts_its_password_only() throws Exception {
        PasswordHash hash = HashText.parse(OF_MOSQUITTO);
        assertThat(hash.matches(bytes("wonder land"), argon2)).isTrue();
        assertThat(hash.matches(bytes("wonderland"), argon2)).isFalse();
        assertThat(hash.matches(bytes(""), argon2)).isFalse();
        assertThat(hash.text()).isEqualTo(OF_MOSQUITTO);
    }

    static Stream<PasswordHash> ours() {
        NewHashes hashes = new NewHashes(new SecureRandom());
        return Stream.of(
                hashes.ofPassword(bytes("right")),
                hashes.ofScram(bytes("right")),
                hashes.ofToken("right"));
    }

    @ParameterizedTest
    @MethodSource("ours")
    void hash_of_ours_is_read_as_it_was_written_and_accepts_its_password_only(PasswordHash hash)
            throws Exception {
        PasswordHash read = HashText.parse(hash.text());
        assertThat(read.isSame(hash)).isTrue();
        assertThat(read.isSame(HashText.parse(OF_MOSQUITTO))).isFalse();
        assertThat(read.kind()).isEqualTo(hash.kind());
        assertThat(read.matches(bytes("right"), argon2)).isTrue();
        assertThat(read.matches(bytes("wrong"), argon2)).isFalse();
        for (String part : hash.text().split("\\$", -1)) {
            if (part.length() > 20) {
                assertThat(read.toString()).doesNotContain(part);
            }
        }
    }

    @Test
    void password_that_is_no_utf_8_is_a_password_like_any_other() {
        byte[] password = {(byte) 0xFF, 0, (byte) 0xC3, ':'};
        NewHashes hashes = new NewHashes(new SecureRandom());
        assertThat(hashes.ofPassword(password).matches(password.clone(), argon2)).isTrue();
        assertThat(hashes.ofScram(password).matches(password.clone(), argon2)).isTrue();
    }

    @Test
    void argon2id_with_padding_and_a_hash_of_64_bytes_is_accepted() throws Exception {
        byte[] salt = new byte[64];
        Argon2id.Cost cost = new Argon2id.Cost(1024, 1, 1);
        Base64.Encoder padded = Base64.getEncoder();
        PasswordHash hash =
                HashText.parse(
                        "$argon2id$v=19$m=1024,t=1,p=1$"
                                + padded.encodeToString(salt)
                                + "$"
                                + padded.encodeToString(
                                        argon2.hash(cost, bytes("right"), salt, 64)));
        assertThat(hash.matches(bytes("right"), argon2)).isTrue();
    }

    @Test
    void scram_keys_are_those_of_rfc_7677() {
        byte[] salt = Base64.getDecoder().decode("W22ZaJ0SNY7soEsUEjb6gQ==");
        OfScram keys = OfScram.of(bytes("pencil"), salt, 4096);
        assertThat(Base64.getEncoder().encodeToString(keys.storedKey()))
                .isEqualTo("WG5d8oPm3OtcPnkdi4Uo7BkeZkBFzpcXkuLmtbsT4qY=");
        assertThat(Base64.getEncoder().encodeToString(keys.serverKey()))
                .isEqualTo("wfPLwcE6nTWhTAmQ7tl2KeoiWGPlZqQxSrmfPwDl2dU=");
    }

    @Test
    void scram_password_is_the_same_however_its_letters_are_composed() {
        byte[] salt = new byte[16];
        OfScram keys = OfScram.of(bytes("caf\u00E9\u00A0\u00AD"), salt, 4096);
        assertThat(keys.matches(bytes("cafe\u0301 "), argon2)).isTrue();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "secret | no hash that Godwit knows",
                "'' | no hash that Godwit knows",
                "$6$aaaa$bbbb | $6$, the hash of Mosquitto before 2.0, is not accepted",
                "$argon2i$v=19$m=64,t=1,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAA | no hash that Godwit knows",
                "$argon2id$v=16$m=64,t=1,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAA | must be v=19",
                "$argon2id$v=19$m=65537,t=1,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAA | m must be 8..65536",
                "$argon2id$v=19$m=4294967296,t=1,p=1$AAAAAAAAAAAAAAA$AAAA | m must be 8..65536",
                "$argon2id$v=19$m=64,t=11,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAA | t must be 1..10",
                "$argon2id$v=19$m=64,t=-1,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAA | t must be 1..10",
                "$argon2id$v=19$m=64,t=1,p=17$AAAAAAAAAAAAAAAAAAAAAA$AAAA | p must be 1..16",
                "$argon2id$v=19$m=64,p=1,t=1$AAAAAAAAAAAAAAAAAAAAAA$AAAA | needs m=...,t=...,p=...",
                "$argon2id$v=19$m=64,t=1,p=1$AAAA$AAAA | salt must have 8 to 64 bytes, not 3",
                "$argon2id$v=19$m=64,t=1,p=1$AAAAAAAAAAAAAAAA$AAAA | hash must have 16 to 64 bytes",
                "$argon2id$v=19$m=64,t=1,p=1$AAAAAAAAAAAAAAAA | 4 parts",
                "$7$0$AAAAAAAAAAAAAAAA$AAAA | iterations must be 1..1000000",
                "$7$101$AAAAAAAAAAAAAAAA$AAAA | hash must have 64 bytes, not 3",
                "$7$101$AAAA_AAAAAAAAAAA$AAAA | the salt is no Base64",
                "$scram-sha-256$4095$AAAAAAAAAAAAAAAA$AAAA$AAAA | iterations must be 4096..600000",
                "$token$AAAAAAAAAAAAAAAA$AAAA | hash must have 32 bytes, not 3",
            })
    void text_that_is_no_hash_says_why_and_not_what_it_is(String text, String why) {
        assertThatThrownBy(() -> HashText.parse(text))
                .isInstanceOf(HashText.Illegal.class)
                .hasMessageContaining(why)
                .message()
                .doesNotContain("AAAA")
                .doesNotContain("secret");
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
