package io.godwit.cluster.broker;

import io.godwit.cluster.stream.OutStream;
import io.godwit.cluster.stream.SecurityDigests;
import io.godwit.cluster.stream.StreamRecord;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntFunction;

/**
 * Tells other nodes which files say who comes in at this one, so that nodes that differ are seen.
 * On the shard of the topic index; what is known is read by any thread.
 */
final class SecurityFiles {
    private final IntFunction<OutStream> streams;
    private final Set<Integer> linked = new HashSet<>();
    private final Map<Integer, SecurityDigests> others = new ConcurrentHashMap<>();
    private volatile SecurityDigests own = SecurityDigests.NONE;

    /**
     * @param streams to a node, by server id
     */
    SecurityFiles(IntFunction<OutStream> streams) {
        this.streams = streams;
    }

    /** Takes those of this node, which are others now. */
    void changed(SecurityDigests now) {
        if (!now.equals(own)) {
            own = now;
            linked.forEach(this::tell);
        }
    }

    void onUp(int server) {
        linked.add(server);
        others.remove(server);
        if (!own.equals(SecurityDigests.NONE)) {
            tell(server);
        }
    }

    void onDown(int server) {
        linked.remove(server);
        others.remove(server);
    }

    void onRecord(int server, SecurityDigests told) {
        others.put(server, told);
    }

    private void tell(int server) {
        OutStream stream = streams.apply(server);
        stream.takeOut(record -> record instanceof StreamRecord.SecurityFiles);
        stream.add(new StreamRecord.SecurityFiles(own), null, false, false, false);
    }

    /** Returns those of this node. Any thread. */
    SecurityDigests own() {
        return own;
    }

    /** Returns those of a node that is heard; NONE if it has told none. Any thread. */
    SecurityDigests of(int server) {
        return others.getOrDefault(server, SecurityDigests.NONE);
    }
}
