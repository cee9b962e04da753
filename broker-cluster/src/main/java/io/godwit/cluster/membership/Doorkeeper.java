package io.godwit.cluster.membership;

import io.godwit.cluster.ClusterRule;
import io.godwit.cluster.ClusterRules;
import io.godwit.cluster.transport.LinkSettings;
import io.godwit.cluster.transport.NodeStart;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Decides about one hello after the other; remembers what it must to tell a restart from a double. */
final class Doorkeeper {
    /** A process that is so much younger than another one came later, whatever the way took. */
    private static final long YOUNGER_MS = 2_000;

    /** Since when another process has claimed the server id of one that has a link. */
    private record Claim(long process, long sinceMs) {}

    private final Self self;
    private final MembershipSettings settings;
    private final ClusterRules rules;
    private final Map<Integer, Claim> claims = new HashMap<>();

    Doorkeeper(Self self, MembershipSettings settings, ClusterRules rules) {
        this.self = self;
        this.settings = settings;
        this.rules = rules;
    }

    /** What is known of the server id that a hello claims. */
    record Known(@Nullable Member member, long linked, boolean isHeard) {
        /** {@link #linked} of a server id that no process has a link for. */
        static final long NO_PROCESS = 0;
    }

    /** The answer. */
    sealed interface Answer {
        /** Welcome. */
        record Yes(int protocol) implements Answer {}

        /**
         * Never, or not before the operator has done something.
         *
         * @param text what is wrong, as both sides are told; behind "node x: "
         */
        record No(Refusal why, String text) implements Answer {}

        /** Somebody else may have to be found dead first. */
        record Wait() implements Answer {}
    }

    /**
     * @param known of {@code claimed}'s server id
     * @param nowMs monotonic
     */
    Answer onCard(NodeStart claimed, NodeCard card, Known known, long nowMs, long wallMs) {
        if (!card.cluster().equals(settings.cluster())) {
            return new Answer.No(
                    Refusal.CLUSTER_NAME,
                    "cluster.name is '" + card.cluster() + "' there and '" + settings.cluster()
                            + "' here");
        }
        int protocol = Math.min(card.protocolMax(), settings.protocolMax());
        if (protocol < Math.max(card.protocolMin(), settings.protocolMin())) {
            return new Answer.No(
                    Refusal.PROTOCOL,
                    "it speaks versions " + card.protocolMin() + " to " + card.protocolMax()
                            + " of messages between nodes, this node "
                            + settings.protocolMin() + " to " + settings.protocolMax());
        }
        if (claimed.server() == self.start().server()) {
            return new Answer.No(
                    Refusal.SERVER_ID,
                    "server id " + claimed.server() + " is that of node " + self.name()
                            + ", which is alive: is its data folder a copy?");
        }
        long ahead = card.wallMs() - wallMs;
        if (ahead > settings.clockOffsetMaxMs()) {
            return new Answer.No(
                    Refusal.CLOCK,
                    "its clock is " + ahead + " ms ahead of node " + self.name()
                            + "'s, cluster.max-clock-offset is " + settings.clockOffsetMaxMs()
                            + " ms");
        }
        Answer no = onProcess(claimed, card, known, nowMs);
        return no != null ? no : new Answer.Yes(protocol);
    }

    private @Nullable Answer onProcess(NodeStart claimed, NodeCard card, Known known, long nowMs) {
        if (known.linked() == card.process()) {
            return null;
        }
        int server = claimed.server();
        if (known.linked() != Known.NO_PROCESS
                && known.isHeard()
                && rules.holds(ClusterRule.ONE_PROCESS_PER_SERVER)) {
            Claim claim = claims.get(server);
            if (claim == null || claim.process() != card.process()) {
                claim = new Claim(card.process(), nowMs);
                claims.put(server, claim);
            }
            // Not silent after the whole time-out: it was heard after this one has come.
            if (nowMs - claim.sinceMs() < settings.peerTimeoutMs() + 5 * LinkSettings.TICK_MS) {
                return new Answer.Wait();
            }
            return new Answer.No(
                    Refusal.SERVER_ID,
                    "server id " + server + " is that of another live process: is its data folder a"
                            + " copy?");
        }
        claims.remove(server);
        Member member = known.member();
        if (member == null || !rules.holds(ClusterRule.STARTS_GROW)) {
            return null;
        }
        long seen = member.last().start();
        if (claimed.start() < seen
                || claimed.start() == seen && member.process() != card.process()) {
            return new Answer.No(
                    Refusal.OLD_START,
                    "its start number is " + claimed.start() + ", but server id " + server
                            + " was here with " + seen
                            + ": is its data folder a copy, or restored?");
        }
        return null;
    }

    /** The process that had a link has none any more. */
    void onLinkEnded(int server) {
        claims.remove(server);
    }

    /** Whether another process with this node's server id was not clearly there later. */
    boolean isIntruder(NodeCard other, long ownUptimeMs) {
        return ownUptimeMs < other.uptimeMs() + YOUNGER_MS;
    }
}
