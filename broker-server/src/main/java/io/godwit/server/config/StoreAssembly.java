package io.godwit.server.config;

import io.godwit.core.settings.QueueSettings;
import java.nio.file.Path;

/** {@link ConfigAssembly} for durable sessions: their store and their queues. */
final class StoreAssembly {
    private final Values values;
    private final MemoryBudget budget;

    StoreAssembly(Values values, MemoryBudget budget) {
        this.values = values;
        this.budget = budget;
    }

    DurabilityConfig durability() {
        long journal = values.get(StoreKeys.JOURNAL_MAX);
        long window = windowBytes(journal);
        long free = values.get(StoreKeys.DISK_FREE);
        if (free < window) {
            values.refuse(
                    StoreKeys.DISK_FREE.name(),
                    "must not be below durability.window-bytes (" + window + " bytes)");
        }
        long stall = values.get(StoreKeys.STALL_TIME);
        long hung = values.get(StoreKeys.STALL_EXIT);
        if (hung != 0 && hung < stall) {
            values.refuse(
                    StoreKeys.STALL_EXIT.name(),
                    "must not be below durability.stall-time (" + stall + " ms)");
        }
        return new DurabilityConfig(
                values.get(StoreKeys.STORE),
                values.get(StoreKeys.SYNC),
                values.get(StoreKeys.SYNC_INTERVAL),
                values.get(StoreKeys.GATHER),
                values.get(StoreKeys.WINDOW),
                window,
                journal,
                values.get(StoreKeys.BALLAST),
                free,
                stall,
                hung,
                budget.storeBytes());
    }

    /**
     * @param data node.data
     */
    StoreConfig store(Path data, ConfigFolders folders) {
        String chosen = values.get(StoreKeys.BACKUP_FOLDER);
        Path folder = chosen.isEmpty() ? data.resolve("backups") : folders.resolve(chosen);
        if (folder.startsWith(data.resolve("store"))) {
            values.refuse(StoreKeys.BACKUP_FOLDER.name(), "must not be in the store: " + folder);
        }
        return new StoreConfig(folder);
    }

    private long windowBytes(long journal) {
        long chosen = values.get(StoreKeys.WINDOW_BYTES);
        if (chosen == 0) return Math.min(budget.heapBytes() / 8, journal / 4);
        if (chosen > budget.heapBytes() / 2) {
            values.refuse(
                    StoreKeys.WINDOW_BYTES.name(),
                    "must not be above half of the Java heap ("
                            + budget.heapBytes() / 2
                            + " bytes; see node.memory)");
        }
        if (chosen > journal / 2) {
            values.refuse(
                    StoreKeys.WINDOW_BYTES.name(),
                    "must not be above half of durability.journal-max (" + journal + " bytes)");
        }
        return chosen;
    }

    QueueSettings queues(int packetMaximum) {
        long messages = values.get(StoreKeys.MESSAGES);
        long bytes = values.get(StoreKeys.BYTES);
        long nodeMessages = values.get(StoreKeys.NODE_MESSAGES);
        long nodeBytes = values.get(StoreKeys.NODE_BYTES);
        notBelow(StoreKeys.BYTES, bytes, "mqtt.maximum-packet-size", packetMaximum, " bytes");
        notBelow(StoreKeys.NODE_MESSAGES, nodeMessages, StoreKeys.MESSAGES.name(), messages, "");
        notBelow(StoreKeys.NODE_BYTES, nodeBytes, StoreKeys.BYTES.name(), bytes, " bytes");
        return new QueueSettings(
                messages,
                bytes,
                values.get(StoreKeys.POLICY),
                nodeMessages,
                nodeBytes,
                values.getInt(StoreKeys.PAGE));
    }

    private void notBelow(Key<Long> key, long value, String least, long leastValue, String unit) {
        if (value < leastValue) {
            values.refuse(
                    key.name(), "must not be below " + least + " (" + leastValue + unit + ")");
        }
    }
}
