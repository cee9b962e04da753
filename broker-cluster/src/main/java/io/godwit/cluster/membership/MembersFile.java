package io.godwit.cluster.membership;

/** Keeps the list of members over a restart. */
public interface MembersFile {
    /**
     * @return what was saved last; empty when nothing was
     */
    byte[] load();

    /** Saves it soon, in place of what was saved before. Does not wait. */
    void save(byte[] members);
}
