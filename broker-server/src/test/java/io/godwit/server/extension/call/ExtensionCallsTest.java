package io.godwit.server.extension.call;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class ExtensionCallsTest {
    private static final CallKind KIND = CallKind.AUTHENTICATE;

    private final SteppedCalls.Clock clock = new SteppedCalls.Clock();
    private final SteppedCalls extension = new SteppedCalls("ext", clock);
    private final ExtensionCalls calls = extension.calls;
    private final List<String> results = new ArrayList<>();
    private final List<AssertionError> wrongs = new ArrayList<>();

    @AfterEach
    void nothing_was_wrong_inside_of_calls() {
        assertThat(wrongs).isEmpty();
    }

    private final class Asking extends Call<String, String> {
        private final Callable<@Nullable CompletionStage<String>> question;

        Asking(Callable<@Nullable CompletionStage<String>> question) {
            super(KIND);
            this.question = question;
        }

        @Override
        @Nullable CompletionStage<String> ask() throws Exception {
            try {
                return question.call();
            } catch (AssertionError wrong) { // A call's errors are not the test's.
                wrongs.add(wrong);
                throw wrong;
            }
        }

        @Override
        String convert(String answer) throws BadAnswer {
            if (answer.equals("bad")) {
                throw new BadAnswer("bad is not allowed");
            }
            return answer + "!";
        }

        @Override
        void onAnswer(String answer) {
            results.add(answer);
        }

        @Override
        void onFailure(CallFailure cause) {
            results.add(cause.tag());
        }
    }

    /** A stage that tells twice. */
    private static final class Stuttering extends CompletableFuture<String> {
        @Override
        public CompletableFuture<String> whenComplete(
                BiConsumer<? super String, ? super Throwable> action) {
            action.accept("first", null);
            action.accept("second", null);
            return this;
        }
    }

    /** An exception that cannot be logged. */
    private static final class Unreadable extends Exception {
        private static final long serialVersionUID = 1;

        @Override
        public String getMessage() {
            throw new IllegalStateException("test");
        }
    }

    private void submit(Callable<@Nullable CompletionStage<String>> question) {
        calls.submit(new Asking(question));
    }

    private static CompletionStage<String> done(String answer) {
        return CompletableFuture.completedFuture(answer);
    }

    @Test
    void an_answer_arrives_and_is_counted_with_its_time() {
        submit(() -> {
            clock.passMs(5);
            return done("yes");
        });
        assertThat(results).isEmpty();

        extension.runAll();

        assertThat(results).containsExactly("yes!");
        assertThat(extension.state(KIND).answered()).isEqualTo(1);
        assertThat(extension.state(KIND).seconds()).isEqualTo(0.005);
    }

    static Stream<Arguments> failures() {
        return Stream.of(
                failure("exception", () -> thrown(new IllegalStateException("test"))),
                failure("exception", () -> thrown(new Exception("checked"))),
                failure("exception", () -> thrown(new NoClassDefFoundError("x"))),
                failure("exception", ExtensionCallsTest::endless),
                failure("exception", () -> thrown(new Unreadable())),
                failure("exception", () -> CompletableFuture.failedFuture(new Exception("later"))),
                failure("null", () -> null),
                failure("null", () -> CompletableFuture.completedFuture(null)),
                failure("invalid", () -> done("bad")));
    }

    private static Arguments failure(
            String cause, Callable<@Nullable CompletionStage<String>> question) {
        return Arguments.of(cause, question);
    }

    @SuppressWarnings("InfiniteRecursion")
    private static CompletionStage<String> endless() {
        return endless();
    }

    private static CompletionStage<String> thrown(Throwable failure) throws Exception {
        if (failure instanceof Error error) {
            throw error;
        }
        throw (Exception) failure;
    }

    @ParameterizedTest
    @MethodSource("failures")
    void a_call_without_an_answer_fails_with_its_cause(
            String cause, Callable<@Nullable CompletionStage<String>> question) {
        submit(question);
        extension.runAll();

        assertThat(results).containsExactly(cause);
        assertThat(
                        extension.state(KIND).failures().entrySet().stream()
                                .filter(each -> each.getValue() == 1)
                                .map(each -> each.getKey().tag()))
                .containsExactly(cause);
        assertThat(extension.faults).isEmpty();
    }

    @Test
    void no_memory_in_a_call_is_a_fault_of_the_process() {
        OutOfMemoryError none = new OutOfMemoryError("test");
        submit(() -> thrown(none));
        extension.runAll();

        assertThat(results).containsExactly("exception");
        assertThat(extension.faults).containsExactly(none);
    }

    @Test
    void an_answer_that_comes_later_counts_within_call_time_only() {
        CompletableFuture<String> inTime = new CompletableFuture<>();
        CompletableFuture<String> late = new CompletableFuture<>();
        submit(() -> inTime);
        submit(() -> late);
        extension.runAll();
        extension.passMs(9_999);
        inTime.complete("yes");
        assertThat(results).containsExactly("yes!");

        extension.passMs(1);
        assertThat(results).containsExactly("yes!", "timeout");

        late.complete("no");
        assertThat(results).containsExactly("yes!", "timeout");
        assertThat(extension.state(KIND).late()).isEqualTo(1);
        assertThat(extension.state(KIND).answered()).isEqualTo(1);
    }

    @Test
    void a_method_that_has_not_returned_in_call_time_has_failed() {
        submit(() -> {
            extension.passMs(10_000);
            assertThat(results).containsExactly("timeout");
            return done("late");
        });
        extension.runAll();

        assertThat(results).containsExactly("timeout");
        assertThat(extension.state(KIND).late()).isEqualTo(1);
    }

    @Test
    void a_call_that_no_thread_takes_in_call_time_fails_and_is_not_run() {
        List<String> asked = new ArrayList<>();
        submit(() -> {
            asked.add("asked");
            return done("yes");
        });
        extension.passMs(10_000);

        assertThat(results).containsExactly("timeout");
        assertThat(extension.runAll()).isZero();
        assertThat(asked).isEmpty();
    }

    @Test
    void a_second_answer_is_ignored_and_counted() {
        submit(Stuttering::new);
        extension.runAll();

        assertThat(results).containsExactly("first!");
        assertThat(extension.state(KIND).late()).isEqualTo(1);
    }

    @Test
    void so_many_calls_and_bytes_have_a_place_and_no_more() {
        for (int i = 0; i < 100; i++) {
            assertThat(calls.isNearlyFull()).isEqualTo(i >= 75);
            assertThat(calls.reserve(1)).isTrue();
        }
        assertThat(calls.reserve(1)).isFalse();
        calls.release(1);
        assertThat(calls.reserve(99_902)).isFalse();
        assertThat(calls.reserve(99_901)).isTrue();
        assertThat(calls.state().waiting()).isEqualTo(100);
        assertThat(calls.state().waitingBytes()).isEqualTo(100_000);
    }

    @Test
    void calls_of_a_kind_that_keeps_failing_fail_at_once_until_it_works_again() {
        for (int i = 0; i < 20; i++) {
            submit(() -> null);
        }
        extension.runAll();
        results.clear();
        submit(() -> done("not asked"));
        assertThat(results).containsExactly("breaker");
        assertThat(extension.state(KIND).isBreakerOpen()).isTrue();
        assertThat(extension.state(CallKind.PUBLISH_INTERCEPTOR).isBreakerOpen()).isFalse();

        for (int i = 0; i < 5; i++) {
            extension.passMs(1_000);
            submit(() -> done("tried"));
            extension.runAll();
        }

        assertThat(extension.state(KIND).isBreakerOpen()).isFalse();
        assertThat(results).endsWith("tried!", "tried!", "tried!", "tried!", "tried!");
    }

    @Test
    void
            a_thread_whose_call_does_not_return_is_interrupted_and_replaced_until_there_are_too_many() {
        submit(this::stickInside);
        extension.step();
        assertThat(results).containsExactly("timeout");
        assertThat(extension.threads()).isEqualTo(3);
        assertThat(calls.state().stuckThreads()).isZero(); // it has returned in the end

        submit(() -> stick(() -> stick(() -> stick(() -> done("late")))));
        extension.step();

        assertThat(extension.failed).hasSize(1);
        assertThat(extension.failed.get(0)).contains("3 threads are stuck");
        assertThat(calls.state().isFailed()).isTrue();
        results.clear();
        submit(() -> done("not asked"));
        assertThat(results).containsExactly("stopped");
    }

    private CompletionStage<String> stickInside() {
        extension.passMs(29_999);
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
        extension.passMs(1);
        assertThat(Thread.interrupted()).isTrue();
        assertThat(calls.state().stuckThreads()).isEqualTo(1);
        extension.passMs(60_000);
        assertThat(Thread.interrupted()).isFalse();
        return done("late");
    }

    /** Has another call run while this one is stuck, as another thread would. */
    private CompletionStage<String> stick(Callable<@Nullable CompletionStage<String>> meanwhile) {
        extension.passMs(30_000);
        submit(meanwhile);
        if (!extension.step()) {
            clock.passMs(1_000); // The breaker is open: this one is tried.
            submit(meanwhile);
            extension.step();
        }
        return done("late");
    }

    @Test
    void when_as_many_threads_are_stuck_as_there_are_the_breakers_open() {
        submit(() -> {
            extension.passMs(30_000);
            assertThat(extension.state(KIND).isBreakerOpen()).isFalse();
            submit(() -> {
                extension.passMs(30_000);
                assertThat(extension.state(KIND).isBreakerOpen()).isTrue();
                assertThat(calls.state().kinds()).allMatch(CallsState.OfKind::isBreakerOpen);
                return done("late");
            });
            extension.step();
            return done("late");
        });
        extension.step();

        assertThat(results).containsExactly("timeout", "timeout");
        assertThat(extension.failed).isEmpty();
    }

    @Test
    void when_it_is_closed_what_is_under_way_fails_and_nothing_begins() {
        CompletableFuture<String> never = new CompletableFuture<>();
        submit(() -> never);
        extension.step();
        submit(() -> done("not asked"));

        calls.close();

        assertThat(results).containsExactlyInAnyOrder("stopped", "stopped");
        submit(() -> done("not asked"));
        assertThat(results).hasSize(3).containsOnly("stopped");
        never.complete("late");
        assertThat(results).hasSize(3);
        assertThat(extension.state(KIND).late()).isEqualTo(1);
    }
}
