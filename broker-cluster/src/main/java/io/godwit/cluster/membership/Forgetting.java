package io.godwit.cluster.membership;

import io.godwit.cluster.transport.LinkState;
import io.godwit.cluster.transport.MessageType;
import io.godwit.cluster.transport.PeerLink;
import io.godwit.cluster.transport.TrafficClass;
import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.ByteWriter;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Before a member is forgotten, every node that has a link here is asked whether it has one to that
 * member. One that has, or does not answer, prevents it. On the thread of the links.
 *
 * <pre>
 * forget asked   question varint | server 3
 * forget told    question varint | has a link 1
 * </pre>
 */
final class Forgetting {
    static final MessageType ASKED =
            new MessageType(17, TrafficClass.CONTROL, "membership.forget asked");
    static final MessageType TOLD =
            new MessageType(18, TrafficClass.CONTROL, "membership.forget told");

    private static final Logger LOG = LoggerFactory.getLogger(Forgetting.class);

    private final int self;
    private final MemberList members;
    private final Map<Integer, PeerLink> linked;
    private final Unheard unheard;
    private final IntConsumer forget;
    private final Map<Long, Question> open = new LinkedHashMap<>();
    private long questions;

    private static final class Question {
        final Member about;
        final Consumer<ForgetAnswer> then;

        /** Whether it is to be forgotten when nobody objects. */
        final boolean isEarnest;

        final long untilMs;
        final Set<Integer> missing = new TreeSet<>();

        Question(Member about, boolean isEarnest, Consumer<ForgetAnswer> then, long untilMs) {
            this.about = about;
            this.isEarnest = isEarnest;
            this.then = then;
            this.untilMs = untilMs;
        }
    }

    /**
     * @param self server id of this node
     * @param linked by server id: the nodes that there is a link to
     * @param unheard for how long members were not heard
     * @param forget forgets the member of a server id
     */
    Forgetting(
            int self,
            MemberList members,
            Map<Integer, PeerLink> linked,
            Unheard unheard,
            IntConsumer forget) {
        this.self = self;
        this.members = members;
        this.linked = linked;
        this.unheard = unheard;
        this.forget = forget;
    }

    // ---------------------------------------------------------------- at this node

    /**
     * Forgets a member, or only finds out whether that could be done.
     *
     * @param node its name, or its server id
     * @param untilMs an answer of another node is waited for until then
     */
    void forget(String node, boolean isEarnest, Consumer<ForgetAnswer> then, long untilMs) {
        List<Member> found = find(node);
        if (found.isEmpty()) {
            then.accept(ForgetAnswer.no(node, "there is no member " + node + " in this cluster"));
        } else if (found.size() > 1) {
            then.accept(
                    ForgetAnswer.no(
                            node,
                            "several members have the name " + node + ": give the server id"));
        } else {
            forget(found.getFirst(), isEarnest, then, untilMs);
        }
    }

    private List<Member> find(String node) {
        List<Member> all = members.present();
        List<Member> byName = all.stream().filter(each -> each.name().equals(node)).toList();
        return byName.isEmpty()
                ? all.stream().filter(each -> String.valueOf(each.server()).equals(node)).toList()
                : byName;
    }

    /** The same of a member. */
    void forget(Member about, boolean isEarnest, Consumer<ForgetAnswer> then, long untilMs) {
        String no = objection(about);
        if (no != null) {
            then.accept(ForgetAnswer.no(about, no));
            return;
        }
        Question asked = new Question(about, isEarnest, then, untilMs);
        long number = ++questions;
        open.put(number, asked);
        asked.missing.add(self);
        for (PeerLink each : linked.values()) {
            if (each.state() == LinkState.UP) {
                asked.missing.add(each.peer().server());
                ByteWriter to = new ByteWriter(16).varint(number).server3(about.server());
                each.offer(new Written(ASKED, to.toBytes()));
            }
        }
        told(self, number, false);
    }

    private @Nullable String objection(Member about) {
        if (about.server() == self) {
            return "node " + about.name() + " is the one that was asked: ask another one";
        }
        if (linked.containsKey(about.server())) {
            return "node "
                    + about.name()
                    + " is there: only a node that has ended can be forgotten";
        }
        return null;
    }

    private void told(int from, long number, boolean hasLink) {
        Question asked = open.get(number);
        if (asked == null || !asked.missing.remove(from)) {
            return;
        }
        Member about = asked.about;
        if (hasLink) {
            open.remove(number);
            asked.then.accept(
                    ForgetAnswer.no(
                            about,
                            "node %s has a link with node %s: only a node that has ended can be"
                                            .formatted(nameOf(from), about.name())
                                    + " forgotten"));
        } else if (asked.missing.isEmpty()) {
            open.remove(number);
            agreed(asked);
        }
    }

    private void agreed(Question asked) {
        Member about = asked.about;
        String no = objection(about);
        if (no != null) {
            asked.then.accept(ForgetAnswer.no(about, no));
            return;
        }
        if (asked.isEarnest) {
            forget.accept(about.server());
        }
        asked.then.accept(new ForgetAnswer(about.server(), about.name(), null));
    }

    private String nameOf(int server) {
        Member member = members.get(server);
        return member == null ? String.valueOf(server) : member.name();
    }

    /**
     * Time has passed: whoever has not answered prevents it, and members that were not heard for
     * long enough are forgotten.
     *
     * @param untilMs an answer of another node is waited for until then
     */
    void tick(long nowMs, long untilMs) {
        Set<Integer> heard = new TreeSet<>(linked.keySet());
        heard.add(self);
        for (Member each : unheard.tick(nowMs, members.present(), heard)) {
            forget(each, true, answer -> notHeard(each, answer), untilMs);
        }
        Collection<Question> all = open.isEmpty() ? List.of() : new ArrayList<>(open.values());
        for (Question each : all) {
            if (each.untilMs <= nowMs && open.values().remove(each)) {
                each.then.accept(
                        ForgetAnswer.no(
                                each.about,
                                "node %s has not said within cluster.peer-timeout whether it hears"
                                                .formatted(nameOf(each.missing.iterator().next()))
                                        + " node %s: try again".formatted(each.about.name())));
            }
        }
    }

    private static void notHeard(Member member, ForgetAnswer answer) {
        LOG.warn(
                "No node had a link with node {} for cluster.forget-after: {}",
                member.name(),
                answer.refusal() == null
                        ? "it is forgotten"
                        : "it can't be forgotten yet: " + answer.refusal());
    }

    // ---------------------------------------------------------------- messages

    static boolean handles(MessageType type) {
        return type.equals(ASKED) || type.equals(TOLD);
    }

    /**
     * Reads one, on any thread.
     *
     * @return what is to be done on the thread of the links
     */
    Runnable read(PeerLink from, MessageType type, ByteReader body) {
        long question = body.varint();
        if (type.equals(ASKED)) {
            int server = body.server3();
            return () -> answer(from, question, server);
        }
        boolean hasLink = body.u8() != 0;
        return () -> told(from.peer().server(), question, hasLink);
    }

    private void answer(PeerLink to, long question, int server) {
        boolean hasLink = server == self || linked.containsKey(server);
        ByteWriter answer = new ByteWriter(16).varint(question).u8(hasLink ? 1 : 0);
        to.offer(new Written(TOLD, answer.toBytes()));
    }
}
