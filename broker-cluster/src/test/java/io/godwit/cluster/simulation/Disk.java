package io.godwit.cluster.simulation;

import io.godwit.cluster.membership.MembersFile;

/** A node's data folder: outlives its processes, and can be copied. */
final class Disk implements MembersFile {
    private byte[] members = {};
    long starts;

    Disk copy() {
        Disk copy = new Disk();
        copy.members = members;
        copy.starts = starts;
        return copy;
    }

    @Override
    public byte[] load() {
        return members;
    }

    @Override
    public void save(byte[] list) {
        members = list;
    }
}
