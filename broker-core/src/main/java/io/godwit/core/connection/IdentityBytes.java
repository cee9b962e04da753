package io.godwit.core.connection;

import io.godwit.core.auth.ClientSettings;
import io.godwit.core.auth.Identity;
import io.godwit.core.auth.rules.AccessList;
import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.ByteWriter;
import io.godwit.core.settings.QueueBounds;
import io.godwit.core.settings.QueuePolicy;
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
 * flags 1 | user name sized, if there is one | authenticator sized | groups varint, each sized
 *     | attributes varint, each two sized | access list, if there is one | connect seconds varint
 *     | receive maximum, publish rate, publish bytes varint
 *     | messages and bytes of the queue varint, policy 1
 *     | connections of the user, of the address varint
 * flags: has a user name 0 | has an access list 1
 * policy: the node's 0 | discard-newest 1 | discard-oldest 2 | reject 3
 * </pre>
 */
final class IdentityBytes {
    private static final int HAS_USER_NAME = 1;
    private static final int HAS_ACCESS = 1 << 1;

    private IdentityBytes() {}

    /** Appends it. */
    static void write(Identity identity, ByteWriter to) {
        String userName = identity.userName();
        AccessList access = identity.access() instanceof AccessList list ? list : null;
        to.u8((userName == null ? 0 : HAS_USER_NAME) | (access == null ? 0 : HAS_ACCESS));
        if (userName != null) {
            text(userName, to);
        }
        text(identity.authenticator(), to);
        to.varint(identity.groups().size());
        for (String group : identity.groups()) {
            text(group, to);
        }
        to.varint(identity.attributes().size());
        for (Map.Entry<String, String> each : identity.attributes().entrySet()) {
            text(each.getKey(), to);
            text(each.getValue(), to);
        }
        if (access != null) {
            access.write(to);
        }
        ClientSettings settings = identity.settings();
        to.varint(identity.connectSeconds())
                .varint(settings.receiveMaximum())
                .varint(settings.publishRate())
                .varint(settings.publishBytes());
        write(settings.queue(), to);
        to.varint(settings.connectionsOfUser()).varint(settings.connectionsOfAddress());
    }

    private static void write(QueueBounds queue, ByteWriter to) {
        QueuePolicy policy = queue.policy();
        to.varint(queue.messages())
                .varint(queue.bytes())
                .u8(policy == null ? 0 : policy.ordinal() + 1);
    }

    /**
     * Reads what {@link #write} has written.
     *
     * @throws IndexOutOfBoundsException it is none
     */
    static Identity read(ByteReader from) {
        int flags = from.u8();
        @Nullable String userName = (flags & HAS_USER_NAME) == 0 ? null : text(from);
        String authenticator = text(from).intern(); // one of few, in each connection
        List<String> groups = new ArrayList<>();
        for (long left = from.varint(); left > 0; left--) {
            groups.add(text(from));
        }
        Map<String, String> attributes = new HashMap<>();
        for (long left = from.varint(); left > 0; left--) {
            attributes.put(text(from), text(from));
        }
        AccessList access = (flags & HAS_ACCESS) == 0 ? null : AccessList.read(from);
        long connectSeconds = from.varint();
        try {
            return new Identity(
                    userName,
                    groups,
                    attributes,
                    access,
                    connectSeconds,
                    new ClientSettings(
                            Math.toIntExact(from.varint()),
                            Math.toIntExact(from.varint()),
                            from.varint(),
                            queue(from),
                            Math.toIntExact(from.varint()),
                            Math.toIntExact(from.varint())),
                    authenticator);
        } catch (IllegalArgumentException | ArithmeticException bad) {
            throw new IndexOutOfBoundsException("identity: " + bad.getMessage());
        }
    }

    private static QueueBounds queue(ByteReader from) {
        long messages = from.varint();
        long bytes = from.varint();
        int policy = from.u8();
        return new QueueBounds(
                messages, bytes, policy == 0 ? null : QueuePolicy.values()[policy - 1]);
    }

    private static void text(String text, ByteWriter to) {
        to.sized(text.getBytes(StandardCharsets.UTF_8));
    }

    private static String text(ByteReader from) {
        return new String(from.sized(), StandardCharsets.UTF_8);
    }
}
