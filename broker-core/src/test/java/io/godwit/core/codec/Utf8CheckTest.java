package io.godwit.core.codec;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class Utf8CheckTest {
    /** First bytes of two, three and four, and what may and may not follow them. */
    private static final int[] TELLING = {
        0x00, 0x01, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0,
        0xE1, 0xEC, 0xED, 0xEE, 0xEF, 0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xF8, 0xFE, 0xFF
    };

    @Test
    void every_pair_of_bytes_is_judged_as_the_jdk_does() {
        for (int pair = 0; pair < 0x10000; pair++) {
            check(new byte[] {(byte) (pair >> 8), (byte) pair});
        }
    }

    @Test
    void every_telling_sequence_of_four_is_judged_as_the_jdk_does() {
        int n = TELLING.length;
        for (int i = 0; i < n * n * n * n; i++) {
            check(
                    new byte[] {
                        (byte) TELLING[i % n],
                        (byte) TELLING[i / n % n],
                        (byte) TELLING[i / n / n % n],
                        (byte) TELLING[i / n / n / n]
                    });
        }
    }

    @Test
    void a_fault_is_found_wherever_it_stands_between_ascii_words() {
        SplittableRandom random = new SplittableRandom(67);
        for (int i = 0; i < 50_000; i++) {
            byte[] bytes = new byte[random.nextInt(40)];
            Arrays.fill(bytes, (byte) 'a');
            for (int k = 0; k < 4 && bytes.length > 0; k++) {
                int b = TELLING[random.nextInt(TELLING.length)];
                bytes[random.nextInt(bytes.length)] = (byte) b;
            }
            check(bytes);
        }
    }

    private static void check(byte[] bytes) {
        boolean isText = isWellFormed(bytes);
        boolean isString = isText && !hasNul(bytes);
        ByteBuf buffer = Unpooled.buffer().writeByte(0xFF).writeBytes(bytes).writeByte(0xFF);
        assertThat(Utf8Check.isText(buffer, 1, bytes.length)).isEqualTo(isText);
        assertThat(Utf8Check.isString(buffer, 1, bytes.length)).isEqualTo(isString);
        assertThat(Utf8Check.isString(buffer.array(), 1, bytes.length)).isEqualTo(isString);
    }

    private static boolean isWellFormed(byte[] bytes) {
        try {
            StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes));
            return true;
        } catch (CharacterCodingException e) {
            return false;
        }
    }

    private static boolean hasNul(byte[] bytes) {
        for (byte b : bytes) {
            if (b == 0) {
                return true;
            }
        }
        return false;
    }
}
