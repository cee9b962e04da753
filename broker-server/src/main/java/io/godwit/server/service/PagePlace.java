package io.godwit.server.service;

import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.ByteWriter;
import io.godwit.core.packet.ClientId;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * Says where a page begins that goes over all nodes, by server id.
 *
 * @param server id of a node, or of one that is no member any more: then its follower comes
 * @param after the last client id of that node which was read; null: none
 */
record PagePlace(int server, @Nullable ClientId after) {
    /**
     * Reads one.
     *
     * @throws IllegalArgumentException no page has said so
     */
    static PagePlace of(Optional<String> text) {
        if (text.isEmpty()) {
            return new PagePlace(0, null);
        }
        try {
            ByteReader from = new ByteReader(Base64.getUrlDecoder().decode(text.get()));
            int server = from.server3();
            byte[] after = from.sized();
            return new PagePlace(server, after.length == 0 ? null : new ClientId(after));
        } catch (IndexOutOfBoundsException e) {
            throw new IllegalArgumentException("no page has ended there", e);
        }
    }

    String text() {
        ByteWriter to = new ByteWriter(32).server3(server);
        to.sized(after == null ? new byte[0] : after.bytes());
        return Base64.getUrlEncoder().withoutPadding().encodeToString(to.toBytes());
    }

    /** Returns the member that is to be asked. */
    int nodeIn(SortedMap<Integer, String> members) {
        Map<Integer, String> left = members.tailMap(server);
        return left.isEmpty() ? ServiceNodes.NONE : members.tailMap(server).firstKey();
    }

    /** Returns where the member behind one begins; empty: there is none. */
    static Optional<String> behind(int server, SortedMap<Integer, String> members) {
        SortedMap<Integer, String> left = members.tailMap(server + 1);
        return left.isEmpty()
                ? Optional.empty()
                : Optional.of(new PagePlace(left.firstKey(), null).text());
    }
}
