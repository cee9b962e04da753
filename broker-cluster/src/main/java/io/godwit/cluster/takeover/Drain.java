package io.godwit.cluster.takeover;

import io.godwit.cluster.membership.Slots;
import io.godwit.cluster.takeover.Resident.Place;
import io.godwit.cluster.takeover.TakeoverMessage.Offer;
import io.godwit.cluster.takeover.TakeoverMessage.RoomWanted;
import io.godwit.core.packet.ClientId;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A node that leaves: each of its durable sessions is offered to the linked node that has most room
 * for it, which then claims it as it does for a connection. An offer that leads to nothing is made
 * again, to whoever has most room then. Clients are given a moment before, since whoever comes back
 * by itself knows best where it wants its session.
 *
 * <p>Over when nothing is left that another node could have: all of it is given, and the new homes
 * have said that it is there, or it can't go; or nobody takes any.
 */
final class Drain {
    /** So many sessions are on their way at a time. */
    private static final int OFFERED_MAX = 1_000;

    /** Sessions that one step looks at, about. */
    private static final int STEP = 20_000;

    /** What an offered session is taken for, until its node says anew what room it has. */
    private static final long SESSION_BYTES = 64 << 10;

    /** Clients that were told to go elsewhere have so long to come there by themselves. */
    private static final long CLIENTS_MS = 1_000;

    /** Room is asked for so often. */
    private static final long ASK_MS = 500;

    /** Number of all its questions: any answer will do. */
    static final long QUESTION = 1;

    private final Residents residents;
    private final Out out;
    private final long offerMs;
    private final Consumer<Drained> whenOver;
    private final long beginMs;

    /** Free bytes of the nodes that have answered, less what they were offered since. */
    private final Map<Integer, Long> room = new TreeMap<>();

    /** Until when an offer may lead to something, in monotonic milliseconds. */
    private final Map<ClientId, Long> offered = new HashMap<>();

    private long askMs;
    private int slot;
    private int found;
    private int movable;
    private int staying;
    private int first = -1;
    private volatile int left = -1;
    private boolean over;

    /**
     * @param offerMs an offer that has led to nothing after so long is made again
     * @param whenOver told once
     */
    Drain(Residents residents, Out out, long offerMs, Consumer<Drained> whenOver, long nowMs) {
        this.residents = residents;
        this.out = out;
        this.offerMs = offerMs;
        this.whenOver = whenOver;
        beginMs = nowMs + CLIENTS_MS;
        askMs = nowMs;
        residents.leave();
    }

    /** Durable sessions that are not whole elsewhere, as of the last look; -1 before the first. */
    int left() {
        return left;
    }

    /** A node tells how much more it may hold; 0 when it leaves, too. */
    void onRoom(int server, long bytes) {
        room.put(server, bytes);
    }

    /**
     * @param linked server ids of the nodes that there is a link to
     */
    void tick(long nowMs, Set<Integer> linked) {
        if (over) {
            return;
        }
        room.keySet().retainAll(linked);
        if (nowMs >= askMs) {
            askMs = nowMs + ASK_MS;
            linked.forEach(each -> out.send(each, new RoomWanted(QUESTION)));
        }
        if (nowMs >= beginMs) {
            offered.entrySet()
                    .removeIf(each ->
                            each.getValue() <= nowMs
                                    || residents.place(each.getKey(), linked) != Place.HERE);
            look(nowMs, linked);
        }
    }

    private void look(long nowMs, Set<Integer> linked) {
        for (int seen = 0; seen < STEP && slot < Slots.COUNT; slot++) {
            for (ClientId each : residents.durable(slot)) {
                seen++;
                Place place = residents.place(each, linked);
                found += place == Place.NOWHERE ? 0 : 1;
                movable += place == Place.LEAVES || place == Place.GIVEN ? 1 : 0;
                staying += place == Place.BOUND ? 1 : 0;
                if (place == Place.HERE && !offered.containsKey(each)) {
                    offer(each, nowMs);
                }
            }
        }
        if (slot == Slots.COUNT) {
            looked(linked);
        }
    }

    private void looked(Set<Integer> linked) {
        left = found;
        if (first < 0) {
            first = found;
        }
        boolean nobodyTakes = room.size() == linked.size() && roomiest() == null;
        if (movable == 0 && (found == staying || nobodyTakes && offered.isEmpty())) {
            over = true;
            whenOver.accept(new Drained(first - found, found));
        }
        slot = 0;
        found = 0;
        movable = 0;
        staying = 0;
    }

    private void offer(ClientId clientId, long nowMs) {
        Integer to = offered.size() < OFFERED_MAX ? roomiest() : null;
        if (to != null) {
            room.merge(to, -SESSION_BYTES, Long::sum);
            offered.put(clientId, nowMs + offerMs);
            out.send(to, new Offer(clientId));
        }
    }

    /** The node with most room; of several the one with the lowest server id. */
    private @Nullable Integer roomiest() {
        Integer best = null;
        long most = 0;
        for (Map.Entry<Integer, Long> each : room.entrySet()) {
            if (each.getValue() > most) {
                best = each.getKey();
                most = each.getValue();
            }
        }
        return best;
    }
}
