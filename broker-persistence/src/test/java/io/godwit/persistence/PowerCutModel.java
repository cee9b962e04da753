package io.godwit.persistence;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.message.Message;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.routing.SessionRef;
import io.godwit.core.routing.Subscription;
import io.godwit.core.store.Recovery.KeptSession;
import io.godwit.core.store.RowRead;
import io.godwit.persistence.StoreFixture.Entry;
import io.godwit.persistence.StoreFixture.Page;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What has happened. Each change is noted with the commit that carries it; a change whose commit
 * was confirmed must be there after a cut, any other may be.
 */
final class PowerCutModel {
    /** An entry as the test knows it. */
    static final class Item {
        final Entry entry;
        final String text;
        boolean released;
        boolean removed;

        /** Packet id and release as of the last commit that was confirmed. */
        int sureId;

        boolean sureReleased;

        Item(Entry entry) {
            this.entry = entry;
            this.text = entry.text();
        }
    }

    static final class Kept {
        final long queueId;
        final int shard;
        TreeMap<Long, Item> items = new TreeMap<>();
        final Set<String> filters = new TreeSet<>();
        int packetId;

        Kept(long queueId, int shard) {
            this.queueId = queueId;
            this.shard = shard;
        }
    }

    final Map<Long, Kept> sessions = new TreeMap<>();

    final Set<Long> gone = new HashSet<>();

    private final List<Change> unsure = new ArrayList<>();

    private final Map<Long, Boolean> sureSessions = new HashMap<>();

    private final Map<String, Item> sure = new TreeMap<>();

    private final Map<String, Item> maybe = new TreeMap<>();

    private final Set<String> sureFilters = new TreeSet<>();

    private final Set<String> maybeFilters = new TreeSet<>();

    private final Map<String, String> sureRetained = new TreeMap<>();

    private final Map<String, Object> latest = new HashMap<>();

    private final Set<String> unsureTopics = new TreeSet<>();

    private record Change(int shard, long commit, Runnable done) {}

    private void note(StoreFixture store, int shard, Runnable whenSure) {
        unsure.add(new Change(shard, store.shard(shard).openCommit(), whenSure));
    }

    private static String key(Entry entry) {
        return entry.queueId + ":" + entry.messageId;
    }

    void commit(StoreFixture store) {
        for (StoreFixture.Shard shard : store.shards) {
            if (shard.store.isDirty()) {
                shard.store.commit();
            }
        }
    }

    void connect(StoreFixture store, int shard, long queueId) {
        store.shard(shard).putSession(ClientId.of("c" + queueId), store.session(queueId));
        sessions.put(queueId, new Kept(queueId, shard));
        note(store, shard, () -> sureSessions.put(queueId, true));
    }

    void remove(StoreFixture store, int shard, Kept session) {
        store.shard(shard)
                .removeSession(ClientId.of("c" + session.queueId), session.queueId, store.stamp());
        sessions.remove(session.queueId);
        gone.add(session.queueId);
        for (Item item : session.items.values()) {
            sure.remove(key(item.entry));
            maybe.put(key(item.entry), item);
        }
        sureFilters.removeIf(each -> each.startsWith(session.queueId + ":"));
        for (String filter : session.filters) {
            maybeFilters.add(session.queueId + ":" + filter);
        }
        sureSessions.remove(session.queueId);
        note(
                store,
                shard,
                () -> {
                    sureSessions.put(session.queueId, false);
                    maybe.keySet().removeIf(each -> each.startsWith(session.queueId + ":"));
                    maybeFilters.removeIf(each -> each.startsWith(session.queueId + ":"));
                });
    }

    void subscribe(StoreFixture store, int shard, Kept session, int number, boolean present) {
        String filter = "f" + number;
        String id = session.queueId + ":" + filter;
        sureFilters.remove(id);
        maybeFilters.add(id);
        Object change = new Object();
        latest.put(id, change);
        if (present) {
            store.shard(shard)
                    .putSubscription(session.queueId, subscription(filter, number), store.stamp());
            session.filters.add(filter);
        } else {
            store.shard(shard)
                    .removeSubscription(session.queueId, TopicFilter.of(filter), store.stamp());
            session.filters.remove(filter);
        }
        note(
                store,
                shard,
                () -> {
                    if (latest.get(id) == change && !gone.contains(session.queueId)) {
                        maybeFilters.remove(id);
                        if (present) {
                            sureFilters.add(id);
                        }
                    }
                });
    }

    @SuppressWarnings("NullAway") // the store never looks at the session
    private static Subscription subscription(String filter, int number) {
        SessionRef nobody = null;
        return new Subscription(
                nobody, TopicFilter.of(filter), number, true, false, new int[] {number + 1});
    }

    void retain(StoreFixture store, int shard, int number, boolean present) {
        String topic = "r" + shard + number;
        unsureTopics.add(topic);
        Object change = new Object();
        latest.put(topic, change);
        Message message =
                new Message(
                        Topic.of(topic),
                        ("v" + store.nextId()).getBytes(StandardCharsets.UTF_8),
                        new byte[0],
                        1,
                        true,
                        Message.NEVER,
                        null,
                        7,
                        1);
        if (present) {
            store.shard(shard).putRetained(message, store.stamp());
        } else {
            store.shard(shard).removeRetained(Topic.of(topic), store.stamp());
        }
        String value = new String(message.payload, StandardCharsets.UTF_8);
        note(
                store,
                shard,
                () -> {
                    if (present) {
                        sureRetained.put(topic, value);
                    } else {
                        sureRetained.remove(topic);
                    }
                    if (latest.get(topic) == change) {
                        unsureTopics.remove(topic);
                    }
                });
    }

    void append(StoreFixture store, int shard, Kept session, Message message) {
        Entry entry = store.append(shard, session.queueId, message);
        Item item = new Item(entry);
        session.items.put(entry.messageId, item);
        maybe.put(key(entry), item);
        note(
                store,
                shard,
                () -> {
                    if (session.items.containsKey(entry.messageId)
                            && !gone.contains(session.queueId)) {
                        sure.put(key(entry), item);
                    }
                });
    }

    void inFlight(StoreFixture store, int shard, Kept session, Item item) {
        int packetId = ++session.packetId;
        item.entry.packetId = packetId;
        store.shard(shard).inFlight(item.entry);
        note(store, shard, () -> item.sureId = packetId);
    }

    void release(StoreFixture store, int shard, Item item) {
        if (item.sureId == 0) {
            return; // PUBLISH has not left
        }
        item.released = true;
        item.entry.message = null;
        store.shard(shard).released(item.entry);
        note(store, shard, () -> item.sureReleased = true);
    }

    void remove(StoreFixture store, int shard, Kept session, Item item) {
        store.shard(shard).remove(item.entry);
        item.removed = true;
        session.items.remove(item.entry.messageId);
        sure.remove(key(item.entry));
        note(store, shard, () -> maybe.remove(key(item.entry)));
    }

    /** What the store has confirmed is sure. */
    void settle(StoreFixture store) {
        while (!unsure.isEmpty()) {
            Change change = unsure.get(0);
            boolean done = false;
            for (int i = 0; i < unsure.size() && !done; i++) {
                change = unsure.get(i);
                if (change.commit <= store.shards.get(change.shard).committed) {
                    unsure.remove(i);
                    change.done.run();
                    done = true;
                }
            }
            if (!done) {
                return;
            }
        }
    }

    void check(StoreFixture store) {
        Map<Long, Kept> now = new TreeMap<>();
        sureSessions.forEach((queueId, alive) -> {
            if (alive) {
                assertThat(store.recovered.sessions).containsKey(queueId);
            } else {
                assertThat(store.recovered.sessions).doesNotContainKey(queueId);
            }
        });
        Set<String> found = new HashSet<>();
        Set<String> filters = new TreeSet<>();
        for (KeptSession kept : store.recovered.sessions.values()) {
            long queueId = kept.record().queueId();
            Kept session = new Kept(queueId, (int) (queueId & 0xFFFF) % 2 == 1 ? 0 : 1);
            now.put(queueId, session);
            gone.remove(queueId);
            kept.subscriptions()
                    .forEach(each -> {
                        filters.add(queueId + ":" + each.filter());
                        session.filters.add(each.filter().toString());
                    });
            Page inFlight = store.read(queueId, RowRead.Section.IN_FLIGHT);
            Page idle = store.read(queueId, RowRead.Section.IDLE);
            assertThat(inFlight.failure).isNull();
            assertThat(idle.failure).isNull();
            inFlight.entries.forEach(each -> take(session, each, found));
            idle.entries.forEach(each -> take(session, each, found));
            PowerCutCounts.depth(kept.queue(), inFlight, idle);
        }
        assertThat(found).containsAll(sure.keySet());
        assertThat(filters).as("start " + store.floor.startNumber()).containsAll(sureFilters);
        Set<String> mayBe = new TreeSet<>(sureFilters);
        mayBe.addAll(maybeFilters);
        assertThat(mayBe).containsAll(filters);
        retained(store);
        PowerCutCounts.counts(store);
        begin(store, now);
    }

    private void take(Kept session, Entry entry, Set<String> found) {
        String key = key(entry);
        assertThat(found.add(key)).as("once: " + key).isTrue();
        Item item = maybe.get(key);
        assertThat(item).as("was removed: " + key).isNotNull();
        if (item == null) {
            return;
        }
        if (item.sureReleased) {
            assertThat(entry.text()).isEqualTo("-");
        } else if (!item.released) {
            assertThat(entry.text()).isEqualTo(item.text);
        }
        if (item.sureId != 0 && !(item.removed && entry.qos == 1)) {
            assertThat(entry.packetId).isEqualTo(item.sureId);
        }
        session.items.put(entry.messageId, new Item(entry));
        session.packetId = Math.max(session.packetId, entry.packetId);
    }

    private void retained(StoreFixture store) {
        sureRetained.forEach((topic, value) -> {
            if (!unsureTopics.contains(topic)) {
                Message kept = store.recovered.retained.get(topic);
                assertThat(kept).as(topic).isNotNull();
                assertThat(new String(kept.payload, StandardCharsets.UTF_8)).isEqualTo(value);
            }
        });
        for (String topic : store.recovered.retained.keySet()) {
            assertThat(sureRetained.containsKey(topic) || unsureTopics.contains(topic)).isTrue();
        }
    }

    /** From here on what was found is what is sure. */
    private void begin(StoreFixture store, Map<Long, Kept> now) {
        for (Long queueId : sessions.keySet()) {
            if (!now.containsKey(queueId)) {
                gone.add(queueId);
            }
        }
        sessions.clear();
        sessions.putAll(now);
        unsure.clear();
        sureSessions.clear();
        sure.clear();
        maybe.clear();
        sureFilters.clear();
        maybeFilters.clear();
        unsureTopics.clear();
        sureRetained.clear();
        store.recovered.retained.forEach((topic, message) ->
                sureRetained.put(topic, new String(message.payload, StandardCharsets.UTF_8)));
        for (Kept session : now.values()) {
            sureSessions.put(session.queueId, true);
            session.filters.forEach(each -> sureFilters.add(session.queueId + ":" + each));
            for (Item item : session.items.values()) {
                item.sureId = item.entry.packetId;
                item.released = item.entry.message == null;
                item.sureReleased = item.released;
                sure.put(key(item.entry), item);
                maybe.put(key(item.entry), item);
            }
        }
    }
}
