package io.godwit.server.admin;

import io.micrometer.core.instrument.MeterRegistry;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** What the admin port shows of the cluster that this node is in. */
public interface ClusterView {
    /** Asks for it; completes on another thread. */
    CompletableFuture<ClusterStatus> status();

    /** Names of the members that can't be reached now; any thread. */
    List<String> outOfReach();

    /** Adds the metrics of the cluster. */
    void bindTo(MeterRegistry registry);
}
