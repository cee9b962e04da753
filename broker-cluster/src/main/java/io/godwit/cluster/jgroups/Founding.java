package io.godwit.cluster.jgroups;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jgroups.Address;
import org.jgroups.BytesMessage;
import org.jgroups.Event;
import org.jgroups.Message;
import org.jgroups.PhysicalAddress;
import org.jgroups.View;
import org.jgroups.protocols.Discovery;
import org.jgroups.protocols.PingData;
import org.jgroups.protocols.PingHeader;
import org.jgroups.protocols.TCPPING;
import org.jgroups.stack.Protocol;
import org.jgroups.util.NameCache;
import org.jspecify.annotations.Nullable;

/**
 * Shortens the begin of a cluster, below the discovery. When nodes start together nobody is there
 * who could let the others in. JGroups has each of them wait for a time-out then; the one with the
 * lowest address lets itself in, tells nobody, and the others ask again only after one or two more
 * time-outs. Here
 *
 * <ul>
 *   <li>a node that has let itself in answers all who have asked once more;
 *   <li>a node does not wait for who can't be there: when each seed has been heard, or is one where
 *       nobody listens, and none of those that wait has a lower address. Who begins to listen later
 *       asks this one, which listens already and is a seed itself.
 * </ul>
 *
 * <p>Nodes without it wait as before, and are understood.
 */
public final class Founding extends Protocol {
    /** With more than so many that wait, or places, nothing is hastened. */
    private static final int WAITING_MAX = 1_000;

    private final Object lock = new Object();

    /** Where nobody listened when this node asked there last. */
    private final Set<PhysicalAddress> refused = new HashSet<>();

    /** Who waits as this node does, and where. */
    private final Map<Address, PhysicalAddress> waiting = new TreeMap<>();

    private Set<PhysicalAddress> seeds = Set.of();

    /**
     * Whether this node has asked all seeds, each of which has an address, and is a seed itself:
     * otherwise who is not there yet might not ask here.
     */
    private boolean hasAsked;

    /** There is a cluster already, or was: nothing is to be hastened. */
    private boolean isFound;

    /** This node has decided to let itself in, and does not say that it waits any more. */
    private boolean founds;

    /** All who wait have been told, or will be told by others. */
    private boolean isOver;

    private @Nullable View view;
    private @Nullable Discovery discovery;

    @Override
    public void init() throws Exception {
        super.init();
        discovery = getProtocolStack().findProtocol(Discovery.class);
    }

    private @Nullable PingHeader header(Message message) {
        Discovery asks = discovery;
        return asks == null ? null : message.getHeader(asks.getId());
    }

    // ---------------------------------------------------------------- what is heard

    @Override
    protected boolean accept(Message message) {
        return header(message) != null;
    }

    @Override
    public Object up(Message message) {
        PingHeader header = header(message);
        if (header != null) {
            hear(message, header); // Before it is answered: an answer is not taken back.
        }
        Object result = up_prot.up(message);
        if (header != null) {
            look();
        }
        return result;
    }

    private void hear(Message message, PingHeader header) {
        List<PingData> cards;
        try {
            cards =
                    Discovery.deserialize(
                            message.getArray(), message.getOffset(), message.getLength());
        } catch (Exception e) { // JGroups declares no other, and says it itself
            return;
        }
        boolean asks = header.type() == PingHeader.GET_MBRS_REQ;
        synchronized (lock) {
            if (isOver) {
                return;
            }
            for (PingData card : cards == null ? List.<PingData>of() : cards) {
                boolean isThere =
                        asks ? !header.initialDiscovery() : card.isServer() || card.isCoord();
                if (isThere || waiting.size() == WAITING_MAX) {
                    isFound = true;
                } else if (card.getAddress() != null && card.getPhysicalAddr() != null) {
                    waiting.put(card.getAddress(), card.getPhysicalAddr());
                }
            }
        }
    }

    /**
     * Nobody listened there a moment ago. Who has been heard from there since may be about to let
     * itself in, and is waited for.
     */
    void onRefused(Address at) {
        if (at instanceof PhysicalAddress place) {
            synchronized (lock) {
                if (refused.size() < WAITING_MAX) {
                    refused.add(place);
                }
            }
            look();
        }
    }

    /** Lets this node in if nobody else could: the answer to its own question. */
    private void look() {
        synchronized (lock) {
            if (view != null || isFound || !hasAsked || !seeds.stream().allMatch(this::isKnown)) {
                return;
            }
            for (Address each : waiting.keySet()) {
                if (each.compareTo(local_addr) < 0) {
                    return;
                }
            }
            founds = true;
        }
        up_prot.up(card(local_addr).setSrc(local_addr));
    }

    private boolean isKnown(PhysicalAddress seed) {
        return refused.contains(seed) || waiting.containsValue(seed);
    }

    // ---------------------------------------------------------------- what is said

    @Override
    public @Nullable Object down(Message message) {
        PingHeader header = header(message);
        if (header == null) {
            return down_prot.down(message);
        }
        if (header.type() == PingHeader.GET_MBRS_RSP && isFounding()) {
            return null; // It has its answer a moment later.
        }
        boolean asks = header.type() == PingHeader.GET_MBRS_REQ && header.initialDiscovery();
        if (asks && !mayAsk(message.getDest())) {
            return null;
        }
        Object result = down_prot.down(message);
        if (asks) {
            onAsked();
            look();
        }
        return result;
    }

    /** It asks again and again until it has a view: who has come since does not count as absent. */
    private boolean mayAsk(@Nullable Address at) {
        synchronized (lock) {
            if (at instanceof PhysicalAddress place) {
                refused.remove(place);
            }
            return view == null;
        }
    }

    private boolean isFounding() {
        synchronized (lock) {
            return founds && view == null;
        }
    }

    /** On the thread that asks, the only one that changes the discovery's list. */
    private void onAsked() {
        if (discovery instanceof TCPPING ping
                && ping.getValue("unresolved_hosts") instanceof Set<?> unknown
                && unknown.isEmpty()) {
            synchronized (lock) {
                seeds = new HashSet<>(ping.getInitialHosts());
                hasAsked = seeds.remove(place());
            }
        }
    }

    private @Nullable PhysicalAddress place() {
        return (PhysicalAddress) down_prot.down(new Event(Event.GET_PHYSICAL_ADDRESS, local_addr));
    }

    @Override
    public Object down(Event event) {
        Object result = down_prot.down(event);
        if (event.getType() == Event.VIEW_CHANGE) {
            synchronized (lock) {
                view = event.getArg();
            }
        } else if (event.getType() == Event.BECOME_SERVER) {
            tellWhoWaits();
        }
        return result;
    }

    private void tellWhoWaits() {
        Set<Address> to = new HashSet<>();
        synchronized (lock) {
            View now = view;
            if (now != null && now.getCoord().equals(local_addr)) {
                to.addAll(waiting.keySet());
                to.removeAll(now.getMembers());
            }
            isOver = true;
            waiting.clear();
        }
        to.forEach(each -> down_prot.down(card(each)));
    }

    /** That this node lets others in. */
    private Message card(Address to) {
        PingData card = new PingData(local_addr, true, NameCache.get(local_addr), place());
        return new BytesMessage(to)
                .setFlag(Message.Flag.OOB, Message.Flag.DONT_BUNDLE)
                .putHeader(
                        discovery == null ? 0 : discovery.getId(),
                        new PingHeader(PingHeader.GET_MBRS_RSP))
                .setArray(Discovery.marshal(card.coord(true)));
    }
}
