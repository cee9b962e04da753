package io.godwit.persistence.space;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The disk under a folder, as far as its room goes. */
public interface Volume {
    /** Bytes that this process may still write. */
    long usableBytes() throws IOException;

    /** The file system that holds this folder. */
    static Volume of(Path folder) {
        // Asked anew each time: another file system may be mounted there later.
        return () -> Files.getFileStore(folder).getUsableSpace();
    }
}
