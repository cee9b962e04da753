package io.godwit.cluster.remote;

/**
 * Follows the packets that are written to a client by their Remaining Length (MQTT 5.0, 2.1.4), so
 * that a packet of the edge itself does not stand in the midst of another one.
 */
final class PacketBoundary {
    private static final int CONNACK = 2;
    private static final int DISCONNECT = 14;

    /** Index in CONNACK's body of its reason code; 0 is success. */
    private static final int REASON_INDEX = 1;

    private enum Place {
        BETWEEN,
        IN_LENGTH,
        IN_BODY
    }

    private Place place = Place.BETWEEN;
    private int type;
    private int shift;
    private int left;
    private int index;
    private boolean isConnected;
    private boolean isDisconnected;

    /** Follows bytes that are written to the client. */
    void follow(byte[] bytes, int from, int length) {
        int at = from;
        int end = from + length;
        while (at < end) {
            switch (place) {
                case BETWEEN -> begin(bytes[at++]);
                case IN_LENGTH -> length(bytes[at++]);
                case IN_BODY -> {
                    int count = Math.min(left, end - at);
                    body(bytes, at, count);
                    at += count;
                }
            }
        }
    }

    private void begin(byte first) {
        type = (first & 0xFF) >>> 4;
        shift = 0;
        left = 0;
        index = 0;
        place = Place.IN_LENGTH;
    }

    private void length(byte b) {
        left |= (b & 0x7F) << shift;
        shift += 7;
        if (b >= 0) {
            place = left == 0 ? Place.BETWEEN : Place.IN_BODY;
            isDisconnected |= type == DISCONNECT;
        }
    }

    private void body(byte[] bytes, int at, int count) {
        int reason = REASON_INDEX - index;
        if (type == CONNACK && reason >= 0 && reason < count) {
            isConnected = bytes[at + reason] == 0;
        }
        index += count;
        left -= count;
        if (left == 0) {
            place = Place.BETWEEN;
        }
    }

    /**
     * Whether a DISCONNECT may follow: the client has its CONNACK [MQTT-3.14.0-1], no DISCONNECT,
     * and no half packet.
     */
    boolean mayDisconnect() {
        return place == Place.BETWEEN && isConnected && !isDisconnected;
    }
}
