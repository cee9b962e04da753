package io.godwit.core.session;

import io.godwit.core.ack.Receipt;
import io.godwit.core.ack.RelayReceipt;
import io.godwit.core.id.IngressId;
import io.godwit.core.load.ShardLoad;
import io.godwit.core.message.Message;
import io.godwit.core.shard.Shard;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Messages that have come to a session one way and wait to come the other way, too, in order; each
 * once, with everyone who waits for it. They count as queued. See {@link Arrival}.
 */
final class HeldMessages {
    private final Map<IngressId, Held> held = new LinkedHashMap<>(0);
    private ShardLoad load;

    /**
     * A message that waits.
     *
     * @param receipt of the shard that the session is on
     * @param before the same message, which was sent again since: who has sent it waits, too
     */
    record Held(
            Message message,
            int qos,
            boolean retain,
            int[] ids,
            @Nullable Receipt receipt,
            @Nullable Held before) {
        Held behind(@Nullable Held same) {
            return new Held(message, qos, retain, ids, receipt, same);
        }

        Held at(Shard here, int from) {
            return new Held(
                    message,
                    qos,
                    retain,
                    ids,
                    RelayReceipt.at(here, receipt, from),
                    before == null ? null : before.at(here, from));
        }
    }

    HeldMessages(ShardLoad load) {
        this.load = load;
    }

    static IngressId id(Message message) {
        return new IngressId(message.ingressServer, message.ingressCounter);
    }

    boolean has(IngressId id) {
        return held.containsKey(id);
    }

    boolean isEmpty() {
        return held.isEmpty();
    }

    void hold(Held what) {
        Held before = held.get(id(what.message));
        held.put(id(what.message), what.behind(before));
        if (before == null) {
            count(what, 1);
        }
    }

    private void count(Held of, int sign) {
        load.queues().queued((long) sign * of.message.accountedBytes(), sign);
    }

    /** Takes one out; null when it does not wait. */
    @Nullable Held release(IngressId id) {
        Held out = held.remove(id);
        if (out != null) {
            count(out, -1);
        }
        return out;
    }

    /** Takes out all, in order. */
    List<Held> end() {
        List<Held> all = new ArrayList<>(held.values());
        all.forEach(each -> count(each, -1));
        held.clear();
        return all;
    }

    /** Takes out what none of these filters is for, in order. */
    List<Held> noMore(ArrivedFilters... filters) {
        List<Held> free = new ArrayList<>(0);
        for (Iterator<Held> i = held.values().iterator(); i.hasNext(); ) {
            Held each = i.next();
            if (Arrays.stream(filters).noneMatch(of -> of.match(each.message.topic))) {
                i.remove();
                count(each, -1);
                free.add(each);
            }
        }
        return free;
    }

    /** The session leaves its shard: they do not count there any more. */
    void leaveShard() {
        held.values().forEach(each -> count(each, -1));
    }

    /**
     * They are on this one now.
     *
     * @param from the shard before
     */
    void arrive(ShardLoad now, Shard at, int from) {
        load = now;
        held.replaceAll((id, each) -> each.at(at, from));
        held.values().forEach(each -> count(each, 1));
    }
}
