package io.godwit.chaos;

import io.godwit.conformance.wire.Bytes;
import io.godwit.conformance.wire.Frame;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SplittableRandom;

/** What a client subscribes to; what is not answered is asked again after a reconnect. */
final class Subscriptions {
    private static final int CHURN_MS = 150;

    private record Request(String filter, int qos, boolean subscribes) {}

    private final Client client;
    private final Target target;
    private final Habits habits;
    private final SplittableRandom random;
    private final Map<Integer, Request> asked = new LinkedHashMap<>();
    private int packetIdLast = Client.PUBLISH_IDS;
    private boolean begun;
    private boolean churnedIn;
    private long nextChurnMs;
    private boolean stopped;

    Subscriptions(Client client, Target target, Habits habits, SplittableRandom random) {
        this.client = client;
        this.target = target;
        this.habits = habits;
        this.random = random;
    }

    /** The session is there: asks for what it has not, or again for what was not answered. */
    void begin() {
        if (!begun) {
            begun = true;
            habits.filters().forEach((filter, qos) -> ask(new Request(filter, qos, true)));
        } else {
            asked.forEach(this::send);
        }
    }

    /** The broker has lost the session. */
    void forget() {
        asked.clear();
        begun = false;
        churnedIn = false;
    }

    void tick(long nowMs) {
        String filter = habits.churning();
        if (filter != null && !stopped && asked.isEmpty() && nowMs >= nextChurnMs) {
            nextChurnMs = nowMs + random.nextInt(2 * CHURN_MS);
            churnedIn = !churnedIn;
            ask(new Request(filter, 2, churnedIn));
        }
    }

    private void ask(Request request) {
        packetIdLast = packetIdLast == 0xFFFF ? Client.PUBLISH_IDS + 1 : packetIdLast + 1;
        asked.put(packetIdLast, request);
        send(packetIdLast, request);
    }

    private void send(int packetId, Request request) {
        byte[] id = Bytes.u16(packetId);
        byte[] properties = habits.v5() ? Bytes.u8(0) : new byte[0];
        String shared = habits.group() == null ? "" : "$share/" + habits.group() + "/";
        byte[] filter = Bytes.utf8(shared + request.filter());
        client.note(request.subscribes() ? "subscribes" : "unsubscribes", request.filter());
        if (request.subscribes()) {
            target.subscribing(request.filter(), request.qos());
            client.send(Bytes.packet(0x82, id, properties, filter, Bytes.u8(request.qos())));
        } else {
            target.unsubscribing(request.filter());
            client.send(Bytes.packet(0xA2, id, properties, filter));
        }
    }

    void onAnswer(Frame.SubAck answer, boolean subscribes) {
        Request request = asked.remove(answer.packetId());
        if (request == null || request.subscribes() != subscribes) {
            client.broken("an answer to a SUBSCRIBE or UNSUBSCRIBE that it did not send");
        } else if (answer.codes().contains(failed())) {
            client.note("is refused", request.filter());
            client.scene().tally().count(Happening.REFUSED);
            asked.put(answer.packetId(), request); // again on the next connection
        } else if (subscribes) {
            if (answer.codes().get(0) != request.qos()) {
                client.broken("SUBACK with " + answer.codes() + " to " + request);
            }
            client.note("has SUBACK for", request.filter());
            client.scene().tally().count(Happening.SUBSCRIBED);
            if (client.scene().checker().apart.isSome()) {
                client.scene().tally().count(Happening.SUBSCRIBED_WHILE_CUT);
            }
            target.subscribed(request.filter());
        } else {
            client.note("has UNSUBACK for", request.filter());
            client.scene().tally().count(Happening.UNSUBSCRIBED);
            target.unsubscribed(request.filter());
        }
    }

    /** Implementation specific error: the broker's disk has failed. */
    private int failed() {
        return habits.v5() ? 0x83 : 0x80;
    }

    /** No more changes. */
    void stop() {
        stopped = true;
    }

    boolean idle() {
        return begun && asked.isEmpty();
    }
}
