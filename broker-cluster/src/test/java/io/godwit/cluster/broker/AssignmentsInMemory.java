package io.godwit.cluster.broker;

import io.godwit.cluster.leadership.AssignmentsFile;

/** Keeps the table of a node that lives as long as the test. */
final class AssignmentsInMemory implements AssignmentsFile {
    private byte[] table = new byte[0];

    @Override
    public byte[] load() {
        return table;
    }

    @Override
    public void save(byte[] changed, Runnable whenKept) {
        table = changed;
        whenKept.run();
    }
}
