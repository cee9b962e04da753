package io.godwit.cluster.broker;

import io.godwit.cluster.leadership.SlotLeaders;
import io.godwit.cluster.question.Answerer;
import io.godwit.cluster.question.QuestionFailure;
import io.godwit.cluster.question.QuestionKinds;
import io.godwit.cluster.question.Questions;
import io.godwit.cluster.question.Reply;
import io.godwit.cluster.transport.NodeStart;
import io.godwit.core.group.HandOverAnswer;
import io.godwit.core.id.IngressId;
import io.godwit.core.node.Broker;
import io.godwit.core.node.BrokerShard;
import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.ByteWriter;
import io.godwit.core.operation.Ids;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.routing.TopicIndex;
import io.godwit.core.store.Receiver;
import io.godwit.core.time.Timer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Asks the leaders of sessions which entries, that shared groups of this node were handing over,
 * these sessions' queues have; and answers such questions of other nodes. Questions about one group
 * go to a node in pages. What nobody can say is for the group to ask again.
 *
 * <pre>
 * question  whole filter sized | count varint | each: receiver | ingress id
 * answer    for each of them a byte: the ordinal of {@link HandOverAnswer}
 * </pre>
 *
 * <p>On the shard that owns the topic index, except where it says otherwise.
 */
final class HandOverPages implements Answerer {
    /** Bytes after which a question ends: filter and last client id may be 64 KiB each. */
    private static final int PAGE_BYTES = 16 << 10;

    /** After so long an answer goes out: what a session has may wait to be kept. */
    private static final long ANSWER_MS = 2_000;

    private final Broker broker;
    private final BrokerShard owner;
    private final Questions questions;
    private final Supplier<SlotLeaders> leaders;

    /** By server id and filter, what is asked at the end of this turn. */
    private final Map<Place, List<Asked>> asked = new LinkedHashMap<>();

    private record Place(int server, TopicFilter group) {}

    private record Asked(Receiver to, IngressId id, Consumer<HandOverAnswer> taker) {}

    HandOverPages(Broker broker, Questions questions, Supplier<SlotLeaders> leaders) {
        this.broker = broker;
        this.owner = broker.shard(TopicIndex.OWNER);
        this.questions = questions;
        this.leaders = leaders;
    }

    // ---------------------------------------------------------------- questions

    /**
     * Asks the leader of a session; any thread.
     *
     * @param group whole filter
     * @param taker told once, on the shard that owns the topic index
     */
    void ask(TopicFilter group, Receiver to, IngressId id, Consumer<HandOverAnswer> taker) {
        owner.execute(() -> add(group, new Asked(to, id, taker)));
    }

    private void add(TopicFilter group, Asked one) {
        NodeStart leader = leaders.get().leader(one.to.clientId().slot());
        if (leader == null || leader.server() == owner.ids().server()) {
            one.taker.accept(HandOverAnswer.UNKNOWN);
            return;
        }
        if (asked.isEmpty()) {
            owner.execute(this::send);
        }
        Place place = new Place(leader.server(), group);
        asked.computeIfAbsent(place, any -> new ArrayList<>()).add(one);
    }

    private void send() {
        Map<Place, List<Asked>> all = new LinkedHashMap<>(asked);
        asked.clear();
        all.forEach((place, some) -> {
            List<Asked> page = new ArrayList<>();
            ByteWriter entries = new ByteWriter(PAGE_BYTES);
            for (Asked each : some) {
                Ids.receiver(entries, each.to);
                Ids.ingress(entries, each.id.server(), each.id.counter());
                page.add(each);
                if (entries.length() >= PAGE_BYTES) {
                    send(place, List.copyOf(page), entries.toBytes());
                    page.clear();
                    entries.clear();
                }
            }
            if (!page.isEmpty()) {
                send(place, List.copyOf(page), entries.toBytes());
            }
        });
    }

    private void send(Place place, List<Asked> page, byte[] entries) {
        ByteWriter to = new ByteWriter(64 + entries.length);
        to.sized(place.group.bytes()).varint(page.size()).raw(entries);
        questions.ask(
                place.server,
                QuestionKinds.question(QuestionKinds.Kind.HAND_OVERS, to.toBytes()),
                new Reply() {
                    @Override
                    public void onAnswer(byte[] body) {
                        for (int i = 0; i < page.size(); i++) {
                            int code = i < body.length ? body[i] : -1;
                            page.get(i).taker.accept(HandOverAnswer.of(code));
                        }
                    }

                    @Override
                    public void onFailure(QuestionFailure failure) {
                        page.forEach(each -> each.taker.accept(HandOverAnswer.UNKNOWN));
                    }
                });
    }

    // ---------------------------------------------------------------- answers

    @Override
    public void answer(byte[] question, Answer answer) {
        try {
            ByteReader from = new ByteReader(question);
            TopicFilter group = new TopicFilter(from.sized());
            int count = from.size();
            List<Asked> page = new ArrayList<>();
            Answering answering = new Answering(count, answer);
            for (int i = 0; i < count; i++) {
                int index = i;
                Receiver to = Ids.receiver(from);
                IngressId id = Ids.ingress(from);
                page.add(new Asked(to, id, is -> owner.execute(() -> answering.set(index, is))));
            }
            answering.begin();
            page.forEach(each -> broker.askHandedOver(group, each.to, each.id, each.taker));
        } catch (IndexOutOfBoundsException e) {
            answer.failed("the question can't be read");
        }
    }

    /** One answer, until all of it is known or time is over. */
    private final class Answering extends Timer {
        private final byte[] body;
        private final Answer answer;
        private int missing;

        Answering(int count, Answer answer) {
            this.body = new byte[count]; // HandOverAnswer.UNKNOWN
            this.answer = answer;
            this.missing = count;
        }

        void begin() {
            if (missing == 0) {
                answer.answered(body);
            } else {
                owner.timers().arm(this, owner.nowMs() + ANSWER_MS);
            }
        }

        void set(int index, HandOverAnswer is) {
            if (missing > 0) {
                body[index] = (byte) is.ordinal();
                if (--missing == 0) {
                    owner.timers().cancel(this);
                    answer.answered(body);
                }
            }
        }

        @Override
        protected void onTimer(long nowMs) {
            missing = 0;
            answer.answered(body);
        }
    }
}
