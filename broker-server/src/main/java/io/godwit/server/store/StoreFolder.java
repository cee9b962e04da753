package io.godwit.server.store;

import io.godwit.persistence.inspect.SetAside;
import io.godwit.server.StartFailed;
import io.godwit.server.config.Config;
import io.godwit.server.config.ConfigException;
import io.godwit.server.config.ConfigLoader;
import io.godwit.server.data.FolderLock;
import io.godwit.server.launch.RunArguments;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Which store a command is about: that of a configuration, or of a data folder. */
final class StoreFolder {
    @Option(
            names = "--config",
            paramLabel = "FILE",
            description = "the configuration that names the data folder (node.data)")
    private @Nullable Path file;

    @Option(
            names = "--set",
            paramLabel = "key=value",
            description = "overrides a key of the configuration; may be repeated")
    private List<String> sets = new ArrayList<>();

    @Option(
            names = "--data",
            paramLabel = "FOLDER",
            description =
                    "the data folder, instead of node.data; a backup is looked at with --store")
    private @Nullable Path data;

    @Option(
            names = "--store",
            paramLabel = "FOLDER",
            description = "a folder with a store and nothing else, such as a backup: for looking")
    private @Nullable Path store;

    Config config() throws StartFailed {
        try {
            return ConfigLoader.load(file(), System.getenv(), sets);
        } catch (ConfigException e) {
            throw new StartFailed(
                    e.problems().stream().map(Object::toString).collect(Collectors.joining("\n")),
                    e);
        }
    }

    /**
     * The configuration file; without the option that of the launcher, if there is one: a backup
     * needs none.
     */
    private @Nullable Path file() {
        Path usual = RunArguments.defaultConfig(System.getenv());
        return file != null || usual == null || !Files.exists(usual) ? file : usual;
    }

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
                throw new StartFailed("--store is for looking; name a data folder to change it");
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
