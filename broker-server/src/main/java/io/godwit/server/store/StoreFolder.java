package io.godwit.server.store;

import io.godwit.persistence.inspect.SetAside;
import io.godwit.server.StartFailed;
import io.godwit.server.command.ConfigChoice;
import io.godwit.server.data.FolderLock;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Which store a command is about: that of a configuration, or of a data folder. */
final class StoreFolder extends ConfigChoice {
    @Option(
            names = "--data",
            paramLabel = "FOLDER",
            description = "the data folder, instead of node.data; use --store to inspect a backup")
    private @Nullable Path data;

    @Option(
            names = "--store",
            paramLabel = "FOLDER",
            description =
                    "a folder with only a store, such as a backup; for commands that change"
                            + " nothing")
    private @Nullable Path store;

    /** The data folder. */
    Path data() throws StartFailed {
        return data != null ? data.toAbsolutePath() : config().node().data();
    }

    /** Where the store is, or is to be. */
    Path store() throws StartFailed {
        return store != null ? store.toAbsolutePath() : data().resolve("store");
    }

    /** Keeps brokers out. */
    FolderLock lock(boolean forChange) throws StartFailed {
        if (store != null) {
            if (forChange) {
                throw new StartFailed(
                        "--store is for commands that change nothing; name the data folder to"
                                + " change a store");
            }
            return FolderLock.take(store, false);
        }
        Path folder = data();
        if (!Files.isDirectory(store()) && !(forChange && SetAside.isCut(store()))) {
            throw new StartFailed("there is no store in " + folder + " (node.data)");
        }
        return FolderLock.take(folder, forChange);
    }
}
