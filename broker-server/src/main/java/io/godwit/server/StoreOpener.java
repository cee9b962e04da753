package io.godwit.server;

import io.godwit.core.store.Store;
import io.godwit.core.time.TimeSource;
import io.godwit.server.config.Config;
import java.nio.file.Path;

/** Opens the store of one node. */
interface StoreOpener {
    /**
     * @param dataFolder of the node, locked; the store has a folder of its own below it
     * @param serverId of the node
     * @param time that the shards see, too
     * @throws StartFailed says what the operator can do; nothing is left open
     */
    Store open(Config config, Path dataFolder, TimeSource time, int serverId) throws StartFailed;
}
