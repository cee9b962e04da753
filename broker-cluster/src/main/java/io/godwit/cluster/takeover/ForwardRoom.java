package io.godwit.cluster.takeover;

import io.godwit.core.load.ShardLoad;
import io.godwit.core.packet.ClientId;
import io.godwit.core.takeover.FullHomes;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * How much waits to go after sessions to their new homes, by node, and for which sessions no more
 * may: who publishes to those waits before the message is routed.
 *
 * <p>Owned by the shard that owns the topic index.
 */
final class ForwardRoom implements FullHomes {
    /** What keeping a message costs beside its own bytes. */
    private static final int ENTRY_BYTES = 200;

    private static final long BYTES_LEAST = 1 << 10;
    private static final long BYTES_MOST = 8 << 20;

    private final LongConsumer account;
    private final LongSupplier bytesMax;

    /** By server id of the new home. */
    private final Map<Integer, Long> bytes = new HashMap<>();

    /** Sessions that must get no more for now, and the server ids of their new homes. */
    private final Map<ClientId, Integer> full = new ConcurrentHashMap<>();

    /**
     * @param account told how the bytes change
     * @param bytesMax for all nodes together
     */
    ForwardRoom(LongConsumer account, LongSupplier bytesMax) {
        this.account = account;
        this.bytesMax = bytesMax;
    }

    /**
     * That of a node: it has a third of what the shard may keep, as have its streams of two kinds.
     */
    static ForwardRoom of(Supplier<ShardLoad> load) {
        return new ForwardRoom(
                change -> load.get().peers(change), () -> load.get().peerBytesMax() / 3);
    }

    /** A message waits to go after a session. */
    void add(int server, ClientId clientId, int messageBytes) {
        if (change(server, messageBytes + ENTRY_BYTES) >= max()) {
            full.put(clientId, server);
        }
    }

    /** It no longer does. */
    void remove(int server, int messageBytes) {
        if (change(server, -messageBytes - ENTRY_BYTES) < max() && !full.isEmpty()) {
            full.values().removeIf(each -> each == server);
        }
    }

    private long change(int server, long by) {
        account.accept(by);
        long now = bytes.merge(server, by, Long::sum);
        if (now == 0) {
            bytes.remove(server);
        }
        return now;
    }

    private long max() {
        long share = bytesMax.getAsLong() / Math.max(1, bytes.size());
        return Math.clamp(share, BYTES_LEAST, BYTES_MOST);
    }

    @Override
    public @Nullable Integer of(ClientId clientId) {
        return full.get(clientId);
    }

    @Override
    public boolean isSome() {
        return !full.isEmpty();
    }
}
