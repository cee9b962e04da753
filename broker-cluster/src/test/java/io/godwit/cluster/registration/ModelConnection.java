package io.godwit.cluster.registration;

import io.godwit.core.auth.Identity;
import io.godwit.core.auth.Peer;
import io.godwit.core.connection.AuthenticatedConnect;
import io.godwit.core.connection.Placement;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.packet.Will;
import io.godwit.core.session.WillKeeper;
import io.godwit.core.takeover.ClaimingUser;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A connection of a client at a node: its socket's, or a remote one at the leader. */
final class ModelConnection implements Placement.Asking {
    final ClientId clientId;
    final boolean isClean;
    final boolean isDurable;
    final ModelNode node;
    final int shard;

    /** Names its user; null: anonymous. */
    final @Nullable String user;

    /** When its client has sent the CONNECT. */
    final long connectedMicros;

    /** At the leader, the connection that a pipe leads from; the other way round at the edge. */
    @Nullable ModelConnection piped;

    /** Its Will, with the connection's number as topic; null: it has none. */
    final @Nullable Will will;

    /** Whether the Will was handed to the leader, and that one has not answered yet. */
    boolean isWillPassed;

    boolean isOver;
    boolean isLive;
    boolean isAnswered;
    boolean isRefused;
    String refusal = "";
    private @Nullable ReasonCode reason;
    private boolean isEndTold;
    private Placement.@Nullable Question question;
    private Placement.@Nullable Stay stay;
    private boolean isClaimed;

    ModelConnection(
            ModelNode node,
            int shard,
            ClientId clientId,
            boolean isClean,
            boolean isDurable,
            long connectedMicros,
            @Nullable String user) {
        this.node = node;
        this.user = user;
        this.shard = shard;
        this.clientId = clientId;
        this.isClean = isClean;
        this.isDurable = isDurable;
        this.connectedMicros = connectedMicros;
        this.will = isDurable ? null : node.simulation.will(this);
    }

    AuthenticatedConnect connect() {
        return new AuthenticatedConnect(
                new Packet.Connect(
                        ProtocolVersion.MQTT_5,
                        clientId,
                        isClean,
                        60,
                        will,
                        null,
                        null,
                        false,
                        Properties.NONE),
                false,
                isDurable ? 3600 : 0,
                null,
                new Peer("127.0.0.1:1", true, "tcp"),
                Identity.ofUser(user),
                node.localMs(connectedMicros));
    }

    void ask() {
        node.turn(
                shard,
                () -> {
                    Placement.Question asked =
                            node.shard(shard).registration().placement().ask(connect(), this);
                    if (!isAnswered) {
                        question = asked;
                    }
                });
    }

    /** Returns the stamp of its grant by a stand-in, or else that of now. */
    long grantedAt() {
        return stay instanceof EdgeStay granted && granted.grantedAt != 0
                ? granted.grantedAt
                : node.simulation.stamp();
    }

    boolean isGrantedByStandIn() {
        return stay instanceof EdgeStay granted && granted.grantedAt != 0;
    }

    /** Returns who claims its client id; null: sessions are anyone's. */
    @Nullable ClaimingUser by() {
        return node.simulation.hasUsers ? ClaimingUser.of(user) : null;
    }

    @Nullable ReasonCode reason() {
        return reason;
    }

    /** Whether the slot's leader, another node, is to know of it. */
    boolean isRegisteredElsewhere() {
        Leader leader = node.table.get(clientId.slot());
        return !isDurable && leader != null && !leader.node().equals(node.self);
    }

    // ---------------------------------------------------------------- answers

    private void answered() {
        if (isAnswered || isOver) {
            throw new IllegalStateException(this + " is answered twice, or after its end");
        }
        isAnswered = true;
        question = null;
    }

    @Override
    public void here(Placement.Stay granted) {
        answered();
        stay = granted;
        node.simulation.count("here");
        node.registrar.claim(this);
    }

    @Override
    public void elsewhere(Placement.Pipe pipe) {
        answered();
        node.simulation.count("elsewhere");
        pipe.open(ModelOpener.NO_WIRE);
        ModelConnection remote = ((ModelOpener.ModelPipe) pipe).remote;
        piped = remote;
        remote.piped = this;
        if (remote.isOver) {
            close();
        }
    }

    @Override
    public void refused(ReasonCode why, String text) {
        answered();
        reason = why;
        refusal = text;
        isRefused = true;
        isOver = true;
        node.simulation.count("refused " + why);
        node.simulation.refused(this);
    }

    @Override
    public void endUnanswered(String text) {
        answered();
        isOver = true;
        node.simulation.count("ended without an answer");
    }

    @Override
    public void endTakenOver() {
        if (stay == null) {
            throw new IllegalStateException(this + " is ended and was never here");
        }
        node.simulation.count("ended for another node");
        node.simulation.endedForClaim(this);
        takenOver();
    }

    @Override
    public void endElsewhere() {
        takenOver();
    }

    // ---------------------------------------------------------------- life

    void live() {
        isLive = true;
        node.simulation.live(this);
    }

    void claimed() {
        if (isClaimed || stay == null) {
            throw new IllegalStateException(this + " is claimed");
        }
        isClaimed = true;
        Placement.Stay told = stay;
        node.turn(shard, told::claimed);
        if (isOver) {
            tellEnd();
        }
    }

    /** The socket has ended. */
    void close() {
        if (isOver) {
            return;
        }
        Placement.Question asked = question;
        question = null;
        if (asked != null) {
            isOver = true;
            node.turn(shard, asked::withdraw);
            return;
        }
        end(isLive && node.simulation.isLost(this));
    }

    /** The client id has a session of another user here. */
    void kept() {
        if (!isOver) {
            node.simulation.count("refused at the registrar");
            end(false);
        }
    }

    /** A newer connection has the client id. */
    void takenOver() {
        if (!isOver) {
            end(isLive);
        }
    }

    /**
     * @param isWillDue whether its client has not sent a DISCONNECT
     */
    private void end(boolean isWillDue) {
        isOver = true;
        node.simulation.over(this);
        node.registrar.ended(this);
        Will due = will;
        if (isWillDue && due != null) {
            node.simulation.willIsDue(this);
            node.turn(shard, () -> passWill(due));
        }
        ModelConnection other = piped;
        if (other != null) {
            other.node.soon(other::close);
        }
        if (isClaimed) {
            tellEnd();
        }
    }

    private void tellEnd() {
        Placement.Stay told = stay;
        if (told != null && !isEndTold) {
            isEndTold = true;
            node.in(node.simulation.publishesMicros(), () -> node.turn(shard, told::ended));
        }
    }

    private void passWill(Will due) {
        Placement.Stay told = stay;
        if (told == null || !told.pass(clientId, due, passed(node))) {
            node.simulation.published(node, due);
        } else {
            isWillPassed = true;
            node.keptWills.add(this);
        }
    }

    /** Asks the leader for its Will, at a later start of its node. */
    void passEarlierWill(ModelNode start) {
        Will due = Objects.requireNonNull(will);
        int at = clientId.slot() % start.shards;
        start.turn(
                at,
                () -> {
                    EdgePlacement placement = start.shard(at).registration().placement();
                    placement.passEarlierWill(clientId, due, passed(start));
                });
    }

    private WillKeeper.Passed passed(ModelNode start) {
        return new WillKeeper.Passed() {
            @Override
            public void publish() {
                start.simulation.published(start, Objects.requireNonNull(will));
                settled();
            }

            @Override
            public void settled() {
                start.keptWills.remove(ModelConnection.this);
            }
        };
    }

    /** The process has ended. */
    void kill() {
        if (will != null && isLive && !isOver) {
            node.simulation.willIsDue(this);
            node.keptWills.add(this);
        }
        isOver = true;
        node.simulation.over(this);
        ModelConnection other = piped;
        if (other != null && other.node.isUp) {
            other.node.in(200_000, other::close);
        }
    }

    @Override
    public String toString() {
        return clientId
                + (isDurable ? " durable" : "")
                + (user == null ? "" : " of " + user)
                + " at "
                + node.self
                + "#"
                + shard;
    }
}
