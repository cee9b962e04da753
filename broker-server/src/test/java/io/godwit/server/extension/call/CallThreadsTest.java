package io.godwit.server.extension.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URL;
import java.net.URLClassLoader;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The real threads. Nothing here waits for a time to pass. */
@Timeout(30)
class CallThreadsTest {
    private static final CallsOwner NOBODY =
            new CallsOwner() {
                @Override
                public void onFailed(String why) {}

                @Override
                public void onFault(VirtualMachineError fault) {}
            };

    private final ClassLoader loader = new URLClassLoader(new URL[0]);
    private final List<ExtensionCalls> started = new ArrayList<>();

    private ExtensionCalls start(int threads) {
        ExtensionCalls calls =
                ExtensionCalls.start(
                        "ext",
                        new CallSettings(threads, Duration.ofSeconds(10), 1_000, 1_000_000),
                        loader,
                        NOBODY);
        started.add(calls);
        return calls;
    }

    @AfterEach
    void close() {
        for (ExtensionCalls each : started) {
            each.close();
        }
    }

    /** A call whose result completes a future. */
    private static final class Asking extends Call<String, String> {
        final CompletableFuture<String> result = new CompletableFuture<>();
        private final Callable<String> question;

        Asking(Callable<String> question) {
            super(CallKind.AUTHENTICATE);
            this.question = question;
        }

        @Override
        @Nullable CompletionStage<String> ask() throws Exception {
            return CompletableFuture.completedFuture(question.call());
        }

        @Override
        String convert(String answer) {
            return answer;
        }

        @Override
        void onAnswer(String answer) {
            result.complete(answer);
        }

        @Override
        void onFailure(CallFailure cause) {
            result.complete(cause.tag());
        }
    }

    private static CompletableFuture<String> ask(ExtensionCalls calls, Callable<String> question) {
        Asking call = new Asking(question);
        calls.submit(call);
        return call.result;
    }

    private static String thread() {
        return Thread.currentThread().getName() + " " + Thread.currentThread().isDaemon();
    }

    @Test
    void calls_run_in_threads_of_the_extension_with_its_class_loader() throws Exception {
        ExtensionCalls calls = start(1);
        assertThat(ask(calls, CallThreadsTest::thread).get()).isEqualTo("extension-ext-1 true");
        assertThat(
                        ask(
                                        calls,
                                        () -> {
                                            Thread self = Thread.currentThread();
                                            boolean isOwn = self.getContextClassLoader() == loader;
                                            self.setContextClassLoader(null); // is put back
                                            return String.valueOf(isOwn);
                                        })
                                .get())
                .isEqualTo("true");
        assertThat(
                        ask(
                                        calls,
                                        () ->
                                                String.valueOf(
                                                        Thread.currentThread()
                                                                        .getContextClassLoader()
                                                                == loader))
                                .get())
                .isEqualTo("true");
    }

    @Test
    void a_call_that_blocks_does_not_hold_up_the_others() throws Exception {
        for (int threads : new int[] {2, CallSettings.VIRTUAL}) {
            ExtensionCalls calls = start(threads);
            CountDownLatch latch = new CountDownLatch(1);
            CompletableFuture<String> blocked =
                    ask(
                            calls,
                            () -> {
                                latch.await();
                                return "blocked";
                            });
            for (int i = 0; i < 1_000; i++) {
                assertThat(ask(calls, () -> "free").get()).isEqualTo("free");
            }
            latch.countDown();
            assertThat(blocked.get()).isEqualTo("blocked");
        }
    }

    @Test
    void a_thread_that_is_stuck_is_interrupted_and_another_takes_its_place() throws Exception {
        AtomicLong nowNanos = new AtomicLong();
        CompletableFuture<PlatformThreads> threads = new CompletableFuture<>();
        ExtensionCalls calls =
                new ExtensionCalls(
                        "ext",
                        new CallSettings(1, Duration.ofSeconds(10), 1_000, 1_000_000),
                        loader,
                        NOBODY,
                        nowNanos::get,
                        thread -> -1,
                        made -> {
                            PlatformThreads own = new PlatformThreads(made, "ext", 1);
                            threads.complete(own);
                            return own;
                        });
        started.add(calls);
        threads.join().start();
        CompletableFuture<Thread> begun = new CompletableFuture<>();
        CountDownLatch interrupted = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        CompletableFuture<String> stuck =
                ask(
                        calls,
                        () -> {
                            begun.complete(Thread.currentThread());
                            try {
                                end.await();
                            } catch (InterruptedException once) {
                                interrupted.countDown();
                            }
                            end.await();
                            return "late";
                        });
        Thread first = begun.get();
        nowNanos.set(ExtensionCalls.STUCK_NANOS);
        calls.tick();

        assertThat(stuck.get()).isEqualTo("timeout");
        interrupted.await();
        nowNanos.addAndGet(Breaker.TRIAL_NANOS); // The only thread was stuck: a call is tried.
        assertThat(ask(calls, CallThreadsTest::thread).get()).isEqualTo("extension-ext-2 true");
        assertThat(calls.state().stuckThreads()).isEqualTo(1);
        end.countDown();
        first.join();
        assertThat(calls.state().stuckThreads()).isZero();
        nowNanos.addAndGet(Breaker.TRIAL_NANOS);
        assertThat(ask(calls, CallThreadsTest::thread).get()).isEqualTo("extension-ext-2 true");
    }

    @Test
    void many_threads_get_all_of_their_answers() throws Exception {
        ExtensionCalls calls = start(2);
        List<Thread> askers = new ArrayList<>();
        List<CompletableFuture<String>> answers = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            Asking[] own = new Asking[5_000];
            for (int k = 0; k < own.length; k++) {
                own[k] = new Asking(() -> "yes");
                answers.add(own[k].result);
            }
            askers.add(
                    Thread.ofPlatform()
                            .start(() -> {
                                for (Asking each : own) {
                                    calls.submit(each);
                                }
                            }));
        }
        for (Thread each : askers) {
            each.join();
        }
        for (CompletableFuture<String> each : answers) {
            assertThat(each.get()).isEqualTo("yes");
        }
    }

    @Test
    void a_task_of_the_executor_has_the_class_loader_and_may_throw() throws Exception {
        for (int threads : new int[] {2, CallSettings.VIRTUAL}) {
            ExtensionCalls calls = start(threads);
            calls.executor()
                    .execute(() -> {
                        throw new IllegalStateException("is logged");
                    });
            assertThat(
                            calls.executor()
                                    .submit(() -> Thread.currentThread().getContextClassLoader())
                                    .get())
                    .isSameAs(loader);
        }
    }

    @Test
    void a_bounded_number_of_tasks_waits() {
        ExtensionCalls calls = start(1);
        for (int i = 0; i < 1_000; i++) {
            calls.executor().schedule(() -> {}, 1, TimeUnit.HOURS);
        }

        assertThatThrownBy(() -> calls.executor().execute(() -> {}))
                .isInstanceOf(RejectedExecutionException.class)
                .hasMessageContaining("1000 tasks of the extension ext wait");
    }

    @Test
    void calls_under_way_are_waited_for_and_fail_when_the_time_is_over() throws Exception {
        ExtensionCalls calls = start(1);
        assertThat(calls.reserve(10)).isTrue();
        CountDownLatch never = new CountDownLatch(1);
        CompletableFuture<String> result =
                ask(
                        calls,
                        () -> {
                            never.await();
                            return "late";
                        });

        assertThat(calls.awaitCalls(40)).isFalse();
        assertThat(result.get()).isEqualTo("stopped");
        assertThat(ask(calls, () -> "not asked").get()).isEqualTo("stopped");
        calls.release(10);
        assertThat(calls.awaitCalls(1_000)).isTrue();
    }

    @Test
    void when_the_calls_are_closed_the_threads_end() throws Exception {
        ExtensionCalls calls = start(2);
        Thread[] used = new Thread[1];
        ask(
                        calls,
                        () -> {
                            used[0] = Thread.currentThread();
                            return "";
                        })
                .get();
        calls.close();
        used[0].join();

        assertThat(ask(calls, () -> "no").get()).isEqualTo("stopped");
    }
}
