package io.godwit.core.routing;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A filter of thousands of sessions that come and go, against a map. */
class SubscriberSetTest {
    private static final int SESSIONS = 12_000;

    private final List<TestSession> sessions = new ArrayList<>();
    private final Map<TestSession, Subscription> model = new HashMap<>();
    private @Nullable SubscriberSet set;
    private int changesThatMoved;

    /** What a fan-out under way has in its hands. */
    private record View(@Nullable Subscription[][] chunks, int size, Set<SessionRef> live) {}

    @Test
    void it_has_whom_the_map_has_and_older_views_show_nobody_twice() {
        SplittableRandom random = new SplittableRandom(11);
        for (int i = 0; i < SESSIONS; i++) {
            sessions.add(new TestSession(i));
        }
        View older = null;
        Set<SessionRef> leftSince = new HashSet<>();
        int largest = 0;
        for (int step = 0; step < 300_000; step++) {
            boolean growing = step / 50_000 % 2 == 0;
            TestSession session = sessions.get(random.nextInt(SESSIONS));
            SubscriberSet before = set;
            if (random.nextInt(20) < (growing ? 17 : 3)) {
                add(session);
            } else if (remove(session)) {
                leftSince.add(session);
            }
            assertBounded(before);
            largest = Math.max(largest, set == null ? 0 : set.chunks().length);
            if (step % 5_000 == 0) {
                assertSame();
                if (older != null) {
                    assertOlder(older, leftSince);
                }
                older = view();
                leftSince.clear();
            }
        }
        assertThat(largest).isGreaterThan(8);
        assertThat(changesThatMoved).isBetween(20, 3_000);
        for (TestSession session : sessions) {
            remove(session);
        }
        assertThat(set).isNull();
    }

    private void add(TestSession session) {
        Subscription s = session.to("t");
        set = set == null ? SubscriberSet.of(s) : set.with(s);
        model.put(session, s);
        assertThat(set.find(session) == s).isTrue();
    }

    private boolean remove(TestSession session) {
        Subscription there = set == null ? null : set.find(session);
        assertThat(there == model.remove(session)).isTrue();
        if (set == null || there == null) {
            return false;
        }
        set = set.without(there);
        return true;
    }

    /** A change makes one chunk at most; all others are those that were there. */
    private void assertBounded(@Nullable SubscriberSet before) {
        SubscriberSet after = set;
        if (after == before || before == null || after == null) {
            return;
        }
        Set<Object> had = Collections.newSetFromMap(new IdentityHashMap<>());
        had.addAll(Arrays.asList((Object[]) before.chunks()));
        List<Subscription[]> made =
                Arrays.stream(after.chunks()).filter(chunk -> !had.contains(chunk)).toList();
        assertThat(made).hasSizeLessThanOrEqualTo(1);
        made.forEach(chunk -> assertThat(chunk.length).isLessThanOrEqualTo(SubscriberSet.CHUNK));
        changesThatMoved++;
    }

    private void assertSame() {
        View now = view();
        assertThat(now.live.equals(model.keySet())).isTrue();
    }

    /** Everyone who did not leave is still there, and once. */
    private void assertOlder(View older, Set<SessionRef> leftSince) {
        Set<SessionRef> there = live(older.chunks, older.size);
        Set<SessionRef> missing = new HashSet<>(older.live);
        missing.removeAll(there);
        missing.removeAll(leftSince);
        assertThat(missing).isEmpty();
        assertThat(older.live.containsAll(there)).isTrue();
    }

    private View view() {
        if (set == null) {
            return new View(new Subscription[0][], 0, Set.of());
        }
        return new View(set.chunks(), set.size(), live(set.chunks(), set.size()));
    }

    private static Set<SessionRef> live(@Nullable Subscription[][] chunks, int size) {
        Set<SessionRef> live = new HashSet<>();
        for (int i = 0; i < size; i++) {
            Subscription s = SubscriberSet.at(chunks, i);
            if (s != null && !live.add(s.session)) {
                throw new AssertionError(s.session + " is there twice");
            }
        }
        return live;
    }

    @Test
    void a_table_of_many_sessions_has_small_segments_only() {
        SessionTable table = new SessionTable();
        List<Subscription> all = new ArrayList<>();
        for (int i = 0; i < 100_000; i++) {
            all.add(new TestSession(i).to("t"));
            table.add(all.get(i));
        }
        assertThat(table.largestSegment()).isLessThanOrEqualTo(1 << 10);
        assertThat(all).allMatch(s -> table.find(s.session) == s);
        for (int i = 0; i < all.size(); i += 2) {
            table.remove(all.get(i));
        }
        for (int i = 0; i < all.size(); i++) {
            Subscription found = table.find(all.get(i).session);
            if (found != (i % 2 == 0 ? null : all.get(i))) {
                throw new AssertionError(all.get(i).session + " gives " + found);
            }
        }
    }
}
