package io.godwit.server.admin;

import io.micrometer.core.instrument.MeterRegistry;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** What the admin port shows of the cluster that this node is in. */
public interface ClusterView {
    /** Asks for it; completes on another thread. */
    CompletableFuture<ClusterStatus> status();

    /** Names of the members other than this node; any thread. */
    List<String> otherMembers();

    /** Returns the name of a member, or its server id when it is none any more; any thread. */
    String memberName(int server);

    /** Names of the members that can't be reached now; any thread. */
    List<String> outOfReach();

    /**
     * Whether each durable session of this node has all its copies at other members; any thread.
     */
    boolean areCopiesWhole();

    /**
     * Forgets a member that has ended for good.
     *
     * @param node its name or server id
     * @param isEarnest false: only finds out whether it can be done, and what is lost
     */
    CompletableFuture<ForgetResult> forget(String node, boolean isEarnest);

    /**
     * Has this node give its sessions to others, and lead nothing until its next start; or lets it
     * lead again. Asked again, it says how far that is; any thread.
     *
     * @param node has to be the name or server id of this node
     */
    DrainResult drain(String node, boolean isDraining);

    /** {@link #verify} completes within this time. */
    long VERIFY_MS = 60_000;

    /** Has all members compare the copies of their queues with what they have. */
    CompletableFuture<VerifyResult> verify();

    /** So long other nodes are waited for. */
    long peerTimeoutMs();

    /** Adds the metrics of the cluster. */
    void bindTo(MeterRegistry registry);
}
