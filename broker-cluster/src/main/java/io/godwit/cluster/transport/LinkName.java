package io.godwit.cluster.transport;

import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.ByteWriter;

/**
 * Names one link: who is at both ends, and each side's number of it. Neither a restart nor a link
 * that was opened anew has the same, so nothing that was sent before is taken for new.
 *
 * @param near this node
 * @param nearLink this side's number, rising from 1 in each start
 * @param far the peer
 * @param farLink its number
 */
record LinkName(NodeStart near, long nearLink, NodeStart far, long farLink) {
    /** As the sender sees it: the other side reads itself as far. */
    void write(ByteWriter to) {
        to.server3(near.server()).varint(near.start()).varint(nearLink);
        to.server3(far.server()).varint(far.start()).varint(farLink);
    }

    /** Reads a name that the peer wrote, turned around. */
    static LinkName read(ByteReader from) {
        NodeStart far = new NodeStart(from.server3(), from.varint());
        long farLink = from.varint();
        NodeStart near = new NodeStart(from.server3(), from.varint());
        return new LinkName(near, from.varint(), far, farLink);
    }

    @Override
    public String toString() {
        return near + "#" + nearLink + " - " + far + "#" + farLink;
    }
}
