package io.godwit.chaos;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * Tells messages apart; the beginning of its payload says the same.
 *
 * @param qos that it was published with
 * @param seq rises by 1 from 1 per publisher, topic and QoS
 */
record Mark(int publisher, String topic, int qos, int seq) {
    private static final int FIELDS = 4;
    private static final int FILLER_MAX = 64 << 10;

    /** What payloads are filled with: other bytes for each, since a store may compress. */
    private static final byte[] NOISE = new byte[1 << 20];

    static {
        new SplittableRandom(1).nextBytes(NOISE);
    }

    private static int noiseFrom(int seq) {
        return (int) (seq * 104_729L % (NOISE.length - FILLER_MAX));
    }

    /** What order is promised for. */
    record StreamKey(int publisher, String topic, int qos) {}

    StreamKey stream() {
        return new StreamKey(publisher, topic, qos);
    }

    /**
     * @param filler bytes behind the mark, at most 64 KiB
     */
    byte[] payload(int filler) {
        byte[] head =
                (publisher + "|" + topic + "|" + qos + "|" + seq + "|")
                        .getBytes(StandardCharsets.US_ASCII);
        byte[] payload = Arrays.copyOf(head, head.length + filler);
        System.arraycopy(NOISE, noiseFrom(seq), payload, head.length, filler);
        return payload;
    }

    /** Null when no client of a run can have sent this. */
    static @Nullable Mark parse(byte[] payload) {
        int[] ends = new int[FIELDS];
        int found = 0;
        for (int i = 0; i < payload.length && found < FIELDS; i++) {
            if (payload[i] == '|') {
                ends[found++] = i;
            }
        }
        if (found < FIELDS) {
            return null;
        }
        String[] fields =
                new String(payload, 0, ends[FIELDS - 1], StandardCharsets.US_ASCII)
                        .split("\\|", -1);
        try {
            Mark mark =
                    new Mark(
                            Integer.parseInt(fields[0]),
                            fields[1],
                            Integer.parseInt(fields[2]),
                            Integer.parseInt(fields[3]));
            int begin = ends[FIELDS - 1] + 1;
            int from = noiseFrom(mark.seq);
            int filler = Math.min(payload.length - begin, FILLER_MAX);
            boolean whole =
                    Arrays.equals(payload, begin, payload.length, NOISE, from, from + filler);
            return whole ? mark : null;
        } catch (NumberFormatException e) {
            return null;
        }
    }

    @Override
    public String toString() {
        return "p" + publisher + " " + topic + " q" + qos + " #" + seq;
    }
}
