package io.godwit.cluster.takeover;

import io.godwit.core.packet.ClientId;
import io.godwit.core.simulation.Scheduler;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Nodes that take sessions over from each other, from one seed: clients that connect anywhere, also
 * at several nodes at once; links that break, in one direction too; nodes that die and come back.
 *
 * <p>After every step a session has one home at most; while nothing breaks, a client id has one
 * connection at most. At the end each client id has one home, and that has everything that was
 * acknowledged.
 */
final class TakeoverSimulation {
    private static final int STORY = 8_000;
    private static final int ACT_MICROS = 20_000_000;

    /** A node that starts lets clients in when it is linked to the others. */
    private static final int OPEN_MICROS = 100_000;

    /** What goes wrong. */
    enum Trouble {
        NONE,
        /** Links break and nodes die, at any time. */
        ANY,
        /** Nodes die and come back one after the other: the others have time in between. */
        DEATHS,
        /** The same, and some that have died are forgotten before they are back. */
        FORGETTING;

        /** Each of four seeds has its own. */
        static Trouble of(long seed) {
            return switch ((int) (seed % 4)) {
                case 0 -> NONE;
                case 1 -> DEATHS;
                default -> ANY;
            };
        }

        /** Whether nodes die one after the other. */
        boolean isOneByOne() {
            return this == DEATHS || this == FORGETTING;
        }
    }

    final Scheduler scheduler = new Scheduler();
    final SplittableRandom random;
    private final SplittableRandom drains;
    final SimulatedLinks links;
    final Set<TakeoverRule> rules;
    private final Trouble trouble;
    private final List<ModelNode> nodes = new ArrayList<>();
    private final List<Client> clients = new ArrayList<>();
    private final ArrayDeque<Object[]> story = new ArrayDeque<>();

    private final TakeoverCheck check;
    final Map<String, Integer> counts = new TreeMap<>();
    private boolean acting = true;
    private long generations;
    private long messages;

    /**
     * @param trouble what goes wrong
     */
    private TakeoverSimulation(long seed, Trouble trouble, Set<TakeoverRule> rules) {
        this.rules = rules;
        this.trouble = trouble;
        check = new TakeoverCheck(nodes, trouble, this::count);
        random = new SplittableRandom(seed * 0x9E37_79B9_7F4A_7C15L);
        drains = new SplittableRandom(seed * 0xD134_2543_DE82_EF95L);
        links = new SimulatedLinks(scheduler, random.split(), 1 + random.nextInt(40_000));
        int count = 2 + random.nextInt(4);
        for (int i = 0; i < count; i++) {
            nodes.add(new ModelNode(this, i + 1));
        }
        for (int i = 0; i < 1 + random.nextInt(6); i++) {
            clients.add(new Client(ClientId.of("c" + i), random.nextInt(3) > 0));
        }
    }

    /** Runs it; throws with its story when something is wrong. */
    static Map<String, Integer> run(long seed, Trouble trouble, Set<TakeoverRule> rules) {
        TakeoverSimulation run = new TakeoverSimulation(seed, trouble, rules);
        try {
            run.run();
            return run.counts;
        } catch (RuntimeException | AssertionError e) {
            throw new AssertionError(
                    "seed " + seed + ": " + e.getMessage() + "\n" + run.story(), e);
        }
    }

    private String story() {
        StringBuilder text = new StringBuilder();
        for (Object[] line : story) {
            text.append(line[0])
                    .append(' ')
                    .append(String.format((String) line[1], (Object[]) line[2]))
                    .append('\n');
        }
        return text.toString();
    }

    private void run() {
        nodes.forEach(ModelNode::start);
        until(2_000_000);
        clients.forEach(Client::act);
        switch (trouble) {
            case NONE -> drain(drains);
            case ANY -> {
                trouble();
                drain(drains);
            }
            case DEATHS, FORGETTING -> deaths();
        }
        until(ACT_MICROS);
        acting = false;
        links.healAll();
        nodes.stream().filter(node -> !node.isUp()).forEach(ModelNode::start);
        until(10_000_000);
        clients.forEach(Client::atEnd);
        until(10_000_000);
        check.atEnd(clients.stream().map(each -> each.id).toList());
    }

    private void until(long micros) {
        long end = scheduler.micros() + micros;
        scheduler.in(micros, () -> {});
        while (scheduler.micros() < end && scheduler.step()) {
            check.step();
        }
    }

    // ---------------------------------------------------------------- what happens

    private void trouble() {
        scheduler.in(
                random.nextInt(3_000_000),
                () -> {
                    if (!acting) {
                        return;
                    }
                    int a = random.nextInt(nodes.size());
                    int b = (a + 1 + random.nextInt(nodes.size() - 1)) % nodes.size();
                    ModelNode node = nodes.get(a);
                    if (random.nextBoolean()) {
                        count("cuts");
                        note("---- cut %s %s", a + 1, b + 1);
                        links.cut(a + 1, b + 1, random.nextBoolean());
                        scheduler.in(
                                random.nextInt(4_000_000),
                                () -> {
                                    note("---- heal %s %s", a + 1, b + 1);
                                    links.heal(a + 1, b + 1);
                                });
                    } else if (node.isUp()) {
                        count("crashes");
                        note("---- crash %s", a + 1);
                        node.crash();
                        scheduler.in(
                                random.nextInt(3_000_000),
                                () -> {
                                    if (!node.isUp()) {
                                        note("---- start %s", a + 1);
                                        node.start();
                                    }
                                });
                    }
                    trouble();
                });
    }

    /** One dies or comes back, and the others tell each other; one is up at least. */
    private void deaths() {
        scheduler.in(
                1_000_000 + random.nextInt(1_500_000),
                () -> {
                    if (!acting) {
                        return;
                    }
                    ModelNode node = nodes.get(random.nextInt(nodes.size()));
                    if (!node.isUp() && trouble == Trouble.FORGETTING && random.nextBoolean()) {
                        forget(node);
                    } else if (!node.isUp()) {
                        note("---- start %s", node.server);
                        node.start();
                    } else if (nodes.stream().filter(ModelNode::isUp).count() > 1) {
                        count("deaths");
                        note("---- crash %s", node.server);
                        node.crash();
                    }
                    deaths();
                });
    }

    /** One that is dead is forgotten by one that is up. */
    private void forget(ModelNode dead) {
        List<ModelNode> up = nodes.stream().filter(ModelNode::isUp).toList();
        if (up.stream().noneMatch(each -> each.isLinked(dead.server))) {
            count("forgettings");
            ModelNode by = up.get(random.nextInt(up.size()));
            note("---- %s forgets %s", by.server, dead.server);
            check.forgotten(dead);
            by.forget(dead.server);
        }
    }

    /** A node leaves while its clients still come and go; when things break it ends and is back. */
    private void drain(SplittableRandom when) {
        scheduler.in(
                when.nextInt(12_000_000),
                () -> {
                    ModelNode node = nodes.get(when.nextInt(nodes.size()));
                    if (!acting || !node.isUp()) {
                        return;
                    }
                    count("drains");
                    note("---- drain %s", node.server);
                    node.leave(drained -> {
                        count("drained");
                        note("---- %s has drained: %s", node.server, drained);
                    });
                    if (trouble == Trouble.ANY) {
                        scheduler.in(
                                when.nextInt(6_000_000),
                                node.inThisStart(() -> {
                                    note("---- drained %s ends", node.server);
                                    node.crash();
                                    node.start();
                                }));
                    }
                });
    }

    /** A client that connects anywhere, now and then with two connections at once. */
    private final class Client {
        final ClientId id;
        final boolean durable;

        /** The last one that was accepted. */
        @Nullable Connection online;

        Client(ClientId id, boolean durable) {
            this.id = id;
            this.durable = durable;
        }

        void act() {
            scheduler.in(
                    random.nextInt(400_000),
                    () -> {
                        if (!acting) {
                            return;
                        }
                        switch (random.nextInt(8)) {
                            case 0, 1 -> connect(random.nextInt(20) == 0);
                            case 2 -> {
                                count("two at once");
                                connect(false);
                                connect(false);
                            }
                            case 3 -> disconnect();
                            default -> {
                                long number = ++messages;
                                for (ModelNode node : nodes) {
                                    if (node.isUp()) {
                                        node.sessions.publish(id, number);
                                    }
                                }
                            }
                        }
                        act();
                    });
        }

        void atEnd() {
            connect(false);
        }

        private void disconnect() {
            Connection left = online;
            online = null;
            if (left != null && left.at != null) {
                left.at.sessions.disconnected(id, left);
            }
        }

        private void connect(boolean clean) {
            ModelNode node = nodes.get(random.nextInt(nodes.size()));
            boolean isOpen = !trouble.isOneByOne() || node.hasBeenUp(OPEN_MICROS);
            if (node.isUp() && isOpen) {
                note("%s connects at %s", id, node.server);
                node.sessions.connect(id, new Connection(this, clean));
            }
        }
    }

    private final class Connection implements ModelConnect {
        final Client of;
        final boolean clean;
        @Nullable ModelNode at;

        Connection(Client of, boolean clean) {
            this.of = of;
            this.clean = clean;
        }

        @Override
        public boolean isClean() {
            return clean;
        }

        @Override
        public boolean isDurable() {
            return of.durable;
        }

        @Override
        public boolean accepted(ModelNode node) {
            count("accepted");
            note("%s is accepted at %s", of.id, node.server);
            at = node;
            of.online = this;
            return true;
        }

        @Override
        public void refused() {
            count("refused");
            if (trouble == Trouble.NONE) {
                throw new IllegalStateException(of.id + " was refused");
            }
        }
    }

    // ---------------------------------------------------------------- what nodes tell

    /** A connection was ended by the broker. */
    void ended(@Nullable Object connection) {
        if (connection instanceof Connection ended) {
            ended.at = null;
        }
    }

    void acknowledged(long generation, long number) {
        check.acknowledged(generation, number);
    }

    void over(long generation) {
        check.over(generation);
    }

    void lost(ModelNode at, ModelSession session) {
        count(session.durable ? "set aside" : "lost to another");
        if (trouble == Trouble.FORGETTING) {
            check.lost(at, session);
        } else if (trouble != Trouble.ANY) {
            throw new IllegalStateException("two homes of one client id");
        }
    }

    /** Whether a node had something of the session when it was forgotten. */
    boolean isForgotten(ModelSession session) {
        return check.isForgotten(session);
    }

    void made(ModelNode at, ClientId clientId) {
        check.made(at, clientId);
    }

    void moved() {
        count("moved");
    }

    void tookBack(ModelSession session) {
        count("taken back");
        check.tookBack(session);
    }

    long generations() {
        return generations;
    }

    long nextGeneration() {
        return ++generations;
    }

    ModelNode node(int server) {
        return nodes.get(server - 1);
    }

    void count(String what) {
        counts.merge(what, 1, Integer::sum);
    }

    void note(String format, Object... of) {
        story.add(new Object[] {scheduler.micros() / 1000, format, of});
        if (story.size() > STORY) {
            story.remove();
        }
    }
}
