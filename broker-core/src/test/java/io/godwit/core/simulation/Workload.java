package io.godwit.core.simulation;

import io.godwit.core.packet.Will;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/** What clients do, at random, until they are told to stop. */
final class Workload {
    /** Of the messages that a client retains on its own topic, one in so many deletes the last. */
    private static final int DELETES = 5;

    private final SimulatedNode node;
    private final RandomGenerator random;
    private final Profile profile;
    private boolean stopped;

    Workload(SimulatedNode node, RandomGenerator random) {
        this.node = node;
        this.random = random;
        this.profile = node.profile();
    }

    void start(SimulatedClient client) {
        client.slow(profile.slowAcks && random.nextBoolean());
        client.connect(random.nextBoolean(), client.expirySeconds, keepAlive(), will());
        again(client);
    }

    void stop() {
        stopped = true;
    }

    private void again(SimulatedClient client) {
        node.scheduler()
                .background(
                        random.nextInt(profile.gapMicros),
                        () -> {
                            if (!stopped) {
                                act(client);
                                again(client);
                            }
                        });
    }

    private int keepAlive() {
        return random.nextInt(3) == 0 ? 1 : 0;
    }

    private boolean will() {
        return random.nextInt(3) == 0;
    }

    private void act(SimulatedClient client) {
        if (client.frozen) {
            return;
        }
        if (client.now == null) {
            if (node.scheduler().micros() >= client.awayUntilMicros
                    && random.nextInt(10) < profile.connectWeight) {
                boolean clean = random.nextInt(6) == 0;
                long expiry =
                        client.expirySeconds > 0 && random.nextInt(10) == 0
                                ? 1
                                : client.expirySeconds;
                client.connect(clean, expiry, keepAlive(), will());
                if (random.nextInt(10) < profile.impostorWeight) {
                    client.impostor(expiry);
                }
            }
            return;
        }
        if (!client.isConnected()) {
            if (random.nextInt(40) < profile.cutWeight) {
                client.cut(false);
            }
            return;
        }
        int total =
                profile.publishWeight
                        + profile.subscribeWeight
                        + profile.unsubscribeWeight
                        + profile.pauseWeight
                        + profile.cutWeight
                        + profile.impostorWeight
                        + 2;
        int choice = random.nextInt(total);
        if ((choice -= profile.publishWeight) < 0) {
            publish(client);
        } else if ((choice -= profile.subscribeWeight) < 0) {
            subscribe(client);
        } else if ((choice -= profile.unsubscribeWeight) < 0) {
            unsubscribe(client);
        } else if ((choice -= profile.pauseWeight) < 0) {
            pause(client);
        } else if ((choice -= profile.cutWeight) < 0) {
            client.cut(random.nextInt(3) == 0);
        } else if ((choice -= profile.impostorWeight) < 0) {
            client.impostor(client.expirySeconds);
        } else if (choice == 0) {
            freeze(client);
        } else {
            client.disconnect(random.nextInt(4) == 0);
        }
    }

    private void publish(SimulatedClient client) {
        int count = 1 + random.nextInt(random.nextInt(4) == 0 ? 20 : 4);
        for (int i = 0; i < count; i++) {
            if (profile.contends && random.nextInt(6) == 0) {
                client.publishing.publish(Topics.contended(random), random.nextInt(3), true, 4, 0);
                continue;
            }
            if (node.sharesOverNodes() && random.nextInt(4) == 0) {
                boolean retain = random.nextInt(8) == 0;
                client.publishing.publish(
                        Topics.shared(random),
                        random.nextInt(3),
                        retain,
                        4,
                        expirySeconds(client, retain));
                continue;
            }
            if (node.isAboutPauses() && random.nextInt(2) == 0) {
                String late = Topics.late(node.scheduler().micros(), random);
                client.publishing.publish(late, random.nextInt(3), false, 4, 0);
                continue;
            }
            boolean own = random.nextInt(6) == 0;
            String topic = own ? Topics.retained(client.index) : Topics.plain(random);
            boolean large = profile.largePayloads && random.nextInt(30) == 0;
            int qos = random.nextInt(3);
            boolean retain = own || random.nextInt(12) == 0;
            int bytes = large ? 70_000 + random.nextInt(100_000) : 4 + random.nextInt(60);
            boolean deletes = own && bytes % DELETES == 0;
            client.publishing.publish(
                    topic, qos, retain, deletes ? 0 : bytes, expirySeconds(client, retain));
        }
    }

    /** What is retained stays: what comes to who subscribes at the end is known. */
    private int expirySeconds(SimulatedClient client, boolean retain) {
        boolean expires = profile.shortage.expires() && client.version.isV5() && !retain;
        return expires ? random.nextInt(3) : 0;
    }

    private void subscribe(SimulatedClient client) {
        List<String> filters = new ArrayList<>();
        for (int i = random.nextInt(3); i >= 0; i--) {
            String filter = Topics.filter(random, node::anyClient);
            if (random.nextInt(100) < profile.sharedPercent) {
                filter = "$share/g" + random.nextInt(2) + "/" + filter;
            }
            if (node.sharesOverNodes() && random.nextInt(3) == 0) {
                filter = "$share/g0/" + Topics.shared(random);
            }
            if (node.isAboutPauses() && random.nextInt(2) == 0) {
                filter = Topics.late(node.scheduler().micros(), random);
            }
            if (!filters.contains(filter)) {
                filters.add(filter);
            }
        }
        client.subscribing.subscribe(filters, 2);
    }

    private void unsubscribe(SimulatedClient client) {
        List<Subscribed> all = client.view.subscriptions;
        if (!all.isEmpty()) {
            client.subscribing.unsubscribe(all.get(random.nextInt(all.size())).filter);
        }
    }

    private void freeze(SimulatedClient client) {
        client.frozen = true;
        node.scheduler().background(random.nextInt(3_500_000), () -> client.frozen = false);
    }

    private void pause(SimulatedClient client) {
        Link link = client.now.link();
        link.clientReads(false);
        node.scheduler().in(random.nextInt(500_000), () -> link.clientReads(true));
    }

    // ---------------------------------------------------------------- wills

    /** Every connection that is over has had its will published, or not, as it ended. */
    void checkWills(SessionView observer) {
        for (SimulatedClient client : node.clients()) {
            for (ClientLink link : client.before) {
                if (link.will != null && link.closed) {
                    checkWill(client, observer, link);
                }
            }
        }
    }

    /**
     * Whether nothing has forgotten the will: no DISCONNECT, and no connection before its delay was
     * over, unless that began another session, whose beginning is the end of this one.
     */
    private static boolean mustCome(SimulatedClient client, ClientLink link) {
        if (!link.connected || link.said || link.will.qos == 0) {
            return false;
        }
        long delayMicros = link.connect.will().delaySeconds() * 1_000_000;
        if (delayMicros == 0) {
            return true;
        }
        ClientLink next = client.surelyNext(link);
        if (next == null) {
            return false;
        }
        boolean goesOn = link.resumedAfterMicros >= 0;
        // The delay of one that was there when the broker went counts from the next start.
        boolean isOver =
                next.start == link.start
                        && next.openedAtMicros >= link.link().goneAtMicros() + delayMicros + 2_000;
        return !goesOn || isOver;
    }

    private void checkWill(SimulatedClient client, SessionView observer, ClientLink link) {
        Published of = link.will;
        Will will = link.connect.will();
        boolean came = observer.hasReceived(of.number);
        boolean cancelled = false;
        if (will.delaySeconds() > 0
                && link.connected
                && link.resumedAfterMicros >= 0
                && !link.endAsked) {
            // The broker may have seen the end a little earlier than the client.
            cancelled = link.resumedAfterMicros < will.delaySeconds() * 1_000_000 - 200_000;
        }
        if (will.delaySeconds() > 0 && mustCome(client, link)) {
            node.count(Happening.DELAYED_WILL_DUE);
        }
        if (came) {
            if (observer.received(of.number).firstStart > link.start) {
                node.count(Happening.WILL_AFTER_RESTART);
            }
            node.count(will.delaySeconds() > 0 ? Happening.WILL_AFTER_DELAY : Happening.WILL_FIRED);
        } else if (cancelled && !link.said) {
            node.count(Happening.WILL_CANCELLED);
        }
        node.checker()
                .checkWill(
                        of,
                        observer,
                        mustCome(client, link),
                        cancelled
                                || link.said
                                        && link.link().lastWordArrived()
                                        && node.watch().crashesWith(of) == 0);
    }
}
