package io.godwit.server.security.users;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.server.security.users.Argon2id.Cost;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import org.bouncycastle.crypto.digests.Blake2bDigest;
import org.bouncycastle.crypto.generators.Argon2BytesGenerator;
import org.bouncycastle.crypto.params.Argon2Parameters;
import org.junit.jupiter.api.Test;

class Argon2idTest {
    private final Argon2id argon2 = new Argon2id();

    @Test
    void argon2id_of_rfc_9106_gives_its_tag() {
        byte[] tag =
                argon2.hash(
                        new Cost(32, 3, 4),
                        filled(32, 1),
                        filled(16, 2),
                        filled(8, 3),
                        filled(12, 4),
                        32);
        assertThat(HexFormat.of().formatHex(tag))
                .isEqualTo("0d640df58d78766c08c037a34a8b53c9d01ef0452d75b65eb52520e96b01e659");
    }

    @Test
    void blake2b_of_rfc_7693_gives_its_hash() {
        byte[] hash = new Blake2b(64).add("abc".getBytes(StandardCharsets.US_ASCII)).hash();
        assertThat(HexFormat.of().formatHex(hash))
                .isEqualTo(
                        "ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d1"
                                + "7d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923");
    }

    @Test
    void blake2b_of_any_length_equals_that_of_bouncy_castle() {
        Random random = new Random(1);
        for (int length : new int[] {0, 1, 127, 128, 129, 255, 256, 257, 1024, 1025}) {
            for (int hashLength : new int[] {1, 32, 33, 64}) {
                byte[] bytes = new byte[length];
                random.nextBytes(bytes);
                Blake2bDigest other = new Blake2bDigest(hashLength * 8);
                other.update(bytes, 0, length);
                byte[] expected = new byte[hashLength];
                other.doFinal(expected, 0);
                assertThat(new Blake2b(hashLength).add(bytes).hash()).isEqualTo(expected);
            }
        }
    }

    @Test
    void argon2id_of_any_cost_equals_that_of_bouncy_castle() {
        Random random = new Random(2);
        for (int i = 0; i < 100; i++) {
            int lanes = 1 + random.nextInt(5);
            Cost cost = new Cost(8 * lanes + random.nextInt(1_200), 1 + random.nextInt(4), lanes);
            byte[] password = new byte[random.nextInt(200)];
            byte[] salt = new byte[8 + random.nextInt(57)];
            random.nextBytes(password);
            random.nextBytes(salt);
            int length = 16 + random.nextInt(100);
            assertThat(argon2.hash(cost, password, salt, length))
                    .as("%s", cost)
                    .isEqualTo(bouncyCastle(cost, password, salt, length));
        }
    }

    @Test
    void our_cost_equals_that_of_bouncy_castle_and_its_memory_is_kept_empty() {
        byte[] password = "wonderland".getBytes(StandardCharsets.UTF_8);
        byte[] salt = filled(16, 7);
        assertThat(argon2.hash(NewHashes.ARGON2, password, salt, 32))
                .isEqualTo(bouncyCastle(NewHashes.ARGON2, password, salt, 32));
        assertThat(argon2.memoryBytes()).isEqualTo(19L << 20).isEqualTo(NewHashes.memoryBytes());
        argon2.release();
        assertThat(argon2.memoryBytes()).isZero();
    }

    private static byte[] bouncyCastle(Cost cost, byte[] password, byte[] salt, int length) {
        Argon2BytesGenerator generator = new Argon2BytesGenerator();
        generator.init(
                new Argon2Parameters.Builder(Argon2Parameters.ARGON2_id)
                        .withVersion(Argon2Parameters.ARGON2_VERSION_13)
                        .withMemoryAsKB(cost.memoryKiB())
                        .withIterations(cost.passes())
                        .withParallelism(cost.lanes())
                        .withSalt(salt)
                        .build());
        byte[] hash = new byte[length];
        generator.generateBytes(password, hash);
        return hash;
    }

    private static byte[] filled(int length, int with) {
        byte[] bytes = new byte[length];
        Arrays.fill(bytes, (byte) with);
        return bytes;
    }
}
