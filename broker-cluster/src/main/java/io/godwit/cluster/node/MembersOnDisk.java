package io.godwit.cluster.node;

import io.godwit.cluster.membership.MembersFile;
import java.nio.file.Path;

/** Keeps the list of members in a file of the data folder. */
public final class MembersOnDisk implements MembersFile {
    private final CheckedFile file;

    /**
     * @param file in the data folder
     */
    public MembersOnDisk(Path file) {
        this.file = new CheckedFile(file, "the list of members");
    }

    @Override
    public byte[] load() {
        // It is made anew from what the others know.
        return file.load("starting with an empty list of members");
    }

    @Override
    public void save(byte[] members) {
        file.save(members, () -> {});
    }
}
