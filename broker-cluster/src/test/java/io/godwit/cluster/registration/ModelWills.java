package io.godwit.cluster.registration;

import io.godwit.cluster.transport.NodeStart;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.Will;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The Wills of a {@link RegistrationSimulation}. One that is due is published once, unless its
 * client connects later; never while a later connection of its client is live. A second time only
 * if the node has ended that has published it first, before that was known.
 */
final class ModelWills {
    private final RegistrationSimulation simulation;

    /** By topic. */
    private final Map<Topic, ModelConnection> all = new HashMap<>();

    private final Set<ModelConnection> due = new LinkedHashSet<>();

    /** Those of nodes that have ended: who led their slots then. */
    private final Map<ModelConnection, Leader> leaders = new HashMap<>();

    private final Map<Topic, NodeStart> published = new HashMap<>();

    ModelWills(RegistrationSimulation simulation) {
        this.simulation = simulation;
    }

    @Nullable Will of(ModelConnection connection) {
        if (connection.connectedMicros % 4 == 0) {
            return null;
        }
        Topic topic = Topic.of("will/" + all.size());
        all.put(topic, connection);
        return new Will(topic, 1, false, new byte[10], 0, Properties.NONE);
    }

    void due(ModelConnection of) {
        simulation.note("Will of %s is due", of);
        simulation.count("Wills due");
        due.add(of);
        Leader leader = of.node.table.get(of.clientId.slot());
        if (leader != null) {
            leaders.put(of, leader);
        }
    }

    void published(ModelNode by, Will will) {
        ModelConnection of = Objects.requireNonNull(all.get(will.topic()));
        simulation.note("%s publishes the Will of %s", by.self, of);
        if (!due.contains(of)) {
            checkNotTold(of);
        }
        NodeStart before = published.put(will.topic(), by.self);
        if (before == null) {
            simulation.count("Wills published");
            if (!by.self.equals(of.node.self)) {
                simulation.count("Wills published by leaders");
            }
        } else {
            ModelNode first = simulation.node(before.server());
            boolean hasEnded = !first.isUp || !first.self.equals(before);
            simulation.count("Wills published twice");
            RegistrationSimulation.check(
                    hasEnded || simulation.isApart(of.clientId), "published twice: Will of " + of);
        }
        ModelConnection later = simulation.liveOf(of.clientId);
        boolean isBack =
                later != null
                        && later.connectedMicros > of.connectedMicros
                        && Objects.equals(later.user, of.user);
        if (isBack) {
            simulation.count("Wills published late");
        }
        RegistrationSimulation.check(
                !isBack || simulation.isApart(of.clientId), "the client is back: Will of " + of);
    }

    /** Its node has ended before it could tell the leader that there is no Will to publish. */
    private void checkNotTold(ModelConnection of) {
        simulation.count(of.isLive ? "Wills after a DISCONNECT" : "Wills without a CONNACK");
        ModelNode now = simulation.node(of.node.server);
        RegistrationSimulation.check(
                !now.isUp || !now.self.equals(of.node.self), "not due: Will of " + of);
    }

    /** Nothing is under way any more. */
    void checkAllSettled() {
        for (ModelConnection each : due) {
            boolean isPublished = each.will != null && published.containsKey(each.will.topic());
            if (!isPublished && !simulation.hasConnectedAfter(each)) {
                simulation.count("Wills lost with their leaders");
                RegistrationSimulation.check(hasLostLeader(each), "lost: Will of " + each);
            } else if (!isPublished) {
                simulation.count("Wills dropped");
            }
        }
    }

    /**
     * Whether the leader has ended, too, or has lost the slot to one that took it over, or was told
     * of the connection while it had a session of another user.
     */
    private boolean hasLostLeader(ModelConnection of) {
        Leader leader = leaders.get(of);
        return leader == null
                || simulation.hasUsers && of.isGrantedByStandIn()
                || simulation.isTakenOver(of.clientId)
                || !simulation.node(leader.node().server()).self.equals(leader.node());
    }
}
