package io.godwit.server.cluster;

import io.godwit.cluster.replication.ClusterVerdict;
import io.godwit.cluster.replication.LeaderVerdict;
import io.godwit.core.packet.ClientId;
import io.godwit.server.admin.VerifyResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Puts together what an operator and the log are told of compared copies.
 *
 * @param names of all members, by server id
 */
record VerifyReport(Map<Integer, String> names) {
    private static final Logger LOG = LoggerFactory.getLogger(VerifyReport.class);

    VerifyResult make(ClusterVerdict verdict) {
        Map<Integer, VerifyResult.Leader> leaders = new TreeMap<>();
        verdict.leaders().forEach((server, each) -> leaders.put(server, leader(server, each)));
        verdict.unanswered()
                .forEach((server, why) ->
                        leaders.put(
                                server,
                                new VerifyResult.Leader(
                                        name(server), server, 0, 0, List.of(), why)));
        return new VerifyResult(verdict.isBusy(), List.copyOf(leaders.values()));
    }

    private VerifyResult.Leader leader(int server, LeaderVerdict verdict) {
        List<VerifyResult.Follower> followers = new ArrayList<>();
        for (LeaderVerdict.FollowerVerdict each : verdict.followers()) {
            followers.add(
                    new VerifyResult.Follower(
                            name(each.server()),
                            each.server(),
                            each.sets(),
                            each.queues(),
                            each.slotsDiffering(),
                            each.first().stream().map(VerifyReport::slot).toList(),
                            each.reason()));
        }
        return new VerifyResult.Leader(
                name(server),
                server,
                verdict.copies(),
                verdict.setsMissing(),
                followers,
                verdict.failure());
    }

    private static VerifyResult.Slot slot(LeaderVerdict.Difference of) {
        String name = of.slot() == ClientId.SLOTS ? "groups" : String.valueOf(of.slot());
        return new VerifyResult.Slot(name, of.led(), of.copied());
    }

    private String name(int server) {
        return names.getOrDefault(server, String.valueOf(server));
    }

    /** Writes a line for each copy that differs. */
    static void log(VerifyResult result) {
        for (VerifyResult.Leader leader : result.leaders()) {
            for (VerifyResult.Follower each : leader.followers()) {
                if (each.slotsDiffering() > 0) {
                    LOG.warn(
                            "Copies: what node {} has of node {} differs in {} slots: {}",
                            each.name(),
                            leader.name(),
                            each.slotsDiffering(),
                            each.slots().stream()
                                    .map(VerifyResult.Slot::name)
                                    .collect(Collectors.joining(", ")));
                }
            }
        }
    }
}
