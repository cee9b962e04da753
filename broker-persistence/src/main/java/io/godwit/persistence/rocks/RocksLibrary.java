package io.godwit.persistence.rocks;

import io.godwit.core.failure.FileCauses;
import io.godwit.persistence.disk.StoreUnusable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.rocksdb.NativeLibraryLoader;
import org.rocksdb.RocksDB;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * RocksDB's native library. It lies in the jar and has to be a file to be loaded: under a fixed
 * name beside the store, since a process that is killed would leave a copy of 17 MB in the
 * temporary folder each time; there only when that one can't be used.
 */
final class RocksLibrary {
    private static final Logger LOG = LoggerFactory.getLogger(RocksLibrary.class);
    static final String FOLDER_VARIABLE = "ROCKSDB_SHAREDLIB_DIR";

    private static boolean loaded;

    private RocksLibrary() {}

    /**
     * @param beside folder to be made for it
     */
    static synchronized void load(Path beside) throws StoreUnusable {
        if (loaded) {
            return;
        }
        load(
                places(beside, System.getenv(FOLDER_VARIABLE)),
                NativeLibraryLoader.getInstance()::loadLibrary);
        // Only now: RocksDB itself never tries again when its first attempt has failed.
        RocksDB.loadLibrary();
        loaded = true;
    }

    /** Null: the temporary folder. */
    static List<@Nullable Path> places(Path beside, @Nullable String chosen) {
        List<@Nullable Path> places = new ArrayList<>();
        if (chosen != null) {
            places.add(Path.of(chosen));
        } else {
            places.add(beside);
            places.add(null);
        }
        return places;
    }

    static void load(List<@Nullable Path> places, Loader loader) throws StoreUnusable {
        List<String> attempts = new ArrayList<>();
        Throwable last = new IllegalStateException("no place");
        for (Path place : places) {
            try {
                if (place != null) {
                    Files.createDirectories(place);
                }
                loader.load(place == null ? null : place.toString());
                return;
            } catch (IOException | RuntimeException | LinkageError e) {
                removePart(place);
                attempts.add((place == null ? temporary() : place) + ": " + FileCauses.of(e));
                last = e;
            }
        }
        throw new StoreUnusable(
                "can't load RocksDB's native library ("
                        + System.getProperty("os.name")
                        + ", "
                        + System.getProperty("os.arch")
                        + ") from "
                        + String.join("; from ", attempts)
                        + ". It is unpacked into that folder, which must be writable and not mounted"
                        + " noexec: choose another one by the environment variable "
                        + FOLDER_VARIABLE
                        + " or by -Djava.io.tmpdir. It needs glibc 2.17 or newer, or musl, and"
                        + " libstdc++ and libgcc.",
                last);
    }

    /** A copy that was cut short by a full disk would take the room that the store needs. */
    private static void removePart(@Nullable Path place) {
        if (place == null || System.getenv(FOLDER_VARIABLE) != null) {
            return;
        }
        try (Stream<Path> files = Files.list(place)) {
            for (Path each : files.toList()) {
                Files.deleteIfExists(each);
            }
        } catch (IOException e) {
            LOG.debug("Can't clear {}", place, e);
        }
    }

    private static String temporary() {
        return System.getProperty("java.io.tmpdir");
    }

    /** What {@link NativeLibraryLoader#loadLibrary} does. */
    interface Loader {
        void load(@Nullable String folder) throws IOException;
    }
}
