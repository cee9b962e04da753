package io.godwit.cluster.node;

import io.godwit.cluster.replication.CopyRecordsFile;
import java.nio.file.Path;

/** Keeps which nodes have copies in a file of the data folder. */
public final class CopyRecordsOnDisk implements CopyRecordsFile {
    private final CheckedFile file;

    /**
     * @param file in the data folder
     */
    public CopyRecordsOnDisk(Path file) {
        this.file = new CheckedFile(file, "which nodes have copies of which sessions");
    }

    @Override
    public byte[] load() {
        return file.load("leaders tell it again; what leaders that are away have told is lost");
    }

    @Override
    public void save(byte[] records, Runnable whenKept) {
        file.save(records, whenKept);
    }
}
