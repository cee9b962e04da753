package io.godwit.persistence.inspect;

import java.util.HexFormat;

/** How ids are shown. */
public final class Queues {
    private Queues() {}

    /** A queue or message id, as errors of the store name it too: 16 hexadecimal digits. */
    public static String text(long id) {
        return HexFormat.of().toHexDigits(id);
    }
}
