package io.godwit.cluster.broker;

import io.godwit.cluster.stream.DoorDigests;
import io.godwit.cluster.stream.OutStream;
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
final class DoorFiles {
    private final IntFunction<OutStream> streams;
    private final Set<Integer> linked = new HashSet<>();
    private final Map<Integer, DoorDigests> others = new ConcurrentHashMap<>();
    private volatile DoorDigests own = DoorDigests.NONE;

    /**
     * @param streams to a node, by server id
     */
    DoorFiles(IntFunction<OutStream> streams) {
        this.streams = streams;
    }

    /** Takes those of this node, which are others now. */
    void changed(DoorDigests now) {
        if (!now.equals(own)) {
            own = now;
            linked.forEach(this::tell);
        }
    }

    void onUp(int server) {
        linked.add(server);
        others.remove(server);
        if (!own.equals(DoorDigests.NONE)) {
            tell(server);
        }
    }

    void onDown(int server) {
        linked.remove(server);
        others.remove(server);
    }

    void onRecord(int server, DoorDigests told) {
        others.put(server, told);
    }

    private void tell(int server) {
        OutStream stream = streams.apply(server);
        stream.takeOut(record -> record instanceof StreamRecord.Doors);
        stream.add(new StreamRecord.Doors(own), null, false, false, false);
    }

    /** Returns those of this node. Any thread. */
    DoorDigests own() {
        return own;
    }

    /** Returns those of a node that is heard; NONE if it has told none. Any thread. */
    DoorDigests of(int server) {
        return others.getOrDefault(server, DoorDigests.NONE);
    }
}
