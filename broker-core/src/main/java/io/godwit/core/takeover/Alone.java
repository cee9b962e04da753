package io.godwit.core.takeover;

import io.godwit.core.ack.Receipt;
import io.godwit.core.id.HybridId;
import io.godwit.core.packet.ClientId;
import io.godwit.core.store.SessionMoves;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** No other nodes: nobody else has a client id, and nobody is told anything. */
public final class Alone implements Homes {
    /** Of each shard of a node that is alone. */
    public static final Maker NODE = (shard, answers) -> new Alone(answers);

    private final Answers answers;

    private Alone(Answers answers) {
        this.answers = answers;
    }

    @Override
    public void claim(Claim claim) {
        answers.nobody(claim.clientId(), claim.token(), 0);
    }

    @Override
    public void settled(ClientId clientId, Token token, boolean hasSession, boolean isDurable) {}

    @Override
    public void ended(ClientId clientId) {}

    @Override
    public void replaced(ClientId clientId, boolean isDurable) {}

    // What was given to, or came from, another node while this one had others waits for them.

    @Override
    public void arrived(ClientId clientId, Token token, List<SessionMoves.Home> former) {}

    @Override
    public void tookBack(
            ClientId clientId, SessionMoves.Given claim, List<SessionMoves.Home> former) {}

    @Override
    public void gaveUp(ClientId clientId, byte @Nullable [] header) {}

    @Override
    public void stays(ClientId clientId) {}

    @Override
    public void gaveAgain(ClientId clientId) {}

    @Override
    public void whole(ClientId clientId, long changes) {}

    @Override
    public void askForPage(int server, ClientId clientId, long changes, HybridId above) {}

    /** Nobody takes it in: its publisher is not acknowledged, and sends it again. */
    @Override
    public void forward(SessionMoves.Given to, Forwarded what, @Nullable Receipt receipt) {}

    @Override
    public void forwardElsewhere(ClientId clientId, long given, SessionMoves.Given to) {}

    @Override
    public void forwardHere(ClientId clientId, long given, long changes, boolean mayWait) {}

    @Override
    public void whenNothingComes(Object what, Runnable task) {
        task.run();
    }

    @Override
    public void whenNothingComesAgain(Object what, Runnable task) {
        task.run();
    }

    @Override
    public void whenComeRound(List<SessionMoves.Home> inOrder, Consumer<Boolean> task) {
        task.accept(true);
    }

    @Override
    public void recovered(ClientId clientId, long changes) {}

    @Override
    public void recoveredFormer(
            ClientId clientId, List<SessionMoves.Home> former, boolean isFilling) {}

    @Override
    public void recoveredLeft(
            ClientId clientId, List<SessionMoves.Home> former, boolean isFilling) {}

    @Override
    public void recoveredGiven(ClientId clientId, SessionMoves.Given to, byte[] header) {}
}
