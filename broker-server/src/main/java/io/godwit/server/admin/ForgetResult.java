package io.godwit.server.admin;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What came of a request to forget a member of the cluster.
 *
 * @param server its server id; 0 when there is no such member
 * @param name of the member
 * @param lost copy sets of sessions that no other node takes over, rising; empty when it was
 *     forgotten
 * @param losesGroups whether what waits there in shared groups is lost, too
 * @param refusal why it can't be forgotten; null when it was, or can be
 */
public record ForgetResult(
        int server,
        String name,
        List<Integer> lost,
        boolean losesGroups,
        @Nullable String refusal) {}
