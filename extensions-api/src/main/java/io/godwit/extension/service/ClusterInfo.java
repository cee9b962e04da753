package io.godwit.extension.service;

import io.godwit.extension.Registration;
import java.util.List;
import java.util.function.Consumer;

/** Shows the nodes of the cluster, as this one sees them. */
public interface ClusterInfo {
    /** Returns all members; of a broker that is alone this node. */
    List<Member> members();

    /**
     * Has changes of the members told, in a thread of the extension, one after the other: only the
     * last of several changes that follow each other quickly.
     */
    Registration onChange(Consumer<List<Member>> listener);

    /**
     * A node that belongs to the cluster.
     *
     * @param name unique in the cluster
     * @param serverId in its data folder
     * @param isReachable whether this node hears it
     * @param version of its program; empty: it was not heard since this node has started
     * @param isSelf whether it is this node
     */
    record Member(String name, int serverId, boolean isReachable, String version, boolean isSelf) {}
}
