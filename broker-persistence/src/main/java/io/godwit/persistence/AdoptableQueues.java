package io.godwit.persistence;

import io.godwit.core.packet.ClientId;
import io.godwit.core.store.CopySets;
import io.godwit.core.store.CopyStore.Adoptable;
import io.godwit.core.store.DigestReader;
import io.godwit.core.store.QueueDigest;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gathers the queues of sessions or groups of one copy set that another node leads, from the
 * digests of all its queues: whose they are, and what goes before them.
 */
final class AdoptableQueues implements DigestReader {
    private static final Logger LOG = LoggerFactory.getLogger(AdoptableQueues.class);

    private final int leader;
    private final int copySet;
    private final Consumer<List<Adoptable>> then;
    private final List<Adoptable> found = new ArrayList<>();
    private final Set<Long> predecessors = new HashSet<>();

    AdoptableQueues(int leader, int copySet, Consumer<List<Adoptable>> then) {
        this.leader = leader;
        this.copySet = copySet;
        this.then = then;
    }

    @Override
    public boolean wants(long queueId, int of) {
        return of == leader;
    }

    @Override
    public void onQueue(QueueDigest queue) {
        ClientId clientId = queue.clientId();
        int of = clientId != null ? CopySets.of(clientId) : groups(queue);
        if (of != copySet) {
            return;
        }
        found.add(new Adoptable(queue.queueId(), clientId, queue.predecessorId()));
        if (queue.predecessorId() != 0) {
            predecessors.add(queue.predecessorId());
        }
    }

    private static int groups(QueueDigest queue) {
        return queue.isGroup() ? CopySets.GROUPS : CopySets.NONE;
    }

    @Override
    public void onEnd() {
        // Of what goes before another queue nothing else counts.
        found.removeIf(each -> predecessors.contains(each.queueId()));
        then.accept(found);
    }

    @Override
    public void onFailed(Throwable cause) {
        LOG.error("Copies of server id {} can't be read, and are not adopted", leader, cause);
    }
}
