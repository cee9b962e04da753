package io.godwit.cluster.transport;

import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Which room handles which message: put together once, before the links begin. */
public final class Handlers {
    /** What handles messages of one code. */
    record Entry(MessageType type, MessageHandler handler) {}

    private final Map<Integer, Entry> byCode = new HashMap<>();
    private final Set<MessageHandler> handlers = new LinkedHashSet<>();

    /**
     * Has a room handle messages of these types.
     *
     * @throws IllegalArgumentException when a code is taken
     */
    public Handlers with(MessageHandler handler, MessageType... types) {
        for (MessageType type : Arrays.asList(types)) {
            Entry other = byCode.putIfAbsent(type.code(), new Entry(type, handler));
            if (other != null) {
                throw new IllegalArgumentException(
                        type + " has the code of " + other.type() + ": codes are given once");
            }
        }
        handlers.add(handler);
        return this;
    }

    /**
     * @return null: a message that a newer version has and this one does not know
     */
    @Nullable Entry of(int code) {
        return byCode.get(code);
    }

    void handled(PeerLink from) {
        for (MessageHandler each : handlers) {
            each.onHandled(from);
        }
    }
}
