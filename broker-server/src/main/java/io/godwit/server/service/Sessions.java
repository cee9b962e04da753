package io.godwit.server.service;

import io.godwit.core.operation.ByteReader;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.ReasonCode;
import io.godwit.extension.service.Page;
import io.godwit.extension.service.ServiceFailedException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Asks the node that has a session; this one asks itself in the same way. Any thread. */
public final class Sessions {
    private final ServiceNodes nodes;
    private final SessionAnswers answers;

    public Sessions(ServiceNodes nodes, SessionAnswers answers) {
        this.nodes = nodes;
        this.answers = answers;
    }

    ServiceNodes nodes() {
        return nodes;
    }

    /** Returns the name of a node. */
    String name(int server) {
        return nodes.members().getOrDefault(server, String.valueOf(server));
    }

    /**
     * What one node has answered.
     *
     * @param server id of that node
     */
    record Answered(int server, ByteReader body) {}

    /**
     * Asks the leader of the client's slot, and the node where the client is connected if its
     * session is there.
     *
     * @return completes with nothing when there is no session
     */
    CompletableFuture<Optional<Answered>> ofClient(SessionQuestion.OfClient question) {
        int leader = nodes.leader(question.clientId());
        if (leader == ServiceNodes.NONE) {
            return CompletableFuture.failedFuture(noLeader(question.clientId()));
        }
        byte[] bytes = question.toBytes();
        return ask(leader, bytes)
                .thenCompose(answer -> {
                    ByteReader from = new ByteReader(answer);
                    return switch (from.u8()) {
                        case SessionAnswers.ELSEWHERE -> askEdge(from.server3(), bytes);
                        case SessionAnswers.NOT_LEADER ->
                                CompletableFuture.failedFuture(
                                        new ServiceFailedException(
                                                ServiceFailedException.Cause.NODE_AWAY,
                                                "node "
                                                        + name(leader)
                                                        + " does not lead the slot of the client"
                                                        + " any more"));
                        default -> CompletableFuture.completedFuture(found(leader, answer));
                    };
                });
    }

    private CompletableFuture<Optional<Answered>> askEdge(int edge, byte[] question) {
        return ask(edge, question).thenApply(answer -> found(edge, answer));
    }

    private static Optional<Answered> found(int server, byte[] answer) {
        ByteReader from = new ByteReader(answer);
        return from.u8() == SessionAnswers.FOUND
                ? Optional.of(new Answered(server, from))
                : Optional.empty();
    }

    private ServiceFailedException noLeader(ClientId clientId) {
        int last = nodes.lastLeader(clientId);
        return new ServiceFailedException(
                ServiceFailedException.Cause.NODE_AWAY,
                last == ServiceNodes.NONE
                        ? "no node is known that leads the slot of the client"
                        : "node " + name(last) + ", which leads the slot of the client, is away");
    }

    /** Finds the name of the node that has a client's session; empty: there is none. */
    public CompletableFuture<Optional<String>> nodeOf(ClientId clientId) {
        return ofClient(new SessionQuestion.Find(clientId))
                .thenApply(found -> found.map(each -> name(each.server())));
    }

    /**
     * Disconnects a client by administrative action (DISCONNECT 0x98).
     *
     * @param endsSession whether its session ends, too
     * @return false: it is not connected, and its session stays; empty: there is none
     */
    public CompletableFuture<Optional<Boolean>> kick(ClientId clientId, boolean endsSession) {
        return ofClient(
                        endsSession
                                ? new SessionQuestion.End(clientId)
                                : new SessionQuestion.Disconnect(
                                        clientId,
                                        ReasonCode.ADMINISTRATIVE_ACTION.code(),
                                        "disconnected by an administrator",
                                        true))
                .thenApply(found -> found.map(each -> each.body().u8() == 1));
    }

    /** Reads an item of a page that a node has written. */
    interface ItemReader<T> {
        T read(ByteReader from, int server);
    }

    /**
     * Reads a page of all nodes' sessions.
     *
     * @param question asks one node for the items behind a client id, or for its first ones
     */
    <T> CompletableFuture<Page<T>> page(
            PagePlace from,
            Function<@Nullable ClientId, SessionQuestion> question,
            ItemReader<T> items) {
        int server = from.nodeIn(nodes.members());
        if (server == ServiceNodes.NONE) {
            return CompletableFuture.completedFuture(new Page<>(List.of(), Optional.empty()));
        }
        ClientId after = from.server() == server ? from.after() : null;
        return ask(server, question.apply(after).toBytes())
                .thenApply(answer -> {
                    ByteReader body = new ByteReader(answer);
                    boolean isEnd = body.u8() == 1;
                    byte[] last = body.sized();
                    List<T> found = new ArrayList<>();
                    while (!body.isAtEnd()) {
                        found.add(items.read(body, server));
                    }
                    return new Page<>(
                            found,
                            isEnd
                                    ? PagePlace.behind(server, nodes.members())
                                    : Optional.of(
                                            new PagePlace(server, new ClientId(last)).text()));
                });
    }

    /** Asks one node. */
    CompletableFuture<byte[]> ask(int server, byte[] question) {
        if (server != nodes.self()) {
            return nodes.ask(server, question);
        }
        return answers.answer(question)
                .exceptionallyCompose(failure ->
                        CompletableFuture.failedFuture(
                                cause(failure) instanceof TimeoutException
                                        ? new ServiceFailedException(
                                                ServiceFailedException.Cause.TIMEOUT,
                                                "the shards of this node have not answered in"
                                                        + " time")
                                        : failure));
    }

    /** Says in words for another node why there is no answer. */
    public static String reason(Throwable failure) {
        Throwable cause = cause(failure);
        return cause instanceof TimeoutException
                ? "its shards have not answered in time"
                : String.valueOf(cause.getMessage());
    }

    /** Returns what a stage has failed with. */
    static Throwable cause(Throwable failure) {
        Throwable cause = failure.getCause();
        return failure instanceof CompletionException && cause != null ? cause : failure;
    }
}
