package io.godwit.cluster.question;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.transport.NodeStart;
import io.godwit.cluster.transport.Outgoing;
import io.godwit.cluster.transport.TestLink;
import io.godwit.core.operation.ByteReader;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Questions between two nodes: each has one end, whatever becomes of the link between them. */
class QuestionsTest {
    private long nowMs;
    private final Deque<Runnable> tasks = new ArrayDeque<>();
    private final Questions asking = new Questions(tasks::add, () -> nowMs);
    private final Questions asked = new Questions(tasks::add, () -> nowMs);
    private Link there = new Link(2);
    private Link back = new Link(1);

    /** Records how each question ended, by its number in this test. */
    private final Map<Integer, List<String>> ends = new HashMap<>();

    private int numbers;

    /** Keeps what was offered until it is delivered. */
    private static final class Link extends TestLink {
        private final int peer;
        final Deque<Outgoing> sent = new ArrayDeque<>();
        boolean isFull;

        Link(int peer) {
            this.peer = peer;
        }

        @Override
        public NodeStart peer() {
            return new NodeStart(peer, 1);
        }

        @Override
        public boolean offer(Outgoing message) {
            return !isFull && sent.add(message);
        }

        byte[] next() {
            return bytes(sent.remove());
        }
    }

    private void open() {
        there = new Link(2);
        back = new Link(1);
        asking.onUp(there);
        asked.onUp(back);
    }

    private void run() {
        while (!tasks.isEmpty()) {
            tasks.remove().run();
        }
    }

    private boolean deliver(Link by) {
        if (by.sent.isEmpty()) {
            return false;
        }
        Outgoing message = by.sent.element();
        boolean isThere = by == there;
        (isThere ? asked : asking)
                .onMessage(isThere ? back : there, message.type(), new ByteReader(by.next()));
        run();
        return true;
    }

    private void settle() {
        do {
            run();
        } while (deliver(there) | deliver(back));
    }

    private int ask(String question) {
        return ask(question.getBytes(UTF_8));
    }

    private int ask(byte[] question) {
        int number = ++numbers;
        List<String> end = new ArrayList<>();
        ends.put(number, end);
        asking.ask(
                2,
                question,
                new Reply() {
                    @Override
                    public void onAnswer(byte[] body) {
                        end.add(new String(body, UTF_8));
                    }

                    @Override
                    public void onFailure(QuestionFailure failure) {
                        assertThat(failure.server()).isEqualTo(2);
                        end.add(failure.cause() + failure.text());
                    }
                });
        return number;
    }

    private void echo() {
        asked.answerer((question, answer) ->
                answer.answered(("re: " + new String(question, UTF_8)).getBytes(UTF_8)));
    }

    @Test
    void a_question_is_answered() {
        open();
        echo();
        int first = ask("a");
        int second = ask("b");
        settle();
        assertThat(ends.get(first)).containsExactly("re: a");
        assertThat(ends.get(second)).containsExactly("re: b");
    }

    @Test
    void a_node_without_a_link_fails_the_question_at_once() {
        assertThat(ends.get(ask("a"))).containsExactly("AWAY");
    }

    @Test
    void a_silent_node_fails_questions_until_it_is_heard() {
        open();
        echo();
        int open = ask("a");
        asking.onSilent(there);
        assertThat(ends.get(open)).containsExactly("AWAY");
        assertThat(ends.get(ask("b"))).containsExactly("AWAY");
        settle();
        asking.onHeard(there);
        int heard = ask("c");
        settle();
        assertThat(ends.get(heard)).containsExactly("re: c");
        assertThat(ends.get(open)).hasSize(1);
    }

    @Test
    void the_end_of_a_link_fails_what_went_by_it_and_nothing_of_the_next_one() {
        open();
        echo();
        int before = ask("a");
        Link old = there;
        open();
        asking.onDown(old);
        assertThat(ends.get(before)).isEmpty(); // The newer link had replaced it.
        int after = ask("b");
        settle();
        assertThat(ends.get(after)).containsExactly("re: b");
    }

    @Test
    void a_question_that_is_not_answered_in_time_fails_and_its_late_answer_is_dropped() {
        open();
        List<Answerer.Answer> kept = new ArrayList<>();
        asked.answerer((question, answer) -> kept.add(answer));
        int late = ask("a");
        settle();
        nowMs += Questions.TIME_MS - 1;
        asking.onTick();
        assertThat(ends.get(late)).isEmpty();
        nowMs++;
        asking.onTick();
        assertThat(ends.get(late)).containsExactly("TIMEOUT");
        kept.getFirst().answered("re".getBytes(UTF_8));
        settle();
        assertThat(ends.get(late)).hasSize(1);
    }

    @Test
    void what_is_beyond_the_bound_of_open_questions_waits_for_an_answer() {
        open();
        List<Answerer.Answer> kept = new ArrayList<>();
        asked.answerer((question, answer) -> kept.add(answer));
        for (int i = 0; i < Questions.OPEN_MAX; i++) {
            ask("a");
        }
        int waits = ask("b");
        settle();
        assertThat(kept).hasSize(Questions.OPEN_MAX);
        kept.getFirst().answered("re".getBytes(UTF_8));
        settle();
        assertThat(kept).hasSize(Questions.OPEN_MAX + 1);
        assertThat(ends.get(waits)).isEmpty();
        kept.getLast().answered("re b".getBytes(UTF_8));
        settle();
        assertThat(ends.get(waits)).containsExactly("re b");
    }

    @Test
    void questions_that_wait_are_bounded_in_bytes_and_fail_with_the_others() {
        open();
        asked.answerer((question, answer) -> {});
        List<Integer> numbersOf = new ArrayList<>();
        for (int i = 0; i < Questions.OPEN_MAX; i++) {
            numbersOf.add(ask("a"));
        }
        byte[] large = new byte[Questions.BYTES_MAX - 200];
        for (int i = 0; i < Questions.WAITING_BYTES_MAX / Questions.BYTES_MAX; i++) {
            numbersOf.add(ask(large));
        }
        assertThat(ends.get(ask("b"))).containsExactly("FULL");
        assertThat(asking.bytes()).isEqualTo(Questions.WAITING_BYTES_MAX);
        nowMs += Questions.TIME_MS;
        asking.onTick();
        assertThat(numbersOf)
                .allSatisfy(each -> assertThat(ends.get(each)).containsExactly("TIMEOUT"));
        assertThat(asking.bytes()).isZero();
        assertThat(ends.get(ask("c"))).isEmpty();
    }

    @Test
    void a_node_works_on_no_more_questions_than_the_bound_when_the_one_that_asks_gives_them_up() {
        open();
        List<Answerer.Answer> kept = new ArrayList<>();
        asked.answerer((question, answer) -> kept.add(answer));
        for (int i = 0; i < Questions.OPEN_MAX; i++) {
            ask("a");
        }
        settle();
        nowMs += Questions.TIME_MS;
        asking.onTick();
        int more = ask("b");
        settle();
        assertThat(ends.get(more).getFirst()).startsWith("REFUSED");
        assertThat(kept).hasSize(Questions.OPEN_MAX);
    }

    @Test
    void what_is_larger_than_the_bound_is_not_sent() {
        open();
        asked.answerer((question, answer) -> answer.answered(new byte[Questions.BYTES_MAX + 1]));
        assertThat(ends.get(ask(new byte[Questions.BYTES_MAX + 1]))).containsExactly("FULL");
        int large = ask("a");
        settle();
        assertThat(ends.get(large).getFirst()).startsWith("REFUSED");
    }

    @Test
    void a_link_without_room_fails_the_question() {
        open();
        there.isFull = true;
        assertThat(ends.get(ask("a"))).containsExactly("FULL");
    }

    @Test
    void what_throws_or_has_no_answer_refuses() {
        open();
        int none = ask("a");
        settle();
        assertThat(ends.get(none).getFirst()).startsWith("REFUSED");
        asked.answerer((question, answer) -> {
            throw new IllegalStateException("broken");
        });
        int thrown = ask("b");
        settle();
        assertThat(ends.get(thrown).getFirst()).contains("REFUSED").contains("broken");
    }

    @Test
    void of_several_answers_to_one_question_the_first_counts() {
        open();
        asked.answerer((question, answer) -> {
            answer.answered("1".getBytes(UTF_8));
            answer.answered("2".getBytes(UTF_8));
            answer.failed("3");
        });
        int twice = ask("a");
        settle();
        int again = ask("b");
        settle();
        assertThat(ends.get(twice)).containsExactly("1");
        assertThat(ends.get(again)).containsExactly("1");
    }

    /** Links come and go, are silent and full; answers come late, never, or twice. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void each_question_ends_exactly_once(long seed) {
        RandomGenerator random = new SplittableRandom(seed);
        List<Answerer.Answer> kept = new ArrayList<>();
        asked.answerer((question, answer) -> {
            switch (random.nextInt(4)) {
                case 0 -> kept.add(answer);
                case 1 -> answer.failed("no");
                default -> answer.answered(question);
            }
        });
        open();
        for (int i = 0; i < 20_000; i++) {
            switch (random.nextInt(14)) {
                case 0 -> {
                    if (random.nextInt(20) == 0) {
                        asking.onDown(there);
                        asked.onDown(back);
                        open();
                    }
                }
                case 1 -> {
                    if (random.nextInt(10) == 0) {
                        asking.onSilent(there);
                    }
                }
                case 2, 3 -> asking.onHeard(there);
                case 4 -> {
                    nowMs += random.nextInt(1_500);
                    asking.onTick();
                }
                case 5 -> there.isFull = random.nextInt(4) == 0;
                case 6 -> {
                    if (!kept.isEmpty()) {
                        Answerer.Answer answer = kept.remove(random.nextInt(kept.size()));
                        answer.answered(new byte[0]);
                        answer.answered(new byte[0]);
                        run();
                    }
                }
                case 7, 8, 9 -> deliver(there);
                case 10, 11 -> deliver(back);
                default -> ask("q" + i);
            }
        }
        nowMs += Questions.TIME_MS;
        asking.onTick();
        settle();
        assertThat(ends.values()).allSatisfy(end -> assertThat(end).hasSize(1));
        assertThat(ends.values().stream().map(List::getFirst).map(QuestionsTest::kind))
                .contains("AWAY", "TIMEOUT", "FULL", "REFUSEDno", "answer");
    }

    private static String kind(String end) {
        return end.isEmpty() || end.startsWith("q") ? "answer" : end;
    }
}
