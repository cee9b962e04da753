package io.godwit.core.operation;

import io.godwit.core.message.Coverage;

/**
 * Coverage as bytes, the same on the disk and between nodes.
 *
 * <pre>
 * servers varint | servers x (server 3 | intervals varint | intervals x (from 8, to - from varint))
 * </pre>
 */
public final class CoverageCodec {
    private CoverageCodec() {}

    public static void write(ByteWriter to, Coverage coverage) {
        int[] servers = coverage.servers();
        to.varint(servers.length);
        for (int server : servers) {
            long[] bounds = coverage.bounds(server);
            to.server3(server).varint(bounds.length / 2);
            for (int i = 0; i < bounds.length; i += 2) {
                to.long8(bounds[i]).varint(bounds[i + 1] - bounds[i]);
            }
        }
    }

    /**
     * @throws IndexOutOfBoundsException when these bytes are none
     */
    public static Coverage read(ByteReader from) {
        Coverage coverage = new Coverage();
        int servers = from.size();
        for (int i = 0; i < servers; i++) {
            int server = from.server3();
            int intervals = from.size();
            for (int j = 0; j < intervals; j++) {
                long low = from.long8();
                coverage.add(server, low, low + from.varint());
            }
        }
        return coverage;
    }
}
