package io.godwit.cluster.registration;

import io.godwit.core.connection.AuthenticatedConnect;
import io.godwit.core.connection.Placement;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.ReasonCode;
import org.jspecify.annotations.Nullable;

/** A connection of a client at a node: its socket's, or a remote one at the leader. */
final class ModelConnection implements Placement.Asking {
    final ClientId clientId;
    final boolean isClean;
    final boolean isDurable;
    final ModelNode node;
    final int shard;

    /** When its client has sent the CONNECT. */
    final long connectedMicros;

    /** At the leader, the connection that a pipe leads from; the other way round at the edge. */
    @Nullable ModelConnection piped;

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
            long connectedMicros) {
        this.node = node;
        this.shard = shard;
        this.clientId = clientId;
        this.isClean = isClean;
        this.isDurable = isDurable;
        this.connectedMicros = connectedMicros;
    }

    AuthenticatedConnect connect() {
        return new AuthenticatedConnect(
                new Packet.Connect(
                        ProtocolVersion.MQTT_5,
                        clientId,
                        isClean,
                        60,
                        null,
                        null,
                        null,
                        false,
                        Properties.NONE),
                false,
                isDurable ? 3600 : 0,
                null,
                "127.0.0.1:1",
                true,
                "tcp",
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
        end();
    }

    /** A newer connection has the client id. */
    void takenOver() {
        if (!isOver) {
            end();
        }
    }

    private void end() {
        isOver = true;
        node.simulation.over(this);
        node.registrar.ended(this);
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

    /** The process has ended. */
    void kill() {
        isOver = true;
        node.simulation.over(this);
        ModelConnection other = piped;
        if (other != null && other.node.isUp) {
            other.node.in(200_000, other::close);
        }
    }

    @Override
    public String toString() {
        return clientId + (isDurable ? " durable" : "") + " at " + node.self + "#" + shard;
    }
}
