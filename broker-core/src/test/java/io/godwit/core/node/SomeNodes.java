package io.godwit.core.node;

import io.godwit.core.ack.Receipt;
import io.godwit.core.id.HybridId;
import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.ByteWriter;
import io.godwit.core.operation.PageCodec;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.Property;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.Will;
import io.godwit.core.store.CopyPage;
import io.godwit.core.store.KeptStore;
import io.godwit.core.store.MemoryStore;
import io.godwit.core.store.SessionMoves;
import io.godwit.core.store.Store;
import io.godwit.core.takeover.Answers;
import io.godwit.core.takeover.Claim;
import io.godwit.core.takeover.Forwarded;
import io.godwit.core.takeover.Homes;
import io.godwit.core.takeover.Place;
import io.godwit.core.takeover.Registrar;
import io.godwit.core.takeover.Token;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Nodes of two shards that give sessions to each other. Whoever asks for a client id is told at
 * once who has it; what nodes say to each other waits until the test lets it through.
 */
final class SomeNodes {
    private static final int SHARDS = 2;

    /** A claim that was asked for; one of a client id at a time. */
    private record Asked(Side by, Token token, long changes) {}

    final SettableTime time = new SettableTime();
    final List<Side> sides = new ArrayList<>();
    private final Map<ClientId, Side> homes = new HashMap<>();
    private final Map<ClientId, Asked> asked = new HashMap<>();
    private final ArrayDeque<Runnable> words = new ArrayDeque<>();
    private long changes;
    private final boolean keeps;

    /** While set, what nodes say to each other stays under way. */
    boolean isHeld;

    SomeNodes(int count) {
        this(count, true);
    }

    /**
     * @param keeps false for nodes that have everything in memory only
     */
    SomeNodes(int count, boolean keeps) {
        this.keeps = keeps;
        for (int i = 0; i < count; i++) {
            sides.add(new Side(i + 1));
        }
        sides.forEach(Side::start);
    }

    Side side(int number) {
        return sides.get(number - 1);
    }

    void settle() {
        do {
            sides.forEach(side -> side.node.settle());
        } while (next());
    }

    private boolean next() {
        Runnable word = isHeld ? null : words.poll();
        if (word != null) {
            word.run();
        }
        return word != null;
    }

    /** Lets so many words through. */
    void step(int count) {
        isHeld = false;
        for (int i = 0; i < count; i++) {
            sides.forEach(side -> side.node.settle());
            next();
        }
        isHeld = true;
        sides.forEach(side -> side.node.settle());
    }

    /** Number of the last grant. */
    long changes() {
        return changes;
    }

    /** The claim of a client id comes to nothing: its home is out of reach. */
    void refuse(String clientId) {
        ClientId id = ClientId.of(clientId);
        Asked claim = Objects.requireNonNull(asked.remove(id));
        claim.by.now(id, at -> at.outOfReach(id, claim.token));
    }

    int underWay() {
        return words.size();
    }

    private static SessionMoves.Given given(Side side, Token token, long changes) {
        Place at = token.claimant();
        return new SessionMoves.Given(
                side.server, side.starts, at.shard(), token.number(), changes);
    }

    /** One node with its store. */
    final class Side {
        final int server;
        final KeptStore store = new KeptStore();

        @SuppressWarnings("NullAway.Init") // set by start()
        TestNode node;

        long starts;
        private Answers[] moves = new Answers[SHARDS];

        Side(int server) {
            this.server = server;
        }

        void start() {
            starts++;
            moves = new Answers[SHARDS];
            Store of = keeps ? store : new MemoryStore();
            node = new TestNode(server, SHARDS, of, time, this::homes);
            Restart.run(node.context, node.shards);
        }

        /** What was said to it before is lost. */
        void crash() {
            start();
            settle();
        }

        private Homes homes(int shard, Answers of) {
            moves[shard] = of;
            return new Direct(this, shard);
        }

        /** On the shard of the registrar, when its turn comes. */
        private void say(ClientId clientId, Consumer<Answers> word) {
            long of = starts;
            words.add(() -> {
                if (of == starts) {
                    int at = Registrar.shardOf(clientId, SHARDS);
                    node.shards[at].execute(() -> word.accept(moves[at]));
                }
            });
        }

        /** On the shard of the registrar, before what is under way. */
        void now(ClientId clientId, Consumer<Answers> word) {
            int at = Registrar.shardOf(clientId, SHARDS);
            node.execute(at, () -> word.accept(moves[at]));
        }

        /** There is a link again. */
        void linked(int peer) {
            for (int i = 0; i < SHARDS; i++) {
                Answers at = moves[i];
                node.shards[i].execute(() -> at.linked(peer));
            }
        }

        TestClient connect(int shard, String clientId, @Nullable Will will) {
            return connect(shard, clientId, false, 3600, will);
        }

        TestClient connect(
                int shard,
                String clientId,
                boolean cleanStart,
                long expirySeconds,
                @Nullable Will will) {
            TestClient client = node.open(shard, ProtocolVersion.MQTT_5);
            client.send(
                    new Packet.Connect(
                            ProtocolVersion.MQTT_5,
                            ClientId.of(clientId),
                            cleanStart,
                            60,
                            will,
                            null,
                            null,
                            false,
                            Properties.builder()
                                    .add(Property.SESSION_EXPIRY_INTERVAL, expirySeconds)
                                    .build()));
            settle();
            return client;
        }
    }

    /** What one shard says to the others. */
    private final class Direct implements Homes {
        private final Side side;
        private final int shard;

        Direct(Side side, int shard) {
            this.side = side;
            this.shard = shard;
        }

        @Override
        public void claim(Claim claim) {
            ClientId clientId = claim.clientId();
            Asked now = new Asked(side, claim.token(), ++changes);
            asked.put(clientId, now);
            Side home = homes.get(clientId);
            if (home == null) {
                side.say(clientId, at -> at.nobody(clientId, now.token, now.changes));
            } else {
                SessionMoves.Given to = given(side, now.token, now.changes);
                home.say(clientId, at -> at.giveUp(clientId, claim.cleanStart(), to));
            }
        }

        @Override
        public void settled(ClientId clientId, Token token, boolean hasSession, boolean isDurable) {
            if (hasSession) {
                homes.put(clientId, side);
            }
        }

        @Override
        public void gaveUp(ClientId clientId, byte @Nullable [] header) {
            homes.remove(clientId);
            Asked to = Objects.requireNonNull(asked.get(clientId));
            if (header == null) {
                to.by.say(clientId, at -> at.nobody(clientId, to.token, to.changes));
            } else {
                int from = side.server;
                to.by.say(clientId, at -> at.arrive(clientId, to.token, from, to.changes, header));
            }
        }

        @Override
        public void arrived(ClientId clientId, Token token, List<SessionMoves.Home> former) {
            homes.put(clientId, side);
        }

        @Override
        public void whole(ClientId clientId, long number) {
            tellFormer(clientId, side.node.session(clientId.toString()).life().moves().former());
        }

        private void tellFormer(ClientId clientId, List<SessionMoves.Home> former) {
            for (SessionMoves.Home each : former) {
                Side from = side(each.server());
                from.say(clientId, at -> at.drop(clientId, each.changes()));
                side.say(clientId, at -> at.dropped(clientId, each));
            }
        }

        @Override
        public void ended(ClientId clientId) {
            homes.remove(clientId, side);
        }

        @Override
        public void askForPage(int server, ClientId clientId, long number, HybridId above) {
            side(server)
                    .say(
                            clientId,
                            at ->
                                    at.readPage(
                                            clientId,
                                            number,
                                            above,
                                            new CopyPage.Reader() {
                                                @Override
                                                public void onPage(CopyPage page) {
                                                    byte[] bytes = bytes(page);
                                                    side.say(
                                                            clientId,
                                                            there ->
                                                                    there.page(
                                                                            clientId,
                                                                            number,
                                                                            page(bytes)));
                                                }

                                                @Override
                                                public void onFailed(Throwable cause) {
                                                    throw new AssertionError(cause);
                                                }
                                            }));
        }

        @Override
        public void forward(SessionMoves.Given to, Forwarded what, @Nullable Receipt receipt) {
            side(to.server())
                    .say(
                            what.clientId(),
                            at ->
                                    at.forwarded(
                                            to.changes(),
                                            what,
                                            receipt == null ? null : back(receipt)));
        }

        @Override
        public void forwardElsewhere(ClientId clientId, long given, SessionMoves.Given to) {}

        @Override
        public void forwardHere(ClientId clientId, long given, long number, boolean mayWait) {
            side.say(clientId, at -> at.caughtUp(clientId, number));
        }

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

        private Receipt back(Receipt receipt) {
            BrokerShard at = side.node.shards[shard];
            return new Receipt(null, 0, receipt.qos) {
                @Override
                public void onDone() {
                    words.add(() -> at.execute(() -> receipt.targetDone(!hasFailed())));
                }
            };
        }

        @Override
        public void recovered(ClientId clientId, long number) {
            homes.put(clientId, side);
        }

        @Override
        public void tookBack(
                ClientId clientId, SessionMoves.Given claim, List<SessionMoves.Home> former) {
            homes.put(clientId, side);
        }

        @Override
        public void replaced(ClientId clientId, boolean isDurable) {}

        @Override
        public void stays(ClientId clientId) {
            Asked claim = Objects.requireNonNull(asked.remove(clientId));
            claim.by.say(clientId, at -> at.outOfReach(clientId, claim.token));
        }

        @Override
        public void gaveAgain(ClientId clientId) {}

        @Override
        public void recoveredFormer(
                ClientId clientId, List<SessionMoves.Home> former, boolean isFilling) {
            long of = side.starts;
            words.add(() -> {
                if (!isFilling && of == side.starts) {
                    tellFormer(clientId, former);
                }
            });
        }

        @Override
        public void recoveredLeft(
                ClientId clientId, List<SessionMoves.Home> former, boolean isFilling) {
            recoveredFormer(clientId, former, isFilling);
        }

        @Override
        public void recoveredGiven(ClientId clientId, SessionMoves.Given to, byte[] header) {}
    }

    private static byte[] bytes(CopyPage page) {
        ByteWriter to = new ByteWriter(PageCodec.length(page));
        PageCodec.write(to, page);
        return to.toBytes();
    }

    private static CopyPage page(byte[] bytes) {
        return PageCodec.read(new ByteReader(bytes));
    }
}
