package io.godwit.cluster.leadership;

/** Keeps a node's table of slots over a restart. */
public interface AssignmentsFile {
    /**
     * Returns what was saved last.
     *
     * @return empty when nothing was, or when it is damaged
     */
    byte[] load();

    /**
     * Saves a table in place of what was saved before. Does not wait; tries again until it has
     * succeeded.
     *
     * @param whenKept run once, on the thread of the links, when it is safely on the disk
     */
    void save(byte[] table, Runnable whenKept);
}
