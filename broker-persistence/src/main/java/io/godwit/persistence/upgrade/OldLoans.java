package io.godwit.persistence.upgrade;

import io.godwit.core.id.HybridId;
import io.godwit.core.id.SessionKey;
import io.godwit.core.store.Receiver;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What members of groups had in flight at QoS 2. Format 1 stored that with the member's queue; now
 * it stands with the group's entry, and the member has a marker once it has sent PUBREC.
 */
final class OldLoans {
    private static final int[] NO_IDS = new int[0];

    private final Map<Long, HybridId> generations = new HashMap<>();
    private final Map<Key, Loan> byMember = new HashMap<>();
    private final Map<Key, Loan> byGroup = new HashMap<>();

    private record Key(long queueId, long clock) {}

    /** An entry of this group's queue is in flight to this member's session. */
    record Loan(long member, long group, long clock, int packetId) {}

    void session(long queueId, HybridId generation) {
        generations.put(queueId, generation);
    }

    void put(Loan loan) {
        byMember.put(new Key(loan.member, loan.clock), loan);
        byGroup.put(new Key(loan.group, loan.clock), loan);
    }

    /** The member has sent PUBREC, or the entry went back to its group. */
    @Nullable Loan endOfMember(long member, long clock) {
        Loan loan = byMember.remove(new Key(member, clock));
        if (loan != null) {
            byGroup.remove(new Key(loan.group, clock));
        }
        return loan;
    }

    /** The group has let go of the entry. */
    @Nullable Loan endOfGroup(long group, long clock) {
        Loan loan = byGroup.remove(new Key(group, clock));
        if (loan != null) {
            byMember.remove(new Key(loan.member, clock));
        }
        return loan;
    }

    /** Loans of this group, in order. */
    List<Loan> of(long group) {
        List<Loan> found = new ArrayList<>();
        for (Loan loan : byGroup.values()) {
            if (loan.group == group) {
                found.add(loan);
            }
        }
        found.sort((a, b) -> Long.compareUnsigned(a.clock, b.clock));
        return found;
    }

    /** How it was sent was not stored: without RETAIN flag and Subscription Identifiers. */
    Receiver receiver(Loan loan) {
        HybridId generation = generations.getOrDefault(loan.member, HybridId.NONE);
        return new Receiver(new SessionKey(loan.member, generation), false, NO_IDS);
    }
}
