package io.godwit.core.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.message.QueueHandle;
import io.godwit.core.store.KeptQueue;
import io.godwit.core.store.ShardStore;
import io.godwit.core.store.Store;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A queue's hold on the store waits for its own copy set. */
class KeptQueueTest {
    private static final long A = 11;
    private static final long B = 22;

    private final List<String> told = new ArrayList<>();
    private final long[] lastCommit = {0, 0};
    private final LoopShard shard = new LoneShard(store());

    /** Queue A is of set 0, B of set 1; commits 1 and 2 are closed and not kept yet. */
    private Store store() {
        ShardStore part =
                (ShardStore)
                        Proxy.newProxyInstance(
                                ShardStore.class.getClassLoader(),
                                new Class<?>[] {ShardStore.class},
                                (proxy, method, arguments) ->
                                        switch (method.getName()) {
                                            case "handle" -> handle((Long) arguments[0]);
                                            case "lastCommit" -> lastCommit[(Integer) arguments[0]];
                                            case "isDirty" -> false;
                                            case "openCommit" -> 3L;
                                            default -> throw new AssertionError(method.getName());
                                        });
        return (Store)
                Proxy.newProxyInstance(
                        Store.class.getClassLoader(),
                        new Class<?>[] {Store.class},
                        (proxy, method, arguments) -> part);
    }

    private static QueueHandle handle(long queueId) {
        QueueHandle handle = new QueueHandle(queueId);
        handle.copySet = queueId == A ? 0 : 1;
        return handle;
    }

    private void committed(long commit) {
        shard.onCommitted(commit);
        shard.onMail();
    }

    @Test
    void a_set_is_not_held_up_by_a_commit_with_operations_of_another() {
        KeptQueue a = shard.keptQueue(A);
        KeptQueue b = shard.keptQueue(B);
        assertThat(b.copySet()).isEqualTo(1);
        lastCommit[0] = 1;
        a.whenKept(durable -> told.add("a " + durable));
        shard.afterCommit(durable -> told.add("all " + durable));
        lastCommit[1] = 2;
        b.whenKept(durable -> told.add("b " + durable));
        a.whenKept(durable -> told.add("a again " + durable));
        assertThat(told).isEmpty();

        committed(1);
        assertThat(told).containsExactly("a true", "a again true");
        // Nothing of it is under way: at once, though commit 2 is.
        a.whenKept(durable -> told.add("a at once " + durable));
        assertThat(told).last().isEqualTo("a at once true");

        committed(2);
        assertThat(told).endsWith("all true", "b true");
    }

    @Test
    void a_set_that_nothing_was_ever_told_of_is_kept() {
        shard.keptQueue(B).whenKept(durable -> told.add("b " + durable));
        assertThat(told).containsExactly("b true");
    }
}
