package io.godwit.cluster.takeover;

import io.godwit.core.ack.Receipt;
import io.godwit.core.id.HybridId;
import io.godwit.core.message.Message;
import io.godwit.core.packet.ClientId;
import io.godwit.core.store.SessionMoves;
import io.godwit.core.takeover.Claim;
import io.godwit.core.takeover.Forwarded;
import io.godwit.core.takeover.Homes;
import io.godwit.core.takeover.Token;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** What one shard has to say: by mail to the shard that has the node's part in takeovers. */
final class ShardHomes implements Homes {
    private final NodeTakeovers node;
    private final int shard;

    ShardHomes(NodeTakeovers node, int shard) {
        this.node = node;
        this.shard = shard;
    }

    private void say(Consumer<Takeovers> word) {
        node.onOwner(word);
    }

    private ClaimId claim(Token token) {
        return new ClaimId(node.self(), token.claimant().shard(), token.number());
    }

    private static List<Former> former(List<SessionMoves.Home> homes) {
        return homes.stream().map(each -> new Former(each.server(), each.changes())).toList();
    }

    @Override
    public void claim(Claim claim) {
        say(to ->
                to.claim(
                        claim.clientId(),
                        claim(claim.token()),
                        claim.cleanStart(),
                        claim.onlyFrom(),
                        claim.isDurable()));
    }

    @Override
    public void settled(ClientId clientId, Token token, boolean hasSession, boolean isDurable) {
        say(to -> {
            if (hasSession) {
                to.settled(clientId, claim(token), isDurable);
            } else {
                to.settledWithout(clientId, claim(token));
            }
        });
    }

    @Override
    public void arrived(ClientId clientId, Token token, List<SessionMoves.Home> former) {
        node.arrived(clientId, claim(token), former(former));
    }

    @Override
    public void tookBack(
            ClientId clientId, SessionMoves.Given claim, List<SessionMoves.Home> former) {
        say(to ->
                to.tookBack(
                        clientId,
                        new ClaimId(node.self(), claim.shard(), claim.claim()),
                        former(former)));
    }

    @Override
    public void ended(ClientId clientId) {
        say(to -> to.ended(clientId));
    }

    @Override
    public void replaced(ClientId clientId, boolean isDurable) {
        say(to -> to.replaced(clientId, isDurable));
    }

    @Override
    public void gaveUp(ClientId clientId, byte @Nullable [] header) {
        say(to -> to.gaveUp(clientId, header));
    }

    @Override
    public void stays(ClientId clientId) {
        say(to -> to.stays(clientId));
    }

    @Override
    public void gaveAgain(ClientId clientId) {
        say(to -> to.gaveAgain(clientId));
    }

    @Override
    public void whole(ClientId clientId, long changes) {
        node.whole(clientId, changes);
    }

    @Override
    public void askForPage(int server, ClientId clientId, long changes, HybridId above) {
        node.askForPage(server, new TakeoverMessages.PageRequest(clientId, changes, above));
    }

    @Override
    public void forward(SessionMoves.Given to, Forwarded what, @Nullable Receipt receipt) {
        Consumer<Boolean> whenTaken =
                receipt == null
                        ? null
                        : isTaken -> node.onShard(shard, () -> receipt.targetDone(isTaken));
        boolean mayComeAgain = receipt != null && receipt.mayComeAgain;
        node.forwards().forward(to, mayComeAgain, what, keptAt(what.message(), receipt), whenTaken);
    }

    private int keptAt(Message message, @Nullable Receipt receipt) {
        boolean isOwn = message.ingressServer == node.self().server();
        return isOwn && message.qos == 2 && receipt != null ? receipt.shard(shard) : -1;
    }

    @Override
    public void forwardElsewhere(ClientId clientId, long given, SessionMoves.Given to) {
        node.forwards().elsewhere(clientId, given, to);
    }

    @Override
    public void forwardHere(ClientId clientId, long given, long changes, boolean mayWait) {
        node.forwards().here(clientId, given, changes, mayWait);
    }

    @Override
    public void whenNothingComes(Object what, Runnable task) {
        node.whenNothingComes(what, () -> node.onShard(shard, task));
    }

    @Override
    public void whenNothingComesAgain(Object what, Runnable task) {
        node.whenNothingComesAgain(what, () -> node.onShard(shard, task));
    }

    @Override
    public void whenComeRound(List<SessionMoves.Home> inOrder, Consumer<Boolean> task) {
        List<Integer> servers = inOrder.stream().map(SessionMoves.Home::server).toList();
        node.whenComeRound(servers, isKnown -> node.onShard(shard, () -> task.accept(isKnown)));
    }

    // ---------------------------------------------------------------- at start, on one thread

    @Override
    public void recovered(ClientId clientId, long changes) {
        // One that was made while the node was alone has no number.
        node.takeovers().recovered(clientId, Math.max(1, changes));
    }

    @Override
    public void recoveredFormer(
            ClientId clientId, List<SessionMoves.Home> former, boolean isFilling) {
        node.takeovers().recoveredFormer(clientId, former(former), isFilling);
    }

    @Override
    public void recoveredLeft(
            ClientId clientId, List<SessionMoves.Home> former, boolean isFilling) {
        node.takeovers().recoveredLeft(clientId, former(former), isFilling);
    }

    @Override
    public void recoveredGiven(ClientId clientId, SessionMoves.Given to, byte[] header) {
        node.takeovers().recoveredGiven(clientId, to.changes(), NodeSessions.claim(to), header);
    }
}
