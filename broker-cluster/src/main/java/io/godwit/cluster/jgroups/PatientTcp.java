package io.godwit.cluster.jgroups;

import java.util.Collection;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jgroups.Address;
import org.jgroups.blocks.cs.Connection;
import org.jgroups.conf.ClassConfigurator;
import org.jgroups.protocols.TCP;

/**
 * Keeps the connections of nodes that are about to be let in. At each new view TCP closes those to
 * all who are not in it, with what was sent over them and not read yet: when nodes start together
 * that was the question who is there, or whether one may come in, of the second while the first was
 * let in. The answer to the question came never then, and the node began a cluster of its own.
 */
public final class PatientTcp extends TCP {
    private static final long NEW_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** With more of them the others have none of this patience. */
    private static final int NEW_MAX = 1_000;

    /** When connections were made, of those that are new or were so at the last view. */
    private final Map<Address, Long> made = new ConcurrentHashMap<>();

    /** On the thread that brings views. */
    private Set<Address> members = Set.of();

    public PatientTcp() {
        setId(ClassConfigurator.getProtocolId(TCP.class)); // It says the same.
    }

    @Override
    public void connectionEstablished(Connection connection) {
        super.connectionEstablished(connection);
        if (made.size() < NEW_MAX) {
            made.put(connection.peerAddress(), System.nanoTime());
        }
    }

    @Override
    public void retainAll(Collection<Address> inView) {
        Set<Address> kept = new HashSet<>(inView);
        long now = System.nanoTime();
        made.forEach((peer, at) -> {
            if (now - at > NEW_NANOS) {
                made.remove(peer, at);
            } else if (!members.contains(peer)) {
                kept.add(peer);
            }
        });
        members = Set.copyOf(inView);
        super.retainAll(kept);
    }
}
