package io.godwit.server.reload;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Counts the heap that takes what was read from files: users, rules, revocation lists. It is
 * estimated by the size of the files, so that one that does not fit is refused before it is parsed.
 * Any thread.
 */
public final class FileMemory {
    private final long bytesMax;

    /** Guarded by this. */
    private final Map<String, Long> parts = new HashMap<>();

    private volatile long bytes;

    /**
     * @param bytesMax that all parts together may take
     */
    public FileMemory(long bytesMax) {
        this.bytesMax = bytesMax;
    }

    /** Returns one that refuses nothing: for a command that reads a file and ends. */
    public static FileMemory unbounded() {
        return new FileMemory(Long.MAX_VALUE);
    }

    /**
     * Says why a part can't have so many bytes in place of those that it has; null: it can.
     *
     * @param part as {@link #set} is told
     */
    public synchronized @Nullable String mistake(String part, long partBytes) {
        long others = bytes - parts.getOrDefault(part, 0L);
        if (partBytes <= bytesMax - others) {
            return null;
        }
        return "takes about "
                + mib(partBytes)
                + " MiB of memory, and "
                + mib(Math.max(0, bytesMax - others))
                + " MiB are left for it: users, rules and revocation lists may take an eighth of the"
                + " Java heap (node.memory)";
    }

    /** Counts a part that is used now in place of what it was. */
    public synchronized void set(String part, long partBytes) {
        Long before = parts.put(part, partBytes);
        bytes += partBytes - (before == null ? 0 : before);
    }

    /** Bytes of all parts. */
    public long bytes() {
        return bytes;
    }

    private static long mib(long bytes) {
        return (bytes + (1 << 20) - 1) >> 20;
    }
}
