package io.godwit.cluster.takeover;

import io.godwit.core.packet.ClientId;
import java.util.Map;
import java.util.TreeMap;

/**
 * The disk of a node of the model: what a restart finds. It takes its time, and keeps the order.
 */
final class ModelDisk {
    private final TakeoverSimulation run;
    private final ModelNode node;

    /** By generation. */
    final Map<Long, ModelSession> sessions = new TreeMap<>();

    /** By generation: those that have ended, and of which former homes still keep something. */
    final Map<Long, ModelSession> ended = new TreeMap<>();

    /** By generation: since when it is kept as the home's, or as given to that claim. */
    private final Map<Long, Long> stoodAt = new TreeMap<>();

    private long writtenAt;

    ModelDisk(TakeoverSimulation run, ModelNode node) {
        this.run = run;
        this.node = node;
    }

    /** Keeps a session as it is now. */
    void keep(ModelSession session, Runnable then) {
        ModelSession kept = session.copy();
        write(
                () -> {
                    ModelSession before = sessions.put(kept.generation, kept);
                    if (before == null || before.changes != kept.changes) {
                        stoodAt.put(kept.generation, run.scheduler.micros());
                    }
                },
                then);
    }

    /** Since when it is kept like this, in virtual microseconds. */
    long stoodAt(ModelSession kept) {
        return stoodAt.getOrDefault(kept.generation, 0L);
    }

    /** Keeps a session in place of one that has ended; nothing of one that is not durable. */
    void replace(ModelSession ended, ModelSession session, Runnable then) {
        ModelSession kept = session.copy();
        write(
                () -> {
                    sessions.remove(ended.generation);
                    keepFormer(ended);
                    if (kept.durable) {
                        stoodAt.put(kept.generation, run.scheduler.micros());
                        sessions.put(kept.generation, kept);
                    }
                },
                then);
    }

    /** Forgets a session that has ended, but for its former homes. */
    void end(ModelSession session, Runnable then) {
        write(
                () -> {
                    sessions.remove(session.generation);
                    keepFormer(session);
                },
                then);
    }

    private void keepFormer(ModelSession of) {
        if (!of.former.isEmpty()) {
            ended.put(of.generation, of);
        }
    }

    /** Writes, in the order in which it was told; neither happens if the node dies before. */
    void write(Runnable write, Runnable then) {
        writtenAt = Math.max(writtenAt, run.scheduler.micros()) + 1 + run.random.nextInt(5_000);
        run.scheduler.in(
                writtenAt - run.scheduler.micros(),
                node.inThisStart(() -> {
                    write.run();
                    then.run();
                }));
    }

    /** A former home keeps nothing any more; known at once. */
    void dropped(ClientId clientId, Former former) {
        for (ModelSession kept : sessions.values()) {
            if (kept.clientId.equals(clientId) && kept.givenTo == null) {
                kept.former.remove(former);
            }
        }
        ended.values()
                .removeIf(of -> {
                    if (of.clientId.equals(clientId)) {
                        of.former.remove(former);
                    }
                    return of.former.isEmpty();
                });
    }
}
