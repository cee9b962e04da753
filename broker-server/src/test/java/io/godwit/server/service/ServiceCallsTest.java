package io.godwit.server.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.core.id.HybridId;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.queue.WaitingPage;
import io.godwit.extension.service.ServiceFailedException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

/** What an extension asks of services: its bound, its threads, and what is said between nodes. */
class ServiceCallsTest {
    private final Deque<Runnable> tasks = new ArrayDeque<>();
    private final ServiceCalls calls = new ServiceCalls(tasks::add, 2);

    private static ServiceFailedException.Cause cause(CompletionStage<?> stage) {
        try {
            stage.toCompletableFuture().join();
            throw new AssertionError("did not fail");
        } catch (CompletionException e) {
            assertThat(e.getCause()).isInstanceOf(ServiceFailedException.class);
            return ((ServiceFailedException) e.getCause()).reason();
        }
    }

    @Test
    void answers_come_in_the_threads_of_the_extension() {
        CompletableFuture<String> asked = new CompletableFuture<>();
        CompletionStage<String> stage = calls.call(() -> asked);
        asked.complete("yes");
        assertThat(stage.toCompletableFuture()).isNotDone();
        tasks.remove().run();
        assertThat(stage.toCompletableFuture()).isCompletedWithValue("yes");
    }

    @Test
    void no_more_questions_are_open_than_may_be() {
        CompletableFuture<String> asked = new CompletableFuture<>();
        calls.call(() -> asked);
        calls.call(() -> asked);
        assertThat(cause(calls.call(() -> asked))).isEqualTo(ServiceFailedException.Cause.TOO_MUCH);
        asked.complete("yes");
        assertThat(calls.call(() -> asked).toCompletableFuture()).isNotDone();
        tasks.forEach(Runnable::run);
    }

    @Test
    void what_throws_or_fails_has_a_reason_and_leaves_the_bound() {
        for (int i = 0; i < 5; i++) {
            CompletionStage<String> thrown =
                    calls.call(() -> {
                        throw new IllegalArgumentException("no such");
                    });
            CompletionStage<String> failed =
                    calls.call(() ->
                            CompletableFuture.failedFuture(
                                    new CompletionException(
                                            new ServiceFailedException(
                                                    ServiceFailedException.Cause.TIMEOUT, "n2"))));
            tasks.forEach(Runnable::run);
            tasks.clear();
            assertThat(cause(thrown)).isEqualTo(ServiceFailedException.Cause.REFUSED);
            assertThat(cause(failed)).isEqualTo(ServiceFailedException.Cause.TIMEOUT);
        }
    }

    @Test
    void an_extension_that_has_stopped_is_told_nothing() {
        ServiceCalls stopped =
                new ServiceCalls(
                        task -> {
                            throw new RejectedExecutionException();
                        },
                        1);
        CompletionStage<String> stage =
                stopped.call(() -> CompletableFuture.completedFuture("yes"));
        assertThat(stage.toCompletableFuture()).isCompletedExceptionally();
    }

    @Test
    void questions_are_read_as_they_were_written() {
        ClientId id = ClientId.of("client");
        for (SessionQuestion each :
                List.of(
                        new SessionQuestion.Find(id),
                        new SessionQuestion.ListSessions(null),
                        new SessionQuestion.ListSessions(id),
                        new SessionQuestion.Disconnect(
                                id, ReasonCode.QUOTA_EXCEEDED.code(), "wörds", true),
                        new SessionQuestion.End(id),
                        new SessionQuestion.Queue(id),
                        new SessionQuestion.Messages(id, 7, null),
                        new SessionQuestion.Messages(
                                id, 0, new WaitingPage.Place(3, new HybridId(-1, 77))),
                        new SessionQuestion.Remove(
                                id,
                                List.of(
                                        new WaitingPage.Place(3, new HybridId(-1, 77)),
                                        new WaitingPage.Place(0, new HybridId(5, 0)))),
                        new SessionQuestion.Purge(id, 0),
                        new SessionQuestion.Purge(id, Long.MAX_VALUE),
                        new SessionQuestion.Subscriptions(id, null),
                        new SessionQuestion.Subscriptions(id, TopicFilter.of("a/#")),
                        new SessionQuestion.Subscribe(
                                id,
                                List.of(
                                        new Packet.Subscription(
                                                TopicFilter.of("a"), 2, true, false, 1),
                                        new Packet.Subscription(
                                                TopicFilter.of("b"), 0, false, true, 2))),
                        new SessionQuestion.Unsubscribe(
                                id, List.of(TopicFilter.of("a"), TopicFilter.of("b"))),
                        new SessionQuestion.Subscribers(Topic.of("a/b"), null),
                        new SessionQuestion.Subscribers(Topic.of("a/b"), id))) {
            assertThat(SessionQuestion.read(each.toBytes())).isEqualTo(each);
        }
        assertThatThrownBy(() -> SessionQuestion.read(new byte[] {99}))
                .isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> SessionQuestion.read(new byte[0]))
                .isInstanceOf(IndexOutOfBoundsException.class);
    }

    @Test
    void an_iteration_goes_from_node_to_node_and_skips_one_that_is_no_member_any_more() {
        SortedMap<Integer, String> members = new TreeMap<>();
        members.put(3, "n3");
        members.put(7, "n7");
        PagePlace first = PagePlace.of(Optional.empty());
        assertThat(first.nodeIn(members)).isEqualTo(3);
        PagePlace inside = PagePlace.of(Optional.of(new PagePlace(3, ClientId.of("a")).text()));
        assertThat(inside).isEqualTo(new PagePlace(3, ClientId.of("a")));
        PagePlace second = PagePlace.of(PagePlace.behind(3, members));
        assertThat(second).isEqualTo(new PagePlace(7, null));
        assertThat(PagePlace.behind(7, members)).isEmpty();
        members.remove(3);
        assertThat(inside.nodeIn(members)).isEqualTo(7);
        members.remove(7);
        assertThat(inside.nodeIn(members)).isEqualTo(ServiceNodes.NONE);
        assertThatThrownBy(() -> PagePlace.of(Optional.of("?")))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> PagePlace.of(Optional.of("AA")))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
