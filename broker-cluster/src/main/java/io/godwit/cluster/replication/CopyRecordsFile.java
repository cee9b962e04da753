package io.godwit.cluster.replication;

/** Keeps a node's {@link CopyRecord}s over a restart. */
public interface CopyRecordsFile {
    /**
     * Returns what was saved last.
     *
     * @return empty when nothing was, or when it is damaged
     */
    byte[] load();

    /**
     * Saves records in place of those that were saved before. Does not wait; tries again until it
     * has succeeded. Called again only when the last call is kept.
     *
     * @param whenKept run once, on any thread, when they are safely on the disk
     */
    void save(byte[] records, Runnable whenKept);
}
