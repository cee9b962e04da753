package io.godwit.cluster.takeover;

import io.godwit.cluster.membership.Slots;
import io.godwit.cluster.takeover.Resident.State;
import io.godwit.cluster.takeover.TakeoverMessage.Take;
import io.godwit.core.packet.ClientId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongConsumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What a node has of each client id, by slot, so that what an anchor has to know is found slot by
 * slot. After a partition there may be several: those behind the first have been given, and are
 * kept until their new homes have all of them.
 */
final class ResidentsBySlot {
    /** Null where there is none. */
    private final @Nullable Map<ClientId, Resident>[] slots;

    private final Map<ClientId, List<Resident>> behind = new HashMap<>(0);
    private final LongConsumer account;

    /**
     * @param account told by how many bytes what is here has changed
     */
    @SuppressWarnings("unchecked")
    ResidentsBySlot(LongConsumer account) {
        this.account = account;
        slots = (Map<ClientId, Resident>[]) new Map<?, ?>[Slots.COUNT];
    }

    @Nullable Resident find(ClientId clientId) {
        return inSlot(Slots.of(clientId)).get(clientId);
    }

    /** The first of each client id; not to be changed. */
    Map<ClientId, Resident> inSlot(int slot) {
        Map<ClientId, Resident> in = slots[slot];
        return in == null ? Map.of() : in;
    }

    /** Puts one before those that there are. */
    void put(ClientId clientId, Resident resident) {
        Resident before = find(clientId);
        if (before != null && before.state == State.GIVEN) {
            behind(clientId, before);
        } else if (before != null) {
            account.accept(-before.bytes());
        }
        account.accept(resident.bytes());
        putFirst(clientId, resident);
    }

    private void putFirst(ClientId clientId, Resident resident) {
        int slot = Slots.of(clientId);
        Map<ClientId, Resident> in = slots[slot];
        if (in == null) {
            in = new HashMap<>(4);
            slots[slot] = in;
        }
        in.put(clientId, resident);
    }

    void putBehind(ClientId clientId, Resident given) {
        account.accept(given.bytes());
        behind(clientId, given);
    }

    private void behind(ClientId clientId, Resident given) {
        behind.computeIfAbsent(clientId, id -> new ArrayList<>(1)).add(given);
    }

    boolean hasBehind(ClientId clientId) {
        return behind.containsKey(clientId);
    }

    /** Removes the first; the one behind it takes its place. */
    void remove(ClientId clientId) {
        int slot = Slots.of(clientId);
        Map<ClientId, Resident> in = slots[slot];
        Resident gone = in == null ? null : in.remove(clientId);
        if (gone != null) {
            account.accept(-gone.bytes());
        }
        if (in != null && in.isEmpty()) {
            slots[slot] = null;
        }
        List<Resident> left = behind.get(clientId);
        if (left != null) {
            Resident last = left.removeLast();
            if (left.isEmpty()) {
                behind.remove(clientId);
            }
            putFirst(clientId, last);
        }
    }

    /** One of these has stopped. See {@link Resident#given}. */
    void given(Resident resident, long grant, byte[] header) {
        long before = resident.bytes();
        resident.given(grant, header);
        account.accept(resident.bytes() - before);
    }

    /** One of these is at home here again. See {@link Resident#tookBack}. */
    List<Take> tookBack(Resident resident, long changes) {
        long before = resident.bytes();
        List<Take> wants = resident.tookBack(changes);
        account.accept(resident.bytes() - before);
        return wants;
    }

    private boolean isGone(Resident each, Predicate<Resident> which) {
        boolean isMeant = which.test(each);
        if (isMeant) {
            account.accept(-each.bytes());
        }
        return isMeant;
    }

    /**
     * Removes those behind the first that are meant.
     *
     * @return whether there was any
     */
    boolean removeBehind(ClientId clientId, Predicate<Resident> which) {
        List<Resident> given = behind.get(clientId);
        if (given == null || !given.removeIf(each -> isGone(each, which))) {
            return false;
        }
        if (given.isEmpty()) {
            behind.remove(clientId);
        }
        return true;
    }
}
