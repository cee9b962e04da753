package io.godwit.chaos;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Who a message is; the beginning of its payload says the same.
 *
 * @param qos that it was published with
 * @param seq rises by 1 from 1 per publisher, topic and QoS
 */
record Mark(int publisher, String topic, int qos, int seq) {
    private static final int FIELDS = 4;

    /** What order is promised for. */
    record StreamKey(int publisher, String topic, int qos) {}

    StreamKey stream() {
        return new StreamKey(publisher, topic, qos);
    }

    /**
     * @param filler bytes behind the mark
     */
    byte[] payload(int filler) {
        byte[] head =
                (publisher + "|" + topic + "|" + qos + "|" + seq + "|")
                        .getBytes(StandardCharsets.US_ASCII);
        byte[] payload = Arrays.copyOf(head, head.length + filler);
        Arrays.fill(payload, head.length, payload.length, (byte) 'x');
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
        for (int i = ends[FIELDS - 1] + 1; i < payload.length; i++) {
            if (payload[i] != 'x') {
                return null;
            }
        }
        String[] fields =
                new String(payload, 0, ends[FIELDS - 1], StandardCharsets.US_ASCII).split("\\|");
        try {
            return new Mark(
                    Integer.parseInt(fields[0]),
                    fields[1],
                    Integer.parseInt(fields[2]),
                    Integer.parseInt(fields[3]));
        } catch (NumberFormatException e) {
            return null;
        }
    }

    @Override
    public String toString() {
        return "p" + publisher + " " + topic + " q" + qos + " #" + seq;
    }
}
