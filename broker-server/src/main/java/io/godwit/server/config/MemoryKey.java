package io.godwit.server.config;

import java.util.Map;

/** {@code node.memory}, for who sizes the process that then loads everything. */
public final class MemoryKey {
    public static final String NAME = "node.memory";
    static final Quantity TYPE = Quantity.bytes(256L << 20, Long.MAX_VALUE).orZero();

    private MemoryKey() {}

    /**
     * @param texts of {@link FewKeys}
     * @return bytes; 0 when it is not set, or not as it must be: {@link ConfigLoader} says what is
     *     wrong
     */
    public static long bytes(Map<String, String> texts) {
        String text = texts.get(NAME);
        return text == null ? 0 : TYPE.parse(text).orElse(0L);
    }
}
