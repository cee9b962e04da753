package io.godwit.core.codec;

import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import java.util.SplittableRandom;

/** Strings, topics and filters that MQTT allows, from one seed: short, long, and of any script. */
final class RandomText {
    private static final int[] SPECIAL = {
        0x01, 0x1F, 0x7F, 0x80, 0x7FF, 0x800, 0xD7FF, 0xE000, 0xFEFF, 0xFFFD, 0xFFFF, 0x10000,
        0x10FFFF
    };

    private final SplittableRandom random;
    private final boolean hasLong;

    /**
     * @param hasLong whether some strings and payloads are long
     */
    RandomText(SplittableRandom random, boolean hasLong) {
        this.random = random;
        this.hasLong = hasLong;
    }

    /** 0 to some hundred characters; now and then as many bytes as fit. */
    String string() {
        int kind = random.nextInt(200);
        if (kind == 0 && hasLong) {
            return "x".repeat(0xFFFF);
        }
        if (kind < 30) {
            return "";
        }
        return string(kind < 40 && hasLong ? random.nextInt(400) : 1 + random.nextInt(12), "");
    }

    /** A Topic Name. */
    Topic topic() {
        return Topic.of(levels("+#"));
    }

    /** A Topic Filter; one in four is shared. */
    TopicFilter filter() {
        String filter = levels("+#");
        if (random.nextInt(3) == 0) {
            filter = (random.nextBoolean() ? "+/" : "") + filter + "/+";
        }
        if (random.nextInt(3) == 0) {
            filter = random.nextInt(4) == 0 ? "#" : filter + "/#";
        }
        if (random.nextInt(4) == 0) {
            filter = "$share/" + string(1 + random.nextInt(6), "+#/") + "/" + filter;
        }
        return TopicFilter.of(filter);
    }

    byte[] bytes() {
        byte[] bytes =
                new byte
                        [hasLong && random.nextInt(20) == 0
                                ? random.nextInt(3000)
                                : random.nextInt(9)];
        random.nextBytes(bytes);
        return bytes;
    }

    private String levels(String without) {
        StringBuilder levels = new StringBuilder();
        int count = 1 + random.nextInt(5);
        for (int i = 0; i < count; i++) {
            levels.append(i == 0 ? "" : "/").append(string(random.nextInt(7), without));
        }
        return levels.isEmpty() ? "t" : levels.toString();
    }

    private String string(int characters, String without) {
        StringBuilder text = new StringBuilder();
        boolean isAscii = random.nextInt(3) > 0;
        while (text.length() < characters) {
            int c = isAscii ? 0x20 + random.nextInt(0x5F) : codePoint();
            if (without.indexOf(c) < 0) {
                text.appendCodePoint(c);
            }
        }
        return text.toString();
    }

    private int codePoint() {
        if (random.nextInt(3) == 0) {
            return SPECIAL[random.nextInt(SPECIAL.length)];
        }
        int c = 1 + random.nextInt(random.nextBoolean() ? 0xFFFF : 0x10FFFF);
        return c >= 0xD800 && c <= 0xDFFF ? 'x' : c;
    }
}
