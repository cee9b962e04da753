package io.godwit.server.extension.call;

import io.godwit.core.auth.Subject;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Holds what is remembered for each connection, as long as somebody holds its {@link Subject}.
 * While no authorizer lets its answers be remembered nothing is held, and no client looked up.
 */
final class AuthorizationMemos {
    /** A longer answer holds for so long; that is more than any connection lives. */
    private static final Duration LONGEST = Duration.ofDays(365);

    private final ConcurrentMap<Key, AuthorizationMemo> memos = new ConcurrentHashMap<>();
    private final ReferenceQueue<Subject> gone = new ReferenceQueue<>();

    /** One connection's subject, which equals no other. */
    private static final class Key extends WeakReference<Subject> {
        private final int hash;

        Key(Subject subject, @Nullable ReferenceQueue<Subject> queue) {
            super(subject, queue);
            hash = System.identityHashCode(subject);
        }

        @Override
        public int hashCode() {
            return hash;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            if (this == other) {
                return true;
            }
            Subject subject = get();
            return subject != null && other instanceof Key key && key.refersTo(subject);
        }
    }

    /** Whether nothing is remembered. */
    boolean isEmpty() {
        return memos.isEmpty();
    }

    /** Returns what is remembered for a connection about a question; null: nothing. */
    Review.@Nullable Authorized get(Subject client, Object question, long nowNanos) {
        AuthorizationMemo memo = memos.get(new Key(client, null));
        return memo == null ? null : memo.get(question, nowNanos);
    }

    void put(Subject client, Object question, Review.Authorized answer, long nowNanos) {
        for (Reference<?> each = gone.poll(); each != null; each = gone.poll()) {
            memos.remove(each);
        }
        Duration time = answer.validFor();
        if (time.compareTo(LONGEST) > 0) {
            time = LONGEST;
        }
        long until = nowNanos + TimeUnit.NANOSECONDS.convert(time);
        memos.computeIfAbsent(new Key(client, gone), key -> new AuthorizationMemo())
                .put(question, answer, until);
    }

    int connections() {
        return memos.size();
    }
}
