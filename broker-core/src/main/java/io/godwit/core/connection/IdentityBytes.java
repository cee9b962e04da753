package io.godwit.core.connection;

import io.godwit.core.auth.ClientSettings;
import io.godwit.core.auth.Identity;
import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.ByteWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An {@link Identity} on its way to the node that serves the client.
 *
 * <pre>
 * has user name 1 | user name sized | groups varint, each sized | attributes varint, each two sized
 *     | connect seconds varint | receive maximum, publish rate, publish bytes varint
 * </pre>
 */
final class IdentityBytes {
    private IdentityBytes() {}

    /** Appends it. */
    static void write(Identity identity, ByteWriter to) {
        String userName = identity.userName();
        to.u8(userName == null ? 0 : 1);
        if (userName != null) {
            text(userName, to);
        }
        to.varint(identity.groups().size());
        for (String group : identity.groups()) {
            text(group, to);
        }
        to.varint(identity.attributes().size());
        for (Map.Entry<String, String> each : identity.attributes().entrySet()) {
            text(each.getKey(), to);
            text(each.getValue(), to);
        }
        ClientSettings settings = identity.settings();
        to.varint(identity.connectSeconds())
                .varint(settings.receiveMaximum())
                .varint(settings.publishRate())
                .varint(settings.publishBytes());
    }

    /**
     * Reads what {@link #write} has written.
     *
     * @throws IndexOutOfBoundsException it is none
     */
    static Identity read(ByteReader from) {
        @Nullable String userName = from.u8() == 0 ? null : text(from);
        List<String> groups = new ArrayList<>();
        for (long left = from.varint(); left > 0; left--) {
            groups.add(text(from));
        }
        Map<String, String> attributes = new HashMap<>();
        for (long left = from.varint(); left > 0; left--) {
            attributes.put(text(from), text(from));
        }
        long connectSeconds = from.varint();
        try {
            return new Identity(
                    userName,
                    groups,
                    attributes,
                    null,
                    connectSeconds,
                    new ClientSettings(
                            Math.toIntExact(from.varint()),
                            Math.toIntExact(from.varint()),
                            from.varint()));
        } catch (IllegalArgumentException | ArithmeticException bad) {
            throw new IndexOutOfBoundsException("identity: " + bad.getMessage());
        }
    }

    private static void text(String text, ByteWriter to) {
        to.sized(text.getBytes(StandardCharsets.UTF_8));
    }

    private static String text(ByteReader from) {
        return new String(from.sized(), StandardCharsets.UTF_8);
    }
}
