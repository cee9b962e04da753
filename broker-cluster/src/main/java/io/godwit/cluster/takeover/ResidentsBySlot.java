package io.godwit.cluster.takeover;

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
 * What a node has of each client id, by slot. After a partition there may be several: those behind
 * the first have been given, and are kept until their new homes have all of them.
 */
final class ResidentsBySlot {
    private final SlotMap<Resident> first = new SlotMap<>();
    private final Map<ClientId, List<Resident>> behind = new HashMap<>(0);
    private final LongConsumer account;

    /**
     * @param account told by how many bytes what is here has changed
     */
    ResidentsBySlot(LongConsumer account) {
        this.account = account;
    }

    @Nullable Resident find(ClientId clientId) {
        return first.get(clientId);
    }

    /** The first of each client id; not to be changed. */
    Map<ClientId, Resident> inSlot(int slot) {
        return first.inSlot(slot);
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
        first.put(clientId, resident);
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
        Resident gone = first.remove(clientId);
        if (gone != null) {
            account.accept(-gone.bytes());
        }
        List<Resident> left = behind.get(clientId);
        if (left != null) {
            Resident last = left.removeLast();
            if (left.isEmpty()) {
                behind.remove(clientId);
            }
            first.put(clientId, last);
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
