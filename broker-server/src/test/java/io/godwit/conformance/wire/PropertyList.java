package io.godwit.conformance.wire;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Properties of a received packet, in their order. */
public record PropertyList(List<Property> all) {
    public static final PropertyList NONE = new PropertyList(List.of());

    /**
     * @param value strings and binary data without their length
     */
    public record Property(int id, byte[] value) {}

    public boolean has(int id) {
        return count(id) > 0;
    }

    public int count(int id) {
        return (int) all.stream().filter(p -> p.id() == id).count();
    }

    /** Fails unless the property is there exactly once. */
    public byte[] one(int id) {
        if (count(id) != 1) {
            throw new AssertionError("property 0x%02x is there %d times".formatted(id, count(id)));
        }
        return all.stream().filter(p -> p.id() == id).findFirst().orElseThrow().value();
    }

    public String text(int id) {
        return new String(one(id), StandardCharsets.UTF_8);
    }

    /** Integers of one, two or four bytes. */
    public long number(int id) {
        long value = 0;
        for (byte b : one(id)) {
            value = value << 8 | b & 0xFF;
        }
        return value;
    }

    public long numberOr(int id, long absent) {
        return has(id) ? number(id) : absent;
    }

    /** "name=value" of each User Property. */
    public List<String> userProperties() {
        return all.stream().filter(p -> p.id() == 0x26).map(p -> pair(p.value())).toList();
    }

    /** Subscription Identifiers, sorted. */
    public List<Integer> subscriptionIds() {
        return all.stream()
                .filter(p -> p.id() == 0x0B)
                .map(p -> new Cursor(p.value()).varInt())
                .sorted()
                .toList();
    }

    private static String pair(byte[] value) {
        var in = ByteBuffer.wrap(value);
        String name = string(in);
        return name + "=" + string(in);
    }

    private static String string(ByteBuffer in) {
        byte[] bytes = new byte[in.getShort() & 0xFFFF];
        in.get(bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
