package io.godwit.server.extension.call;

import io.godwit.extension.packet.Bytes;
import io.godwit.extension.service.ConnectionAttributes;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** The attributes of one connection. Any thread. */
final class ClientAttributes {
    private final LongAdder account;
    private final Map<String, Bytes> values = new HashMap<>();
    private long bytes;
    private boolean isEnded;

    /**
     * @param granted by the client's authenticator
     * @param account counts the bytes of all connections
     */
    ClientAttributes(Map<String, String> granted, LongAdder account) {
        this.account = account;
        granted.forEach((name, text) -> put(name, Bytes.ofText(text)));
    }

    synchronized @Nullable Bytes get(String name) {
        return values.get(name);
    }

    /**
     * Sets one.
     *
     * @return false: the connection has ended
     * @throws IllegalStateException there are too many, or they are too large
     */
    synchronized boolean put(String name, Bytes value) {
        if (isEnded) {
            return false;
        }
        Bytes before = values.get(name);
        long change = value.length() - (before == null ? -nameBytes(name) : before.length());
        if (before == null && values.size() >= ConnectionAttributes.COUNT_MAX) {
            throw new IllegalStateException(
                    "a connection may have " + ConnectionAttributes.COUNT_MAX + " attributes");
        }
        if (bytes + change > ConnectionAttributes.BYTES_MAX) {
            throw new IllegalStateException(
                    "attributes of "
                            + (bytes + change)
                            + " bytes; a connection may have "
                            + ConnectionAttributes.BYTES_MAX);
        }
        values.put(name, value);
        add(change);
        return true;
    }

    synchronized @Nullable Bytes remove(String name) {
        Bytes removed = values.remove(name);
        if (removed != null) {
            add(-removed.length() - nameBytes(name));
        }
        return removed;
    }

    synchronized Map<String, Bytes> all() {
        return Map.copyOf(values);
    }

    /** Gives them up: the connection has ended. */
    synchronized void end() {
        isEnded = true;
        values.clear();
        add(-bytes);
    }

    private void add(long change) {
        bytes += change;
        account.add(change);
    }

    private static long nameBytes(String name) {
        return name.getBytes(StandardCharsets.UTF_8).length;
    }
}
