package io.godwit.cluster.publish;

import io.godwit.cluster.stream.Arrival;
import io.godwit.cluster.stream.InStream;
import io.godwit.cluster.stream.Parts;
import io.godwit.cluster.stream.StreamRecord;
import io.godwit.cluster.stream.StreamRule;
import io.godwit.cluster.stream.StreamRules;
import io.godwit.cluster.transport.NodeStart;
import io.godwit.core.message.Message;
import io.godwit.core.node.BrokerShard;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.publish.GroupTargets;
import io.godwit.core.publish.SlotGate;
import io.godwit.core.shard.Sliced;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Does what a record says that has come from another node: publishes are routed here, one of QoS 2
 * once. Used on its shard's thread.
 */
final class ArrivedRecords implements InStream.Handler {
    private final BrokerShard shard;
    private final StreamRules rules;
    private final Arrivals arrivals;
    private final Releases releases;
    private final ShardStreams.SharedHandler sharedHandler;

    ArrivedRecords(
            BrokerShard shard,
            StreamRules rules,
            Arrivals arrivals,
            Releases releases,
            ShardStreams.SharedHandler sharedHandler) {
        this.shard = shard;
        this.rules = rules;
        this.arrivals = arrivals;
        this.releases = releases;
        this.sharedHandler = sharedHandler;
    }

    @Override
    public @Nullable Sliced handle(
            NodeStart from, StreamRecord record, boolean again, Arrival arrival) {
        arrival.isAgain = again;
        switch (record) {
            case StreamRecord.Publish publish -> {
                return route(publish.message(), true, GroupTargets.NO_FILTERS, again, arrival);
            }
            case StreamRecord.GroupPublish publish -> {
                return route(
                        publish.message(), publish.sessions(), publish.groups(), again, arrival);
            }
            case StreamRecord.PassedOn publish -> {
                Message message = publish.message();
                return once(
                        message,
                        publish.group(),
                        Parts.NONE,
                        new TopicFilter[] {publish.group()},
                        again,
                        arrival,
                        groups ->
                                shard.router()
                                        .arrived(message, false, groups, arrival, arrival, null));
            }
            case StreamRecord.RetainedPublish publish -> {
                // One that comes again may have a later stamp: of a node that has taken over.
                return once(
                        publish.message(),
                        null,
                        parts(true, publish.groups()),
                        publish.groups(),
                        again,
                        arrival,
                        groups ->
                                shard.router()
                                        .arrivedRetained(
                                                publish.message(),
                                                groups,
                                                publish.stamp(),
                                                arrival,
                                                arrival,
                                                arrival.gate));
            }
            case StreamRecord.Redirected publish -> {
                return redirected(publish, again, arrival);
            }
            case StreamRecord.RedirectedEnd any -> {}
            case StreamRecord.Over over -> {
                arrivals.over(over);
                releases.over(from.server(), over);
            }
            case StreamRecord.Inherited some -> releases.inherited(some);
            case StreamRecord.Remembered some -> releases.asked(from.server(), some);
            default -> sharedHandler.onShared(from, record, arrival);
        }
        return null;
    }

    private @Nullable Sliced route(
            Message message,
            boolean sessions,
            TopicFilter[] groups,
            boolean again,
            Arrival arrival) {
        return once(
                message,
                null,
                parts(sessions, groups),
                groups,
                again,
                arrival,
                some ->
                        shard.router()
                                .arrived(message, sessions, some, arrival, arrival, arrival.gate));
    }

    /** Durable sessions that have it recognise it; it has not come for any others by that. */
    private @Nullable Sliced redirected(
            StreamRecord.Redirected publish, boolean again, Arrival arrival) {
        Message message = publish.message();
        SlotGate gate = SlotGate.redirected(publish.slots(), arrival.gate);
        Supplier<Sliced> route = () -> shard.router().redirected(message, gate, arrival, arrival);
        if (message.qos < 2 || !rules.holds(StreamRule.INGRESS_MEMORY)) {
            return route.get();
        }
        arrival.parts = Parts.NONE;
        return arrivals.arrived(
                OpenPublishes.idOf(message),
                null,
                again,
                arrival,
                new Arrivals.Routes(route, any -> route.get()));
    }

    private static Parts parts(boolean sessions, TopicFilter[] groups) {
        return sessions && groups.length == 0 ? Parts.SESSIONS : new Parts(sessions, groups);
    }

    /**
     * Routes a message; one of QoS 2 that has come before to durable sessions alone, and to groups
     * that it has not come for.
     *
     * @param groups that it has come for now
     * @param route routes it to sessions, if it is for any, and to groups
     */
    private @Nullable Sliced once(
            Message message,
            @Nullable TopicFilter passedOnFor,
            Parts parts,
            TopicFilter[] groups,
            boolean again,
            Arrival arrival,
            Function<TopicFilter[], Sliced> route) {
        if (message.qos < 2 || !rules.holds(StreamRule.INGRESS_MEMORY)) {
            return route.apply(groups);
        }
        arrival.parts = parts;
        return arrivals.arrived(
                OpenPublishes.idOf(message),
                passedOnFor,
                again,
                arrival,
                new Arrivals.Routes(() -> route.apply(groups), some -> route.apply(some.groups())));
    }
}
