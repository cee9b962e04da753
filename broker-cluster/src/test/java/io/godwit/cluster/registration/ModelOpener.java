package io.godwit.cluster.registration;

import io.godwit.cluster.transport.NodeStart;
import io.godwit.core.connection.AuthenticatedConnect;
import io.godwit.core.connection.Placement;
import io.godwit.core.connection.Wire;
import io.godwit.core.connection.WireListener;
import java.lang.reflect.Proxy;
import org.jspecify.annotations.Nullable;

/** Opens connections at other model nodes. */
final class ModelOpener implements RemoteOpener {
    static final Wire NO_WIRE =
            (Wire)
                    Proxy.newProxyInstance(
                            Wire.class.getClassLoader(),
                            new Class<?>[] {Wire.class},
                            (proxy, method, args) -> {
                                throw new UnsupportedOperationException(method.getName());
                            });

    private static final WireListener NO_LISTENER =
            (WireListener)
                    Proxy.newProxyInstance(
                            WireListener.class.getClassLoader(),
                            new Class<?>[] {WireListener.class},
                            (proxy, method, args) -> {
                                throw new UnsupportedOperationException(method.getName());
                            });

    /** A pipe to a connection at the leader. */
    static final class ModelPipe implements Placement.Pipe {
        final ModelConnection remote;

        ModelPipe(ModelConnection remote) {
            this.remote = remote;
        }

        @Override
        public WireListener open(Wire client) {
            return NO_LISTENER;
        }
    }

    private final ModelNode edge;
    private final int shard;

    ModelOpener(ModelNode edge, int shard) {
        this.edge = edge;
        this.shard = shard;
    }

    @Override
    public Opening open(NodeStart leader, AuthenticatedConnect connect, Answer answer) {
        Pending pending = new Pending(leader, connect, answer);
        pending.go();
        return pending;
    }

    private final class Pending implements Opening {
        final NodeStart leader;
        final AuthenticatedConnect connect;
        final Answer answer;
        boolean isWithdrawn;
        @Nullable ModelConnection made;

        Pending(NodeStart leader, AuthenticatedConnect connect, Answer answer) {
            this.leader = leader;
            this.connect = connect;
            this.answer = answer;
        }

        void go() {
            edge.soon(() -> {
                ModelNode at = edge.simulation.node(leader.server());
                if (isWithdrawn) {
                    return;
                }
                if (!at.isUp || !at.self.equals(leader)) {
                    answer(answer::lost);
                } else if (!edge.simulation.links.isLinked(edge.server, at.server)) {
                    edge.in(50_000, this::go);
                } else {
                    arrive(at);
                }
            });
        }

        private void arrive(ModelNode at) {
            int slot = connect.clientId().slot();
            int to = slot % at.shards;
            Leader row = at.shard(to).leader(slot);
            if (row == null || !row.node().equals(at.self)) {
                byte[] bytes = ModelLeadership.write(slot, row);
                edge.soon(() -> answer(() -> answer.notLeader(bytes)));
                return;
            }
            ModelConnection remote =
                    at.connect(
                            to,
                            connect.clientId(),
                            connect.connect().cleanStart(),
                            connect.isDurable(),
                            edge.microsAt(connect.connectedMs()),
                            connect.identity().userName());
            made = remote;
            edge.simulation.accepted(connect);
            long until =
                    edge.simulation.scheduler.micros()
                            + RegistrationSimulation.TIMES.peerTimeoutMs() * 1000;
            edge.in(edge.simulation.openingMicros(), () -> bringOpened(at, remote, until));
        }

        /** Brings the answer when there is a link; without one for too long the channel is lost. */
        private void bringOpened(ModelNode from, ModelConnection remote, long until) {
            if (isWithdrawn) {
                return;
            }
            boolean isLost = edge.simulation.scheduler.micros() >= until;
            if (!from.isUp || isLost) {
                answer(answer::lost);
                remote.node.soon(remote::close);
            } else if (edge.simulation.links.isLinked(edge.server, from.server)) {
                answer(() -> answer.opened(new ModelPipe(remote)));
            } else {
                edge.in(50_000, () -> bringOpened(from, remote, until));
            }
        }

        private void answer(Runnable with) {
            if (!isWithdrawn) {
                edge.turn(shard, with);
            }
        }

        @Override
        public void withdraw() {
            isWithdrawn = true;
            ModelConnection remote = made;
            if (remote != null) {
                remote.node.soon(remote::close);
            }
        }
    }
}
