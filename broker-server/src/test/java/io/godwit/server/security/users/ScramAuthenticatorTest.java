package io.godwit.server.security.users;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.auth.EnhancedAuthenticator.Exchange;
import io.godwit.core.auth.EnhancedAuthenticator.Step;
import io.godwit.core.auth.Identity;
import io.godwit.core.packet.ReasonCode;
import io.godwit.server.security.users.PasswordHash.OfScram;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ScramAuthenticatorTest {
    private static final Step WRONG = new Step.Failure(ReasonCode.BAD_USER_NAME_OR_PASSWORD);
    private static final Step MALFORMED = new Step.Failure(ReasonCode.PROTOCOL_ERROR);

    private @TempDir Path folder;
    private TestUsers test;

    @BeforeEach
    void oneUser() throws Exception {
        byte[] salt = Base64.getDecoder().decode("W22ZaJ0SNY7soEsUEjb6gQ==");
        OfScram keys = OfScram.of(TestUsers.bytes("pencil"), salt, 4096);
        test = new TestUsers(folder.resolve("users"));
        test.write("user:" + keys.text(), test.line("alice", "right"));
        test.users.reload();
    }

    @Test
    void exchange_of_rfc_7677_ends_with_its_signature() {
        Random fixed =
                new Random() {
                    @Override
                    public void nextBytes(byte[] bytes) {}
                };
        ScramAuthenticator scram =
                new ScramAuthenticator(test.users, fixed) {
                    @Override
                    String nonce() {
                        return "%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0";
                    }
                };
        Exchange exchange = scram.begin(TestUsers.connect(null, null), TestUsers.peer("10.0.0.1"));
        assertThat(text(step(exchange, "n,,n=user,r=rOprNGfwEbeRWgbNEkqO")))
                .isEqualTo(
                        "r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,"
                                + "s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096");
        Step last =
                step(
                        exchange,
                        "c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,"
                                + "p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=");
        assertThat(text(last)).isEqualTo("v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=");
        assertThat(((Step.Success) last).identity()).isEqualTo(Identity.ofUser("user"));
    }

    @Test
    void keys_of_scram_accept_the_password_of_a_connect_too() {
        TestUsers.Login login = test.login("10.0.0.1", "user", "pencil");
        test.hash();
        assertThat(login.isGranted()).isTrue();
        TestUsers.Login wrong = test.login("10.0.0.1", "user", "pen");
        test.hash();
        assertThat(wrong.isGranted()).isFalse();
    }

    @Test
    void unknown_user_and_one_without_keys_get_the_same_salt_each_time_and_are_refused() {
        for (String name : List.of("nobody", "alice")) {
            Client first = new Client(name, "right");
            Client second = new Client(name, "right");
            assertThat(first.begin()).isInstanceOf(Step.Continue.class);
            assertThat(second.begin()).isInstanceOf(Step.Continue.class);
            assertThat(first.salt()).isEqualTo(second.salt()).hasSize(16);
            assertThat(first.iterations).isEqualTo(4096);
            assertThat(first.end()).isEqualTo(WRONG);
            assertThat(second.end()).isEqualTo(WRONG);
        }
        Client other = new Client("nobody2", "right");
        Client nobody = new Client("nobody", "right");
        other.begin();
        nobody.begin();
        assertThat(other.salt()).isNotEqualTo(nobody.salt());
    }

    @Test
    void wrong_password_is_refused() {
        Client client = new Client("user", "pen");
        client.begin();
        assertThat(client.end()).isEqualTo(WRONG);
    }

    @Test
    void right_password_is_granted_and_the_server_proves_that_it_has_the_keys() {
        Client client = new Client("user", "pencil");
        client.begin();
        assertThat(text(client.end())).isEqualTo("v=" + client.verifier());
    }

    @Test
    void changed_nonce_or_binding_is_refused() {
        Client nonce = new Client("user", "pencil");
        nonce.begin();
        nonce.nonce += "x";
        assertThat(nonce.end()).isEqualTo(WRONG);
        Client binding = new Client("user", "pencil");
        binding.begin();
        binding.binding = "eSws"; // y,, instead of n,,
        assertThat(binding.end()).isEqualTo(WRONG);
    }

    @Test
    void proof_of_another_exchange_is_refused() {
        Client first = new Client("user", "pencil");
        first.begin();
        String heard = first.last();
        assertThat(first.send(heard)).isInstanceOf(Step.Success.class);
        Client replay = new Client("user", "pencil");
        replay.begin();
        assertThat(replay.send(heard)).isEqualTo(WRONG);
    }

    @Test
    void step_after_the_end_is_refused() {
        Client client = new Client("user", "pencil");
        client.begin();
        String last = client.last();
        assertThat(client.send(last)).isInstanceOf(Step.Success.class);
        assertThat(client.send(last)).isEqualTo(MALFORMED);
        Client wrong = new Client("user", "pen");
        wrong.begin();
        assertThat(wrong.end()).isEqualTo(WRONG);
        assertThat(wrong.begin()).isEqualTo(MALFORMED);
    }

    @Test
    void name_of_the_connect_must_be_the_same() {
        Exchange exchange =
                test.users
                        .scram()
                        .begin(TestUsers.connect("alice", null), TestUsers.peer("10.0.0.1"));
        assertThat(step(exchange, "n,,n=user,r=abc")).isEqualTo(WRONG);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "n,,",
                "n=user,r=abc",
                "p=tls-unique,,n=user,r=abc",
                "n,a=admin,n=user,r=abc",
                "n,,m=ext,n=user,r=abc",
                "n,,n=user",
                "n,,n=user,r=",
                "n,,n=,r=abc",
                "n,,n=us=er,r=abc",
                "n,,n=user,r=a\u0001c",
            })
    void malformed_first_message_is_refused(String first) {
        assertThat(step(exchange("10.0.0.1"), first)).isEqualTo(MALFORMED);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "c=biws", "c=biws,r=abc", "r=abc,c=biws,p=AAAA", "c=biws,r=abc,p=!"})
    void malformed_last_message_is_refused(String last) {
        Client client = new Client("user", "pencil");
        client.begin();
        assertThat(client.send(last)).isEqualTo(MALFORMED);
    }

    @Test
    void missing_data_is_refused() {
        List<Step> answers = new ArrayList<>();
        exchange("10.0.0.1").step(null, answers::add);
        assertThat(answers).containsExactly(MALFORMED);
    }

    @Test
    void proofs_wait_after_five_wrong_ones_right_or_wrong() {
        for (int i = 0; i < 5; i++) {
            Client client = new Client("user", "pen");
            client.begin();
            assertThat(client.end()).isEqualTo(WRONG);
        }
        Client right = new Client("user", "pencil");
        right.begin();
        List<Step> answers = new ArrayList<>();
        right.exchange.step(TestUsers.bytes(right.last()), answers::add);
        test.pass(999);
        assertThat(answers).isEmpty();
        test.pass(1);
        assertThat(answers.getFirst()).isInstanceOf(Step.Success.class);
    }

    @Test
    void nothing_says_a_secret_as_text() {
        Exchange exchange = exchange("10.0.0.1");
        step(exchange, "n,,n=user,r=nonsecret");
        assertThat(exchange.toString()).isEqualTo("SCRAM-SHA-256 LAST");
    }

    private Exchange exchange(String address) {
        return test.users.scram().begin(TestUsers.connect(null, null), TestUsers.peer(address));
    }

    private static Step step(Exchange exchange, String data) {
        List<Step> answers = new ArrayList<>();
        exchange.step(TestUsers.bytes(data), answers::add);
        assertThat(answers).hasSize(1);
        return answers.getFirst();
    }

    private static String text(Step step) {
        byte[] data =
                switch (step) {
                    case Step.Continue more -> more.data();
                    case Step.Success success -> success.data();
                    case Step.Failure failure -> throw new AssertionError(failure);
                };
        return new String(data, StandardCharsets.UTF_8);
    }

    /** A client of RFC 5802, with what it says in its hands. */
    private final class Client {
        final Exchange exchange = exchange("10.0.0.1");
        final String name;
        final String password;
        String nonce = "";
        String binding = "biws";
        String challenge = "";
        String salt = "";
        int iterations;

        Client(String name, String password) {
            this.name = name;
            this.password = password;
        }

        Step begin() {
            Step answer = step(exchange, "n,," + bare());
            if (answer instanceof Step.Continue) {
                challenge = text(answer);
                String[] parts = challenge.split(",", -1);
                nonce = parts[0].substring(2);
                salt = parts[1].substring(2);
                iterations = Integer.parseInt(parts[2].substring(2));
            }
            return answer;
        }

        byte[] salt() {
            return Base64.getDecoder().decode(salt);
        }

        Step end() {
            return send(last());
        }

        Step send(String last) {
            return step(exchange, last);
        }

        String last() {
            byte[] salted = Hmac.SHA256.pbkdf2(TestUsers.bytes(password), salt(), iterations);
            byte[] proof = Hmac.SHA256.of(salted, ScramText.CLIENT_KEY);
            byte[] signature = Hmac.SHA256.of(Hmac.sha256(proof), message());
            for (int i = 0; i < proof.length; i++) {
                proof[i] ^= signature[i];
            }
            return withoutProof() + ",p=" + Base64.getEncoder().encodeToString(proof);
        }

        String verifier() {
            byte[] salted = Hmac.SHA256.pbkdf2(TestUsers.bytes(password), salt(), iterations);
            byte[] key = Hmac.SHA256.of(salted, ScramText.SERVER_KEY);
            return Base64.getEncoder().encodeToString(Hmac.SHA256.of(key, message()));
        }

        private byte[] message() {
            return TestUsers.bytes(bare() + "," + challenge + "," + withoutProof());
        }

        private String bare() {
            return "n=" + name + ",r=clientnonce";
        }

        private String withoutProof() {
            return "c=" + binding + ",r=" + nonce;
        }
    }
}
