package io.godwit.server;

import io.godwit.core.id.IdFloor;
import io.godwit.core.store.MemoryStore;
import io.godwit.core.store.Store;
import io.godwit.core.time.TimeSource;
import io.godwit.persistence.disk.StoreUnusable;
import io.godwit.persistence.inspect.SetAside;
import io.godwit.persistence.settings.Durability;
import io.godwit.persistence.settings.StoreSettings;
import io.godwit.server.config.Config;
import io.godwit.server.config.DurabilityConfig;
import io.godwit.server.data.StartNumber;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** The store that {@code durability.store} names. */
final class ConfiguredStore {
    static final String FOLDER = "store";

    private ConfiguredStore() {}

    static Store open(Config config, Path dataFolder, TimeSource time, int serverId)
            throws StartFailed {
        return switch (config.durability().store()) {
            case MEMORY ->
                    config.cluster().enabled()
                            ? new MemoryStore(IdFloor.ofStart(StartNumber.next(dataFolder)))
                            : new MemoryStore();
            case ROCKSDB -> {
                if (SetAside.isCut(dataFolder.resolve(FOLDER))) {
                    throw new StartFailed(
                            "'godwit store set-aside' was interrupted in "
                                    + dataFolder
                                    + ": run it again to finish it. The broker was not started.");
                }
                try {
                    yield NodeStore.open(
                            dataFolder.resolve(FOLDER),
                            settings(config.durability()),
                            limits(config),
                            time,
                            serverId);
                } catch (StoreUnusable e) {
                    throw new StartFailed(String.valueOf(e.getMessage()), e);
                }
            }
        };
    }

    private static NodeStore.Limits limits(Config config) {
        DurabilityConfig chosen = config.durability();
        return new NodeStore.Limits(
                chosen.nativeBytes(), chosen.stallMs(), chosen.hungMs(), config.stop().timeoutMs());
    }

    static StoreSettings settings(DurabilityConfig chosen) {
        Durability sync =
                switch (chosen.sync()) {
                    case COMMIT -> Durability.COMMIT;
                    case INTERVAL -> Durability.INTERVAL;
                    case OS -> Durability.OS;
                };
        return new StoreSettings(
                sync,
                chosen.syncIntervalMs(),
                TimeUnit.MICROSECONDS.toNanos(chosen.gatherMicros()),
                chosen.windowMs(),
                chosen.windowBytes(),
                chosen.journalBytes(),
                chosen.ballastBytes(),
                chosen.diskFreeBytes());
    }
}
