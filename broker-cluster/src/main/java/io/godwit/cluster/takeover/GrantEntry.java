package io.godwit.cluster.takeover;

import io.godwit.cluster.transport.NodeStart;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** What an anchor knows of one client id: how nodes stand with it, and who claims it. */
final class GrantEntry {
    /** How one start of a node stands with the client id. */
    record Fact(NodeStart of, Standing standing) {}

    /** A claim, in the order in which they came. */
    static final class Claim {
        final ClaimId id;

        /** Number that it was granted; 0 while it waits. */
        long granted;

        /** Server id of the home that it was sent to; {@link TakeoverMessage.Granted#NOBODY}. */
        int home = TakeoverMessage.Granted.NOBODY;

        Claim(ClaimId id) {
            this.id = id;
        }
    }

    /** Nearly always one. */
    private final List<Fact> facts = new ArrayList<>(1);

    private final List<Claim> claims = new ArrayList<>(1);

    /** The highest number that was heard of or granted. */
    private long changesMax;

    // ---------------------------------------------------------------- how nodes stand

    void put(NodeStart of, Standing standing) {
        facts.removeIf(fact -> fact.of.server() == of.server());
        if (!(standing instanceof Standing.Nothing)) {
            facts.add(new Fact(of, standing));
            changesMax = Math.max(changesMax, standing.changes());
        }
    }

    /**
     * Forgets what does not outlive the links to those who said it: claims, and what a node keeps
     * in memory only.
     */
    void keepReached(Predicate<NodeStart> isReached) {
        facts.removeIf(fact -> !fact.standing.durable() && !isReached.test(fact.of));
        claims.removeIf(claim -> !isReached.test(claim.id.by()));
    }

    /** Whether that is later than what is known of that node. */
    boolean isNews(NodeStart of, Standing standing) {
        for (Fact fact : facts) {
            if (fact.of.server() == of.server()) {
                return fact.of.start() != of.start()
                        ? fact.of.start() < of.start()
                        : fact.standing.changes() < standing.changes();
            }
        }
        return true;
    }

    List<Fact> facts() {
        return facts;
    }

    /**
     * That node holds another one for the anchor, or tells anew.
     *
     * @param isSecond what it has in durable form stays known
     */
    void withdrawn(int server, boolean isSecond) {
        facts.removeIf(
                fact -> fact.of.server() == server && !(isSecond && fact.standing.durable()));
        claims.removeIf(claim -> claim.id.by().server() == server);
    }

    /** The node is forgotten, and what it has, and wants, with it. */
    void forget(int server) {
        facts.removeIf(fact -> fact.of.server() == server);
        claims.removeIf(claim -> claim.id.by().server() == server);
    }

    /** Whether that node has a durable session as its home. */
    boolean isHome(int server) {
        for (Fact fact : facts) {
            if (fact.of.server() == server) {
                return fact.standing instanceof Standing.Home && fact.standing.durable();
            }
        }
        return false;
    }

    /** The home with the highest number, or null. */
    @Nullable Fact home() {
        Fact highest = null;
        for (Fact fact : facts) {
            if (fact.standing instanceof Standing.Home && isAbove(fact, highest)) {
                highest = fact;
            }
        }
        return highest;
    }

    /** Homes that another one is above. */
    List<Fact> lowerHomes() {
        Fact highest = home();
        return facts.stream()
                .filter(fact -> fact.standing instanceof Standing.Home && fact != highest)
                .toList();
    }

    /** What was given last, unless it has arrived, or ended where it had arrived; or null. */
    @Nullable Fact given() {
        Fact highest = null;
        for (Fact fact : facts) {
            if (fact.standing instanceof Standing.Given && isAbove(fact, highest)) {
                highest = fact;
            }
        }
        return highest == null || hasArrived(highest) ? null : highest;
    }

    private boolean hasArrived(Fact given) {
        for (Fact fact : facts) {
            if (!(fact.standing instanceof Standing.Given)
                    && fact.standing.changes() >= given.standing.changes()) {
                return true;
            }
        }
        return false;
    }

    private static boolean isAbove(Fact fact, @Nullable Fact other) {
        if (other == null) {
            return true;
        }
        int byNumber = Long.compare(fact.standing.changes(), other.standing.changes());
        return byNumber != 0 ? byNumber > 0 : fact.of.server() > other.of.server();
    }

    // ---------------------------------------------------------------- who claims it

    List<Claim> claims() {
        return claims;
    }

    @Nullable Claim claim(ClaimId id) {
        for (Claim claim : claims) {
            if (claim.id.equals(id)) {
                return claim;
            }
        }
        return null;
    }

    /** The one that was granted and is not settled, or null. */
    @Nullable Claim granted() {
        for (Claim claim : claims) {
            if (claim.granted != 0) {
                return claim;
            }
        }
        return null;
    }

    /**
     * @param granted 0 when it waits
     */
    Claim put(ClaimId id, long granted) {
        Claim known = claim(id);
        if (known == null) {
            // A node has one at a time: an earlier one is over, and its end was lost.
            claims.removeIf(claim -> claim.id.by().equals(id.by()));
            known = new Claim(id);
            claims.add(known);
        }
        known.granted = granted;
        changesMax = Math.max(changesMax, granted);
        return known;
    }

    void remove(ClaimId id) {
        claims.removeIf(claim -> claim.id.equals(id));
    }

    /**
     * @param above the number is above this one, too
     */
    long nextChanges(long above) {
        changesMax = Math.max(changesMax, above) + 1;
        return changesMax;
    }

    boolean isEmpty() {
        return facts.isEmpty() && claims.isEmpty();
    }
}
