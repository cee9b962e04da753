package io.godwit.core.codec;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class ControlCharactersTest {
    @Test
    void every_code_point_is_judged_as_the_standard_lists_it() {
        for (int c = 1; c <= Character.MAX_CODE_POINT; c++) {
            if (c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE) {
                continue;
            }
            boolean listed =
                    c <= 0x1F
                            || c >= 0x7F && c <= 0x9F
                            || c >= 0xFDD0 && c <= 0xFDEF
                            || (c & 0xFFFE) == 0xFFFE;
            String one = Character.toString(c);
            for (String text : new String[] {one, "sensors/" + one + "/temperature/9"}) {
                byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
                assertThat(ControlCharacters.isIn(bytes)).as("U+%04X", c).isEqualTo(listed);
                assertThat(ControlCharacters.isIn(Unpooled.wrappedBuffer(bytes), 0, bytes.length))
                        .as("U+%04X", c)
                        .isEqualTo(listed);
            }
        }
    }
}
