package io.godwit.cluster.registration;

import io.godwit.cluster.registration.RegistrationMessage.Claimed;
import io.godwit.cluster.registration.RegistrationMessage.Ended;
import io.godwit.cluster.registration.RegistrationMessage.OfStandIn;
import io.godwit.cluster.registration.RegistrationMessage.Register;
import io.godwit.cluster.registration.RegistrationMessage.Registered;
import io.godwit.cluster.registration.RegistrationMessage.Registration;
import io.godwit.cluster.registration.RegistrationMessage.TakenBack;
import io.godwit.cluster.registration.RegistrationMessage.ToEdge;
import io.godwit.cluster.registration.RegistrationMessage.Unregister;
import io.godwit.cluster.registration.RegistrationMessage.WillDue;
import io.godwit.cluster.registration.RegistrationMessage.WillsDecided;
import java.util.ArrayList;
import java.util.List;

/** Finds the shard of this node that a registration message is for. */
final class RegistrationRoutes {
    private RegistrationRoutes() {}

    /**
     * Adds a message to those of its shard; one about slots of several shards is split.
     *
     * @param byShard messages of each shard
     */
    static void route(
            RegistrationMessage message, int shards, List<List<RegistrationMessage>> byShard) {
        switch (message) {
            case OfStandIn m -> routeOfStandIn(m, shards, byShard);
            case ToEdge toEdge -> byShard.get((int) (toEdge.number() % shards)).add(toEdge);
            case Register m -> byShard.get(m.clientId().slot() % shards).add(m);
            case Unregister m -> byShard.get(m.clientId().slot() % shards).add(m);
            case Ended m -> byShard.get(m.clientId().slot() % shards).add(m);
            case Claimed m -> byShard.get(m.clientId().slot() % shards).add(m);
            case WillDue m -> byShard.get(m.clientId().slot() % shards).add(m);
            case Registered m -> split(m, shards, byShard);
            case TakenBack m -> split(m, shards, byShard);
            case WillsDecided m -> split(m, shards, byShard);
        }
    }

    private static void routeOfStandIn(
            OfStandIn message, int shards, List<List<RegistrationMessage>> byShard) {
        List<List<RegistrationMessage>> parts = lists(shards);
        route(message.message(), shards, parts);
        for (int i = 0; i < shards; i++) {
            for (RegistrationMessage each : parts.get(i)) {
                byShard.get(i).add(new OfStandIn(each));
            }
        }
    }

    private static <T> List<List<T>> lists(int count) {
        List<List<T>> lists = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            lists.add(new ArrayList<>(0));
        }
        return lists;
    }

    private static void split(
            TakenBack message, int shards, List<List<RegistrationMessage>> byShard) {
        List<List<Integer>> slots = lists(shards);
        message.slots().forEach(each -> slots.get(each % shards).add(each));
        for (int i = 0; i < shards; i++) {
            if (!slots.get(i).isEmpty()) {
                byShard.get(i)
                        .add(
                                new TakenBack(
                                        message.shard(),
                                        message.shards(),
                                        message.changes(),
                                        slots.get(i)));
            }
        }
    }

    private static void split(
            WillsDecided message, int shards, List<List<RegistrationMessage>> byShard) {
        List<List<Integer>> slots = lists(shards);
        message.slots().forEach(each -> slots.get(each % shards).add(each));
        for (int i = 0; i < shards; i++) {
            if (!slots.get(i).isEmpty()) {
                byShard.get(i)
                        .add(new WillsDecided(message.changes(), slots.get(i), message.servers()));
            }
        }
    }

    private static void split(
            Registered message, int shards, List<List<RegistrationMessage>> byShard) {
        List<List<Integer>> slots = lists(shards);
        List<List<Registration>> all = lists(shards);
        message.slots().forEach(each -> slots.get(each % shards).add(each));
        message.all().forEach(each -> all.get(each.clientId().slot() % shards).add(each));
        for (int i = 0; i < shards; i++) {
            if (!slots.get(i).isEmpty()) {
                byShard.get(i)
                        .add(
                                new Registered(
                                        message.shard(),
                                        message.shards(),
                                        message.changes(),
                                        slots.get(i),
                                        all.get(i)));
            }
        }
    }
}
