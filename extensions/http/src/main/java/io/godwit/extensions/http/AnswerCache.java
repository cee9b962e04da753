package io.godwit.extensions.http;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * Remembers answers as long as they hold; beyond its bounds the one that was used longest ago goes.
 * Questions are identified by an HMAC under a key of the process, so that no password stays in
 * memory.
 */
final class AnswerCache {
    /** Of the responses, whatever their number. */
    static final int BYTES_MAX = 16 << 20;

    private static final String HMAC = "HmacSHA256";
    private static final int ENTRY_BYTES = 300;

    private record Entry(CachedVerdict cached, int bytes) {}

    private final int max;
    private final SecretKeySpec secret;
    private final Map<ByteBuffer, Entry> entries = new LinkedHashMap<>(16, 0.75f, true);
    private long bytes;

    /**
     * @param max answers; 0: none
     */
    AnswerCache(int max) {
        this.max = max;
        byte[] random = new byte[32];
        new SecureRandom().nextBytes(random);
        this.secret = new SecretKeySpec(random, HMAC);
    }

    /** Returns what the answer to a question is remembered by. */
    ByteBuffer keyOf(Question question) {
        try {
            Mac mac = Mac.getInstance(HMAC);
            mac.init(secret);
            return ByteBuffer.wrap(mac.doFinal(question.body()));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e); // Every JDK has it.
        }
    }

    synchronized @Nullable CachedVerdict get(ByteBuffer key, long nowNanos) {
        Entry entry = entries.get(key);
        if (entry == null) return null;
        if (!entry.cached.remaining(nowNanos).isZero()) return entry.cached;
        entries.remove(key);
        bytes -= entry.bytes;
        return null;
    }

    /**
     * Remembers an answer, if it may be.
     *
     * @param bodyBytes of the response that it was in
     */
    synchronized void put(ByteBuffer key, CachedVerdict cached, int bodyBytes) {
        if (cached.forNanos() <= 0 || max == 0) return;
        Entry entry = new Entry(cached, ENTRY_BYTES + bodyBytes);
        Entry before = entries.put(key, entry);
        bytes += entry.bytes - (before == null ? 0 : before.bytes);
        Iterator<Entry> oldest = entries.values().iterator();
        while (entries.size() > max || bytes > BYTES_MAX) {
            bytes -= oldest.next().bytes;
            oldest.remove();
        }
    }

    synchronized int size() {
        return entries.size();
    }
}
