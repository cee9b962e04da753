package io.godwit.cluster.registration;

import io.godwit.cluster.registration.RegistrationMessage.Claimed;
import io.godwit.cluster.registration.RegistrationMessage.Ended;
import io.godwit.cluster.registration.RegistrationMessage.Register;
import io.godwit.cluster.registration.RegistrationMessage.Registered;
import io.godwit.cluster.registration.RegistrationMessage.Registration;
import io.godwit.cluster.registration.RegistrationMessage.ToEdge;
import io.godwit.cluster.registration.RegistrationMessage.Unregister;
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
            case ToEdge toEdge -> byShard.get((int) (toEdge.number() % shards)).add(toEdge);
            case Register m -> byShard.get(m.clientId().slot() % shards).add(m);
            case Unregister m -> byShard.get(m.clientId().slot() % shards).add(m);
            case Ended m -> byShard.get(m.clientId().slot() % shards).add(m);
            case Claimed m -> byShard.get(m.clientId().slot() % shards).add(m);
            case Registered m -> split(m, shards, byShard);
        }
    }

    private static void split(
            Registered message, int shards, List<List<RegistrationMessage>> byShard) {
        List<List<Integer>> slots = new ArrayList<>();
        List<List<Registration>> all = new ArrayList<>();
        for (int i = 0; i < shards; i++) {
            slots.add(new ArrayList<>());
            all.add(new ArrayList<>());
        }
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
