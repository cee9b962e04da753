package io.godwit.chaos;

import io.godwit.chaos.PacketRecord.Kind;
import io.godwit.chaos.PacketRecord.Seen;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;

/**
 * Finds whose fault it is when a stream of numbered QoS 2 messages does not come once and in order,
 * by what was on the wire.
 *
 * <p>A publisher that has sent PUBREL must not send that PUBLISH again [MQTT-4.3.3-6]: one that
 * does publishes a new message. A subscriber that is sent a PUBLISH again under its packet id,
 * before PUBREL, must not take it twice [MQTT-4.3.3-10].
 */
final class StreamJudge {
    /** What one side did wrong, in sentences. */
    record Verdict(int acknowledged, List<String> ofBroker, List<String> ofClients) {}

    /** How often each number was published as something new. */
    private final Map<Integer, Integer> published = new TreeMap<>();

    /** How often each number was delivered under a packet id of its own. */
    private final Map<Integer, Integer> delivered = new TreeMap<>();

    private final Set<Integer> acknowledged = new HashSet<>();
    private final Map<Integer, Integer> publishPackets = new HashMap<>();
    private final List<Integer> publishOrder = new ArrayList<>();
    private final List<Integer> deliveryOrder = new ArrayList<>();
    private final List<String> ofBroker = new ArrayList<>();
    private final List<String> ofClients = new ArrayList<>();

    private StreamJudge() {}

    /**
     * @param taken numbers that the subscribing application got
     */
    static Verdict judge(List<Seen> publisher, List<Seen> subscriber, List<Integer> taken) {
        StreamJudge judge = new StreamJudge();
        judge.published(publisher);
        judge.delivered(subscriber);
        judge.compare();
        judge.taken(taken);
        return new Verdict(judge.acknowledged.size(), judge.ofBroker, judge.ofClients);
    }

    /** An exchange that is open under a packet id. */
    private static final class Exchange {
        final int number;
        boolean released;

        Exchange(int number) {
            this.number = number;
        }
    }

    private void published(List<Seen> packets) {
        Map<Integer, Exchange> open = new HashMap<>();
        for (Seen each : packets) {
            Exchange now = open.get(each.packetId());
            switch (each.kind()) {
                case PUBLISH -> {
                    publishPackets.merge(each.number(), 1, Integer::sum);
                    if (now != null && !now.released && now.number == each.number()) {
                        continue; // The same once more.
                    }
                    if (published.merge(each.number(), 1, Integer::sum) == 1) {
                        publishOrder.add(each.number());
                    } else {
                        ofClients.add("the publisher sent " + each.number() + " anew after PUBREL");
                    }
                    open.put(each.packetId(), new Exchange(each.number()));
                }
                case PUBREC -> {
                    if (now != null) {
                        acknowledged.add(now.number);
                    }
                }
                case PUBREL -> {
                    if (now != null) {
                        now.released = true;
                    }
                }
                case PUBCOMP -> open.remove(each.packetId());
            }
        }
    }

    private void delivered(List<Seen> packets) {
        Map<Integer, Exchange> open = new HashMap<>();
        for (Seen each : packets) {
            Exchange now = open.get(each.packetId());
            if (each.kind() == Kind.PUBLISH) {
                if (now == null || now.released || now.number != each.number()) {
                    if (delivered.merge(each.number(), 1, Integer::sum) == 1) {
                        deliveryOrder.add(each.number());
                    }
                    open.put(each.packetId(), new Exchange(each.number()));
                }
            } else if (each.kind() == Kind.PUBREL && now != null) {
                now.released = true;
            } else if (each.kind() == Kind.PUBCOMP) {
                open.remove(each.packetId());
            }
        }
    }

    private void compare() {
        delivered.forEach((number, times) -> {
            int expected = published.getOrDefault(number, 0);
            if (times > expected) {
                ofBroker.add(
                        "%d was published %d times and delivered %d times"
                                .formatted(number, expected, times));
            }
        });
        for (int number : acknowledged) {
            if (!delivered.containsKey(number)) {
                ofBroker.add(number + " was acknowledged and never delivered");
            }
        }
        // One that was sent again has no place of its own: who knows which of them came through.
        List<Integer> sentOnce =
                publishOrder.stream()
                        .filter(n -> Objects.requireNonNull(publishPackets.get(n)) == 1)
                        .toList();
        Set<Integer> comparable = new HashSet<>(sentOnce);
        List<Integer> came = deliveryOrder.stream().filter(comparable::contains).toList();
        Set<Integer> there = new HashSet<>(came);
        List<Integer> wanted = sentOnce.stream().filter(there::contains).toList();
        for (int i = 0; i < wanted.size(); i++) {
            if (!wanted.get(i).equals(came.get(i))) {
                ofBroker.add(came.get(i) + " was delivered before " + wanted.get(i));
                return;
            }
        }
    }

    private void taken(List<Integer> numbers) {
        Map<Integer, Integer> times = new HashMap<>();
        numbers.forEach(number -> times.merge(number, 1, Integer::sum));
        delivered.forEach((number, expected) -> {
            int got = times.getOrDefault(number, 0);
            if (got > expected) {
                ofClients.add("the subscriber took " + number + " again when it came with DUP");
            } else if (got == 0) {
                ofClients.add("the subscriber never took " + number);
            }
        });
    }
}
