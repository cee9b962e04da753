package io.godwit.cluster.replication;

import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.ByteWriter;
import io.godwit.core.store.CopySets;
import java.util.ArrayList;
import java.util.List;

/**
 * The in-sync set of one copy set under one version: the nodes that acknowledgements of its queues
 * wait for. A higher version replaces all lower ones.
 *
 * @param leader server id of the node that leads the queues, and has made the record
 * @param copySet see {@link CopySets}
 * @param incarnation start number of the leader when it made the record
 * @param change number of the change among all that this start has made, from 1; copy sets that
 *     change together share one
 * @param whole server ids of the followers whose copies have everything, rising
 * @param filling server ids of the followers that are being filled, rising: they confirm what is
 *     new, and lack some of what is older
 */
public record CopyRecord(
        int leader,
        int copySet,
        long incarnation,
        long change,
        List<Integer> whole,
        List<Integer> filling) {
    private static final int SERVER_BYTES = 3;
    private static final int OTHER_BYTES = 30;

    public CopyRecord {
        whole = List.copyOf(whole);
        filling = List.copyOf(filling);
    }

    /** Whether its version is higher than that of another record of the copy set. */
    boolean isAbove(CopyRecord other) {
        return incarnation > other.incarnation
                || incarnation == other.incarnation && change > other.change;
    }

    /** Returns the most bytes that it has when written. */
    int bytes() {
        return OTHER_BYTES + SERVER_BYTES * (whole.size() + filling.size());
    }

    /**
     * Writes {@code leader 3 | copy set 1 | incarnation varint | change varint | whole | filling},
     * the servers as {@code n varint | n x server 3}.
     */
    void write(ByteWriter to) {
        to.server3(leader).u8(copySet).varint(incarnation).varint(change);
        writeServers(to, whole);
        writeServers(to, filling);
    }

    private static void writeServers(ByteWriter to, List<Integer> servers) {
        to.varint(servers.size());
        servers.forEach(to::server3);
    }

    /**
     * Reads a record as {@link #write} has written it.
     *
     * @throws IndexOutOfBoundsException when it is none
     */
    static CopyRecord read(ByteReader from) {
        int leader = from.server3();
        int copySet = from.u8();
        if (copySet == CopySets.NONE || copySet > CopySets.LAST) {
            throw new IndexOutOfBoundsException("no copy set " + copySet);
        }
        return new CopyRecord(
                leader,
                copySet,
                from.varint(),
                from.varint(),
                readServers(from),
                readServers(from));
    }

    private static List<Integer> readServers(ByteReader from) {
        int size = from.size();
        List<Integer> servers = new ArrayList<>(size);
        for (int left = size; left > 0; left--) {
            servers.add(from.server3());
        }
        return servers;
    }

    /** Writes {@code n varint | n x record}. */
    static void writeAll(ByteWriter to, List<CopyRecord> records) {
        to.varint(records.size());
        records.forEach(each -> each.write(to));
    }

    /** Reads records as {@link #writeAll} has written them. */
    static List<CopyRecord> readAll(ByteReader from) {
        int size = from.size();
        List<CopyRecord> records = new ArrayList<>(size);
        for (int left = size; left > 0; left--) {
            records.add(read(from));
        }
        return records;
    }

    /** Returns the most bytes that records have when written. */
    static int bytes(List<CopyRecord> records) {
        return OTHER_BYTES + records.stream().mapToInt(CopyRecord::bytes).sum();
    }
}
