package io.godwit.cluster.broker;

import io.godwit.cluster.replication.CopyRecordsFile;

/** Keeps the records of a node that lives as long as the test. */
final class CopyRecordsInMemory implements CopyRecordsFile {
    private byte[] records = new byte[0];

    @Override
    public byte[] load() {
        return records;
    }

    @Override
    public void save(byte[] changed, Runnable whenKept) {
        records = changed;
        whenKept.run();
    }
}
