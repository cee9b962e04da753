package io.godwit.core.packet;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Names that a stranger could prepare: all of one {@link Utf8#hashCode}. */
public final class CollidingNames {
    private CollidingNames() {}

    /** At most 65 536, of 32 bytes each. */
    public static List<byte[]> of(int count) {
        List<byte[]> names = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            StringBuilder name = new StringBuilder();
            for (int bit = 0; bit < 16; bit++) {
                name.append((i >>> bit & 1) == 0 ? "Aa" : "BB"); // 31 * 'A' + 'a' = 31 * 'B' + 'B'
            }
            names.add(name.toString().getBytes(StandardCharsets.UTF_8));
        }
        return names;
    }
}
