package io.godwit.server.service;

import io.godwit.core.packet.ClientId;
import io.godwit.extension.service.ClusterInfo;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntConsumer;

/** The nodes that have sessions, as this one knows them. Any thread. */
public interface ServiceNodes {
    /** Stands for no node. */
    int NONE = -1;

    /** Returns the server id of this node. */
    int self();

    /** Returns the names of all members by server id, also of those that are out of reach. */
    SortedMap<Integer, String> members();

    /** Returns all members with their states. */
    List<ClusterInfo.Member> states();

    /** Has a task run, by any thread, whenever {@link #states} has changed. It must not block. */
    void listen(Runnable onChange);

    /** Ends {@link #listen}. */
    void forget(Runnable onChange);

    /** Returns the node that leads the slot of a client id and is heard, or {@link #NONE}. */
    int leader(ClientId clientId);

    /**
     * Returns the node that leads the slot of a client id, or has led it last, or {@link #NONE}.
     */
    int lastLeader(ClientId clientId);

    /**
     * Finds the other node where a client is connected with a transient session; this one leads its
     * slot.
     *
     * @param then told once, perhaps before this returns: the node, or {@link #NONE}
     */
    void findEdge(ClientId clientId, IntConsumer then);

    /**
     * Asks another node.
     *
     * @return completes with {@link io.godwit.extension.service.ServiceFailedException} when there
     *     is no answer
     */
    CompletableFuture<byte[]> ask(int server, byte[] question);

    /** Returns a node that is alone. */
    static ServiceNodes alone(int server, String name, String version) {
        return new ServiceNodes() {
            @Override
            public int self() {
                return server;
            }

            @Override
            public SortedMap<Integer, String> members() {
                SortedMap<Integer, String> members = new TreeMap<>();
                members.put(server, name);
                return members;
            }

            @Override
            public List<ClusterInfo.Member> states() {
                return List.of(new ClusterInfo.Member(name, server, true, version, true));
            }

            @Override
            public void listen(Runnable onChange) {}

            @Override
            public void forget(Runnable onChange) {}

            @Override
            public int leader(ClientId clientId) {
                return server;
            }

            @Override
            public int lastLeader(ClientId clientId) {
                return server;
            }

            @Override
            public void findEdge(ClientId clientId, IntConsumer then) {
                then.accept(NONE);
            }

            @Override
            public CompletableFuture<byte[]> ask(int other, byte[] question) {
                throw new IllegalArgumentException("there is no node " + other);
            }
        };
    }
}
