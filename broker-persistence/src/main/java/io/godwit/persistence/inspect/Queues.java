package io.godwit.persistence.inspect;

import io.godwit.core.id.HybridId;
import java.util.HexFormat;

/** How ids are shown. */
public final class Queues {
    private Queues() {}

    /** A queue or message id, as errors of the store name it too: 16 hexadecimal digits. */
    public static String text(long id) {
        return HexFormat.of().toHexDigits(id);
    }

    /** A message id: that of its clock, and its server id. */
    public static String text(HybridId id) {
        return text(id.clock()) + "-" + id.server();
    }

    /**
     * @throws IllegalArgumentException when it is no text of a message id
     */
    public static HybridId id(String text) {
        int dash = text.indexOf('-');
        if (dash < 0) {
            throw new IllegalArgumentException("no message id: " + text);
        }
        return new HybridId(
                Long.parseUnsignedLong(text.substring(0, dash), 16),
                Integer.parseInt(text.substring(dash + 1)));
    }
}
