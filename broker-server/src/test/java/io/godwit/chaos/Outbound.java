package io.godwit.chaos;

import io.godwit.conformance.wire.Bytes;
import io.godwit.conformance.wire.Frame;
import io.godwit.conformance.wire.PublishBytes;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/** What a client publishes, and its half of the session state for that [MQTT 4.1, 4.4]. */
final class Outbound {
    private static final int LARGE = 16 << 10;

    private enum Awaits {
        PUBACK,
        PUBREC,
        PUBCOMP
    }

    private record Flight(Mark mark, int filler, boolean retain, Awaits awaits) {}

    private final Client client;
    private final Habits habits;
    private final SplittableRandom random;
    private final Map<Integer, Flight> flights = new LinkedHashMap<>();
    private final Map<Mark.StreamKey, Integer> last = new HashMap<>();
    private int packetIdLast;
    private long nextMs;
    private boolean paused;

    Outbound(Client client, Habits habits, SplittableRandom random) {
        this.client = client;
        this.habits = habits;
        this.random = random;
    }

    /** Publishes what is due. */
    void tick(long nowMs) {
        if (habits.perSecond() == 0 || paused) {
            return;
        }
        nextMs = Math.max(nextMs, nowMs - 50); // what a pause held up does not come as one burst
        while (nextMs <= nowMs && flights.size() < habits.window()) {
            nextMs += Math.max(1, random.nextInt(2 * 1000 / habits.perSecond() + 1));
            publishNext();
        }
    }

    private void publishNext() {
        boolean retain = !habits.retained().isEmpty() && random.nextInt(8) == 0;
        List<String> topics = retain ? habits.retained() : habits.topics();
        String topic = topics.get(random.nextInt(topics.size()));
        if (retain && flights.values().stream().anyMatch(f -> f.mark().topic().equals(topic))) {
            return; // with one at a time the acknowledged value is known
        }
        int qos =
                retain ? Retained.qosOf(topic) : random.nextInt(5) == 0 ? 0 : 1 + random.nextInt(2);
        int small = random.nextInt(50) == 0 ? random.nextInt(LARGE) : random.nextInt(200);
        int filler = habits.bulkBytes() > 0 ? habits.bulkBytes() : small;
        publish(topic, qos, filler, retain);
    }

    /** Publishes one message now. */
    void publish(String topic, int qos, int filler, boolean retain) {
        Mark.StreamKey stream = new Mark.StreamKey(client.number(), topic, qos);
        Mark mark = new Mark(client.number(), topic, qos, last.merge(stream, 1, Integer::sum));
        Flight flight = new Flight(mark, filler, retain, qos == 1 ? Awaits.PUBACK : Awaits.PUBREC);
        int packetId = 0;
        if (qos > 0) {
            packetId = newPacketId();
            flights.put(packetId, flight);
        }
        client.scene().tally().count(SENT[qos]);
        send(flight, packetId, false);
    }

    private static final Happening[] SENT = {
        Happening.SENT_QOS0, Happening.SENT_QOS1, Happening.SENT_QOS2
    };

    private int newPacketId() {
        do {
            packetIdLast = packetIdLast % Client.PUBLISH_IDS + 1;
        } while (flights.containsKey(packetIdLast));
        return packetIdLast;
    }

    private void send(Flight flight, int packetId, boolean dup) {
        Mark mark = flight.mark();
        PublishBytes packet =
                habits.v5() ? PublishBytes.v5(mark.topic()) : PublishBytes.v311(mark.topic());
        if (mark.qos() > 0) {
            packet.qos(mark.qos(), packetId);
        }
        if (dup) {
            packet.dup();
        }
        if (flight.retain()) {
            packet.retain();
            client.scene().retained().sent(mark);
        }
        boolean deletes = flight.retain() && Retained.deletes(mark.seq());
        packet.payload(deletes ? new byte[0] : mark.payload(flight.filler()));
        if (!flight.retain()) {
            client.scene().checker().sent(mark);
        }
        client.note(dup ? "sends again" : "sends", mark, packetId);
        client.send(packet.bytes());
    }

    /** The session goes on: what is unacknowledged goes out again, in its old order. */
    void resume() {
        flights.forEach((packetId, flight) -> {
            if (flight.awaits() == Awaits.PUBCOMP) {
                client.scene().tally().count(Happening.RESUMED_AT_PUBREL_SENT);
                release(packetId);
            } else {
                client.scene()
                        .tally()
                        .count(
                                flight.awaits() == Awaits.PUBREC
                                        ? Happening.RESUMED_AT_PUBLISH_SENT
                                        : Happening.RESENT_QOS1);
                send(flight, packetId, true);
            }
        });
    }

    /** The broker has forgotten the session. */
    void forget() {
        flights.clear();
    }

    void onPubAck(Frame.Ack ack) {
        Flight flight = flights.get(ack.packetId());
        if (flight == null || flight.awaits() != Awaits.PUBACK) {
            client.broken("PUBACK for id " + ack.packetId() + ", which awaits none");
            return;
        }
        flights.remove(ack.packetId());
        acknowledged(flight, ack);
    }

    void onPubRec(Frame.Ack ack) {
        Flight flight = flights.get(ack.packetId());
        if (flight == null || flight.awaits() == Awaits.PUBACK) {
            client.broken("PUBREC for id " + ack.packetId() + ", which awaits none");
            return;
        }
        if (flight.awaits() == Awaits.PUBREC) {
            if (!acknowledged(flight, ack)) {
                flights.remove(ack.packetId());
                return;
            }
            flights.put(
                    ack.packetId(), new Flight(flight.mark(), 0, flight.retain(), Awaits.PUBCOMP));
        }
        release(ack.packetId());
    }

    private boolean acknowledged(Flight flight, Frame.Ack ack) {
        if (ack.reason() >= 0x80) {
            client.scene().tally().count(Happening.REFUSED);
            client.note("was refused (" + Integer.toHexString(ack.reason()) + ")", flight.mark());
            return false;
        }
        client.scene().tally().count(Happening.ACKNOWLEDGED);
        client.note("has the acknowledgement of", flight.mark());
        if (flight.retain()) {
            client.scene().retained().acked(flight.mark());
        } else {
            client.scene().checker().acked(flight.mark());
        }
        return true;
    }

    private void release(int packetId) {
        client.send(Bytes.packet(0x62, Bytes.u16(packetId)));
    }

    void onPubComp(Frame.Ack ack) {
        Flight flight = flights.get(ack.packetId());
        if (flight == null || flight.awaits() != Awaits.PUBCOMP) {
            client.broken("PUBCOMP for id " + ack.packetId() + ", which awaits none");
            return;
        }
        flights.remove(ack.packetId());
    }

    /** Whether it publishes nothing new for now. */
    void pause(boolean now) {
        paused = now;
    }

    /** How many PUBLISHes have no PUBACK or PUBREC yet. */
    int unacknowledged() {
        return (int) flights.values().stream().filter(f -> f.awaits() != Awaits.PUBCOMP).count();
    }

    boolean idle() {
        return flights.isEmpty();
    }

    @Override
    public String toString() {
        return flights.toString();
    }
}
