package io.godwit.cluster.takeover;

import io.godwit.cluster.takeover.TakeoverMessage.Dropped;
import io.godwit.cluster.takeover.TakeoverMessage.Whole;
import io.godwit.core.packet.ClientId;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * What former homes still keep of the sessions of this node. It goes in the order in which they
 * gave it: while one of them keeps something, the next one says to whom it went from there. Else
 * the copy of a node that was out of reach could be taken for the session.
 *
 * <p>Of one client id there may be several: that of the session which is here now, and those of
 * earlier ones that have ended here, or were set aside, while a former home was out of reach.
 */
final class FormerHomes {
    /** Bytes of a chain with its place, about. */
    private static final long CHAIN_BYTES = 150;

    /** Bytes of one of its homes, about. */
    private static final long HOME_BYTES = 50;

    /** Bytes of what a node that is forgotten may let go of, about. */
    private static final long OWED_BYTES = 100;

    private final LocalSessions sessions;
    private final LongConsumer account;
    private final Out out;
    private final SlotMap<List<Chain>> chains = new SlotMap<>();

    /** By server id: what nodes that were forgotten may let go of, should they come back. */
    private final Map<Integer, Set<Whole>> owed = new HashMap<>(0);

    /** Nodes that are forgotten while chains may name them. */
    private final Deque<Forgetting> forgetting = new ArrayDeque<>(0);

    /**
     * @param left client ids whose chains were not looked at
     */
    private record Forgetting(int server, Set<ClientId> left) {}

    /** Those of one session. */
    private static final class Chain {
        /** The oldest first. */
        final List<Former> homes;

        /** Not everything of it is here, and the last of them has the rest. */
        boolean isFilling;

        /** The session is here, and takes them along when it goes. */
        boolean isResident;

        Chain(List<Former> homes, boolean isFilling, boolean isResident) {
            this.homes = new ArrayList<>(homes);
            this.isFilling = isFilling;
            this.isResident = isResident;
        }

        /** Number of the grant that brought the session here. */
        long changes() {
            return homes.getLast().changes();
        }
    }

    /**
     * @param account told by how many bytes what is here has changed
     */
    FormerHomes(LocalSessions sessions, LongConsumer account, Out out) {
        this.sessions = sessions;
        this.account = account;
        this.out = out;
    }

    /** Those of the session that is here from now on. */
    void put(ClientId clientId, List<Former> of, boolean isFilling) {
        add(clientId, of, isFilling, true);
    }

    /**
     * At start: those of a session that has ended, or was set aside.
     *
     * @param isFilling what the last of them has was never here
     */
    void putLeft(ClientId clientId, List<Former> of, boolean isFilling) {
        add(clientId, of, isFilling, false);
    }

    private void add(ClientId clientId, List<Former> of, boolean isFilling, boolean isResident) {
        if (!of.isEmpty()) {
            Chain chain = new Chain(of, isFilling, isResident);
            List<Chain> all = chains.get(clientId);
            if (all == null) {
                all = new ArrayList<>(1);
                chains.put(clientId, all);
            }
            all.add(chain);
            account.accept(bytes(chain));
            next(clientId, chain);
        }
    }

    private List<Chain> all(ClientId clientId) {
        List<Chain> all = chains.get(clientId);
        return all == null ? List.of() : all;
    }

    private @Nullable Chain resident(ClientId clientId) {
        for (Chain each : all(clientId)) {
            if (each.isResident) {
                return each;
            }
        }
        return null;
    }

    /** Those of the session that is here. */
    List<Former> of(ClientId clientId) {
        for (Forgetting each : forgetting) {
            if (each.left.remove(clientId)) {
                forget(clientId, each.server);
            }
        }
        Chain chain = resident(clientId);
        return chain == null ? List.of() : List.copyOf(chain.homes);
    }

    /** The number of the last grant that brought a session here; 0 when no former home has any. */
    long changes(ClientId clientId) {
        return all(clientId).stream().mapToLong(Chain::changes).max().orElse(0);
    }

    /** Client ids of a slot of which former homes have something; not to be changed. */
    Set<ClientId> inSlot(int slot) {
        return chains.inSlot(slot).keySet();
    }

    /** Everything is here, durably, of what came for that grant. */
    void whole(ClientId clientId, long changes) {
        for (Chain each : all(clientId)) {
            if (each.changes() == changes) {
                whole(clientId, each);
            }
        }
    }

    private void whole(ClientId clientId, Chain chain) {
        chain.isFilling = false;
        next(clientId, chain);
    }

    /** The session has ended, and nothing of it is wanted. */
    void ended(ClientId clientId) {
        Chain chain = resident(clientId);
        if (chain != null) {
            chain.isResident = false;
            whole(clientId, chain);
        }
    }

    /** The session is set aside: what of it is not here stays where it is. */
    void setAside(ClientId clientId) {
        Chain chain = resident(clientId);
        if (chain != null) {
            chain.isResident = false;
        }
    }

    /** The session went on, and what its former homes keep with it. */
    void leave(ClientId clientId) {
        Chain chain = resident(clientId);
        if (chain != null) {
            remove(clientId, chain);
        }
    }

    private void remove(ClientId clientId, Chain chain) {
        List<Chain> left = chains.get(clientId);
        if (left != null && left.remove(chain)) {
            account.accept(-bytes(chain));
            if (left.isEmpty()) {
                chains.remove(clientId);
            }
        }
    }

    private static long bytes(Chain chain) {
        return CHAIN_BYTES + HOME_BYTES * chain.homes.size();
    }

    private void next(ClientId clientId, Chain chain) {
        if (!(chain.homes.size() == 1 && chain.isFilling)) {
            Former oldest = chain.homes.getFirst();
            out.send(oldest.server(), new Whole(clientId, oldest.changes()));
        }
    }

    /**
     * A node is forgotten: nobody waits for what it keeps, nor for what it alone can pass on.
     * {@link #forgetMore} follows.
     */
    void forget(int server) {
        if (!chains.isEmpty()) {
            forgetting.add(new Forgetting(server, chains.clientIds()));
        }
    }

    /** Whether {@link #forgetMore} has more to do. */
    boolean isForgetting() {
        return !forgetting.isEmpty();
    }

    /**
     * Goes on with forgetting: a slice.
     *
     * @param most client ids that it looks at
     * @return client ids of which nobody keeps anything any more
     */
    List<ClientId> forgetMore(int most) {
        List<ClientId> over = new ArrayList<>(0);
        for (int i = 0; i < most && isForgetting(); i++) {
            Forgetting now = forgetting.getFirst();
            Iterator<ClientId> left = now.left.iterator();
            if (left.hasNext()) {
                ClientId clientId = left.next();
                left.remove();
                if (forget(clientId, now.server)) {
                    over.add(clientId);
                }
            } else {
                forgetting.removeFirst();
            }
        }
        return over;
    }

    /**
     * @return whether somebody kept something of the client id, and nobody does any more
     */
    private boolean forget(ClientId clientId, int server) {
        List<Chain> of = chains.get(clientId);
        if (of == null) {
            return false;
        }
        for (Iterator<Chain> i = of.iterator(); i.hasNext(); ) {
            Chain chain = i.next();
            long before = bytes(chain);
            boolean isOver = forget(clientId, chain, server);
            account.accept((isOver ? 0 : bytes(chain)) - before);
            if (isOver) {
                i.remove();
            }
        }
        return of.isEmpty() && chains.remove(clientId) != null;
    }

    /**
     * @return whether nothing is left of the chain
     */
    private boolean forget(ClientId clientId, Chain chain, int server) {
        Former first = chain.homes.getFirst();
        boolean hasRest = chain.isFilling && chain.homes.getLast().server() == server;
        if (hasRest) {
            sessions.noMorePages(clientId, chain.changes());
            chain.isFilling = false;
        }
        for (Former each : List.copyOf(chain.homes)) {
            if (each.server() == server) {
                chain.homes.remove(each);
                Whole told = new Whole(clientId, each.changes());
                if (owed.computeIfAbsent(server, any -> new LinkedHashSet<>()).add(told)) {
                    account.accept(OWED_BYTES);
                }
                sessions.dropped(clientId, each);
            }
        }
        if (!chain.homes.isEmpty() && !chain.homes.getFirst().equals(first)) {
            next(clientId, chain);
        }
        return chain.homes.isEmpty();
    }

    /** What was said to that node may be lost. */
    void linked(int server) {
        owed.getOrDefault(server, Set.of()).forEach(each -> out.send(server, each));
        chains.forEach((clientId, all) -> {
            for (Chain each : all) {
                if (each.homes.getFirst().server() == server) {
                    next(clientId, each);
                }
            }
        });
    }

    /**
     * @return whether nobody keeps anything of the client id any more
     */
    boolean dropped(int from, Dropped dropped) {
        ClientId clientId = dropped.clientId();
        Former gone = new Former(from, dropped.changes());
        Whole whole = new Whole(clientId, dropped.changes());
        if (owed.getOrDefault(from, new HashSet<>(0)).remove(whole)) {
            account.accept(-OWED_BYTES);
        }
        boolean isOfChain = false;
        for (Iterator<Chain> i = all(clientId).iterator(); i.hasNext(); ) {
            Chain chain = i.next();
            if (chain.homes.getFirst().equals(gone)) {
                isOfChain = true;
                chain.homes.removeFirst();
                account.accept(-HOME_BYTES);
                sessions.dropped(clientId, gone);
                if (chain.homes.isEmpty()) {
                    i.remove();
                    account.accept(-CHAIN_BYTES);
                } else {
                    next(clientId, chain);
                }
                break;
            }
        }
        if (!isOfChain) {
            sessions.dropped(clientId, gone); // What has gone on from here need not wait for it.
        }
        return all(clientId).isEmpty() && chains.remove(clientId) != null;
    }
}
