package io.godwit.core.routing;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Entries in flight to one member by id: open addressing, nothing boxed. */
final class EntryTable {
    private static final @Nullable GroupEntry[] NONE = new GroupEntry[0];

    private @Nullable GroupEntry[] slots = NONE;
    private int size;

    int size() {
        return size;
    }

    void put(GroupEntry entry) {
        if (size * 2 >= slots.length) {
            grow();
        }
        insert(entry);
        size++;
    }

    @Nullable GroupEntry remove(long id) {
        int mask = slots.length - 1;
        if (mask < 0) {
            return null;
        }
        int gap = slot(id, mask);
        GroupEntry found = slots[gap];
        while (found != null && found.id != id) {
            gap = gap + 1 & mask;
            found = slots[gap];
        }
        if (found == null) {
            return null;
        }
        size--;
        int i = gap + 1 & mask;
        for (GroupEntry e = slots[i]; e != null; e = slots[i]) {
            int home = slot(e.id, mask);
            if ((i - home & mask) >= (i - gap & mask)) {
                slots[gap] = e;
                gap = i;
            }
            i = i + 1 & mask;
        }
        slots[gap] = null;
        return found;
    }

    /** Removes all of one QoS; in id order. */
    List<GroupEntry> removeAll(int qos) {
        List<GroupEntry> removed = new ArrayList<>();
        for (GroupEntry e : slots) {
            if (e != null && e.qos == qos) {
                removed.add(e);
            }
        }
        if (removed.size() == size) {
            slots = NONE;
            size = 0;
        } else {
            removed.forEach(e -> remove(e.id));
        }
        removed.sort(Comparator.comparingLong(e -> e.id));
        return removed;
    }

    void forEach(Consumer<GroupEntry> consumer) {
        for (GroupEntry e : slots) {
            if (e != null) {
                consumer.accept(e);
            }
        }
    }

    @Nullable GroupEntry get(long id) {
        int mask = slots.length - 1;
        if (mask < 0) {
            return null;
        }
        int i = slot(id, mask);
        GroupEntry found = slots[i];
        while (found != null && found.id != id) {
            i = i + 1 & mask;
            found = slots[i];
        }
        return found;
    }

    private void grow() {
        @Nullable GroupEntry[] before = slots;
        slots = new GroupEntry[Math.max(4, before.length * 2)];
        for (GroupEntry e : before) {
            if (e != null) {
                insert(e);
            }
        }
    }

    private void insert(GroupEntry entry) {
        int mask = slots.length - 1;
        int i = slot(entry.id, mask);
        while (slots[i] != null) {
            i = i + 1 & mask;
        }
        slots[i] = entry;
    }

    private static int slot(long id, int mask) {
        return (int) (id * 0x9E37_79B9_7F4A_7C15L >>> 40) & mask;
    }
}
