package io.godwit.cluster.node;

import io.godwit.cluster.leadership.AssignmentsFile;
import java.nio.file.Path;
import java.util.concurrent.Executor;

/** Keeps the table of slots in a file of the data folder. */
public final class AssignmentsOnDisk implements AssignmentsFile {
    private final CheckedFile file;
    private final Executor linksThread;

    /**
     * @param file in the data folder
     * @param linksThread runs tasks on the thread of the links
     */
    public AssignmentsOnDisk(Path file, Executor linksThread) {
        this.file = new CheckedFile(file, "which node leads which slot");
        this.linksThread = linksThread;
    }

    @Override
    public byte[] load() {
        return file.load("this node leads no slot before other members tell it which were its own");
    }

    @Override
    public void save(byte[] table, Runnable whenKept) {
        file.save(table, () -> linksThread.execute(whenKept));
    }
}
