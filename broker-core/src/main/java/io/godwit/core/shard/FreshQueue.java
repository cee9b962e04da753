package io.godwit.core.shard;

import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A queue of what is made, waits for a moment and goes. It stands in short arrays, each used once:
 * a ring would soon be old for the collector, which has to be told of everything new that is put
 * into something old, with a fence each time.
 *
 * @param <T> what waits
 */
public final class FreshQueue<T> {
    /** Of the first array, and of those after it. */
    private static final int LENGTH_FIRST = 8;

    private static final int LENGTH = 64;

    private static final Object[] NONE = new Object[1];

    /** The last element of each array is the next one. */
    private @Nullable Object[] head = NONE;

    private @Nullable Object[] tail = NONE;
    private int headAt;
    private int tailAt;
    private int size;

    public int size() {
        return size;
    }

    public boolean isEmpty() {
        return size == 0;
    }

    public void add(T element) {
        if (tailAt == tail.length - 1) {
            @Nullable Object[] next = new Object[(tail == NONE ? LENGTH_FIRST : LENGTH) + 1];
            if (size == 0) {
                head = next;
                headAt = 0;
            } else {
                tail[tailAt] = next;
            }
            tail = next;
            tailAt = 0;
        }
        tail[tailAt++] = element;
        size++;
    }

    /** The first; null when it is empty. */
    @SuppressWarnings("unchecked")
    public @Nullable T peek() {
        return size == 0 ? null : (T) head[headAt];
    }

    /** Takes out the first; null when it is empty. */
    public @Nullable T poll() {
        T first = peek();
        if (first != null) {
            head[headAt++] = null;
            size--;
            if (headAt == head.length - 1 && size > 0) {
                head = (Object[]) Objects.requireNonNull(head[headAt]);
                headAt = 0;
            }
        }
        return first;
    }

    /** Visits all, from the first on. */
    @SuppressWarnings("unchecked")
    public void forEach(Consumer<? super T> visitor) {
        @Nullable Object[] array = head;
        int at = headAt;
        for (int left = size; left > 0; left--) {
            visitor.accept((T) Objects.requireNonNull(array[at++]));
            if (at == array.length - 1 && left > 1) {
                array = (Object[]) Objects.requireNonNull(array[at]);
                at = 0;
            }
        }
    }

    public boolean contains(T element) {
        boolean[] found = new boolean[1];
        forEach(each -> found[0] |= each == element);
        return found[0];
    }

    public void clear() {
        head = NONE;
        tail = NONE;
        headAt = 0;
        tailAt = 0;
        size = 0;
    }
}
