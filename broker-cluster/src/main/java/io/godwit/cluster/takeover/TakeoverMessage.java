package io.godwit.cluster.takeover;

import io.godwit.cluster.transport.NodeStart;
import io.godwit.core.id.IngressId;
import io.godwit.core.packet.ClientId;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What nodes say to each other about client ids. Between two nodes that are linked it arrives once
 * and in order; what was under way when a link broke is lost, and said again by whoever still needs
 * it.
 *
 * <pre>
 * claimant Y                 first anchor A                    home X
 *     -- Ask ------------------>
 *     <------------- Granted ---
 *     -- Take ------------------------------------------------->   ends its connection, stops
 *     <------------------------------------------------- Header --
 *                              <-------------- Stands (given) ---
 *     -- Settled (home) -------->
 *     -- Whole (all pages are here) ---------------------------->   drops what it had
 * </pre>
 */
public sealed interface TakeoverMessage {
    // ---------------------------------------------------------------- to the anchor

    /** A claim wants its client id; said again when the answer has not helped. */
    record Ask(ClientId clientId, ClaimId claim) implements TakeoverMessage {}

    /**
     * A claim is over.
     *
     * @param standing of the claimant's node now
     */
    record Settled(ClientId clientId, ClaimId claim, Standing standing)
            implements TakeoverMessage {}

    /**
     * The sender's standing with a client id has changed; to the second anchor, the durable one.
     */
    record Stands(ClientId clientId, Standing standing) implements TakeoverMessage {}

    /**
     * All that the sender has, and wants, in some slots that it holds the receiver for the first
     * anchor of.
     */
    record Tell(BitSet slots, List<Told> told) implements TakeoverMessage {}

    /**
     * @param of the sender; or a node that it knew of as the anchor until now
     * @param claims of the sender that are under way
     */
    record Told(NodeStart of, ClientId clientId, Standing standing, List<ToldClaim> claims) {}

    /**
     * @param granted number of changes that it was granted; 0 while it waits for a grant
     */
    record ToldClaim(ClaimId claim, long granted) {}

    /**
     * The sender does not hold the receiver for the first anchor of these slots any more.
     *
     * @param isSecond but for the second one: what was told and is durable stays known
     */
    record Withdraw(BitSet slots, boolean isSecond) implements TakeoverMessage {}

    /**
     * What is durable of what the sender has in some slots that it holds the receiver for the
     * second anchor of.
     *
     * @param told without claims
     */
    record Keep(BitSet slots, List<Told> told) implements TakeoverMessage {}

    /** The sender is not linked to that node any more: others may have to say of it. */
    record Missing(int server) implements TakeoverMessage {}

    // ---------------------------------------------------------------- from the anchor

    /**
     * A claim may go on.
     *
     * @param changes number that the session has from now on, above all that were granted before
     * @param home server id of the home; {@link #NOBODY} when there is no session
     * @param voidUpTo grants up to this number have come to nothing: what was given for them may be
     *     given again
     */
    record Granted(ClientId clientId, ClaimId claim, long changes, int home, long voidUpTo)
            implements TakeoverMessage {
        static final int NOBODY = -1;
    }

    /**
     * The session has a home that is out of reach; from that home, that it can't go now.
     *
     * @param home its server id
     */
    record OutOfReach(ClientId clientId, ClaimId claim, int home) implements TakeoverMessage {}

    /** What was given for a grant up to this number never arrived: take it back by a claim. */
    record Void(ClientId clientId, long changes) implements TakeoverMessage {}

    /** Another home has a higher number: end this one, and its connection. */
    record Lose(ClientId clientId, long changes) implements TakeoverMessage {}

    // ---------------------------------------------------------------- between claimant and home

    /** Give the session to a claim that was granted. */
    record Take(ClientId clientId, ClaimId claim, long changes, long voidUpTo, boolean cleanStart)
            implements TakeoverMessage {}

    /**
     * The session is the claim's.
     *
     * @param header null when it has ended: Clean Start, or a transient one
     */
    record Header(ClientId clientId, ClaimId claim, byte @Nullable [] header)
            implements TakeoverMessage {}

    /** The session is not here, or was given to another claim: ask the anchor again. */
    record NotHere(ClientId clientId, ClaimId claim) implements TakeoverMessage {}

    /**
     * The new home has all of it, durably: what the former one keeps may go.
     *
     * @param changes number of the grant for which it was given
     */
    record Whole(ClientId clientId, long changes) implements TakeoverMessage {}

    /**
     * The new home has all of it, and nobody keeps anything of it that was before the receiver:
     * nothing comes to that one from there. {@link Whole} follows, perhaps much later.
     *
     * @param changes number of the grant for which it was given
     */
    record Oldest(ClientId clientId, long changes) implements TakeoverMessage {}

    /**
     * QoS 2 messages that will not come again: their publishers have said so where the session was.
     * {@link Dropped} follows.
     *
     * @param changes number of the grant for which it was given
     */
    record Over(ClientId clientId, long changes, List<IngressId> publishes)
            implements TakeoverMessage {}

    /** It is gone; said again as often as {@link Whole} is. */
    record Dropped(ClientId clientId, long changes) implements TakeoverMessage {}

    // ---------------------------------------------------------------- of a node that leaves

    /**
     * The sender leaves and wants to know how much the receiver may still hold; or it wants to know
     * that the receiver has heard all that it was told before, which the {@link Room} says that
     * answers this question.
     *
     * @param question its number; 0 = a node of an earlier version asks
     */
    record RoomWanted(long question) implements TakeoverMessage {}

    /**
     * @param bytes that the sender may still hold; 0 when it leaves, too
     * @param question that it answers; 0 = a node of an earlier version answers, and does not say
     */
    record Room(long bytes, long question) implements TakeoverMessage {}

    /** The sender leaves: the receiver may claim the session. */
    record Offer(ClientId clientId) implements TakeoverMessage {}
}
