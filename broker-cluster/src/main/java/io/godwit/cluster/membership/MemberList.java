package io.godwit.cluster.membership;

import io.godwit.cluster.transport.Forgotten;
import io.godwit.cluster.transport.NodeStart;
import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.ByteWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Every member that ever joined, by server id, with those that are forgotten. Two lists merge to
 * the same one in either order: of a member that both have the later start stays, the higher number
 * of forgettings, and that it has served.
 *
 * <pre>
 * count varint | members: length varint | server 3 | start varint | process 8 | name sized
 *                         | client address sized | forgotten varint | has served 1
 *                         | what later versions add
 * </pre>
 */
final class MemberList {
    private final Map<Integer, Member> members = new TreeMap<>();

    /** Those that belong to the cluster. */
    List<Member> present() {
        return members.values().stream().filter(each -> !each.isForgotten()).toList();
    }

    Forgotten forgotten() {
        Set<Integer> servers = new TreeSet<>();
        long times = 0;
        for (Member each : members.values()) {
            times += (each.forgotten() + 1) / 2;
            if (each.isForgotten()) {
                servers.add(each.server());
            }
        }
        return new Forgotten(servers, times);
    }

    /**
     * A member is forgotten from now on, or belongs to the cluster again.
     *
     * @return whether it is news
     */
    boolean forget(int server, boolean isForgotten) {
        Member known = members.get(server);
        if (known == null || known.isForgotten() == isForgotten) {
            return false;
        }
        members.put(server, known.turned());
        return true;
    }

    /**
     * Notes that a member lets clients in.
     *
     * @return whether it is news
     */
    boolean serve(int server) {
        Member known = members.get(server);
        return known != null && add(known.serving());
    }

    @Nullable Member get(int server) {
        return members.get(server);
    }

    /**
     * @return whether it is news
     */
    boolean add(Member member) {
        Member known = members.get(member.server());
        Member merged = known == null ? member : merged(known, member);
        members.put(member.server(), merged);
        return !merged.equals(known);
    }

    private static Member merged(Member known, Member other) {
        return isNewer(other, known) ? other.with(known) : known.with(other);
    }

    private static boolean isNewer(Member member, Member known) {
        if (member.last().start() != known.last().start()) {
            return member.last().start() > known.last().start();
        }
        // The same start has other names only by a copied folder; all nodes agree on one of them.
        return member.process() > known.process();
    }

    byte[] toBytes() {
        ByteWriter all = new ByteWriter(256).varint(members.size());
        for (Member each : members.values()) {
            ByteWriter one = new ByteWriter(64);
            one.server3(each.server()).varint(each.last().start()).long8(each.process());
            one.sized(each.name().getBytes(StandardCharsets.UTF_8));
            one.sized(each.clientAddress().getBytes(StandardCharsets.UTF_8));
            one.varint(each.forgotten()).u8(each.hasServed() ? 1 : 0);
            all.sized(one.toBytes());
        }
        return all.toBytes();
    }

    /**
     * Adds what another list says.
     *
     * @return whether anything was news
     */
    boolean addAll(List<Member> others) {
        boolean news = false;
        for (Member each : others) {
            news |= add(each);
        }
        return news;
    }

    /**
     * @throws IndexOutOfBoundsException when these are not members
     */
    static List<Member> read(ByteReader in) {
        List<Member> members = new ArrayList<>();
        for (int left = in.smallInt(); left > 0; left--) {
            int length = in.size();
            int end = in.next() + length;
            NodeStart last = new NodeStart(in.server3(), in.varint());
            long process = in.long8();
            String name = text(in);
            String clientAddress = text(in);
            // A file or a node of before has not got these: its members did not wait for others.
            long forgotten = in.next() < end ? in.varint() : 0;
            boolean hasServed = in.next() >= end || in.u8() == 1;
            members.add(new Member(last, process, name, clientAddress, forgotten, hasServed));
            in.skipTo(end);
        }
        return members;
    }

    private static String text(ByteReader in) {
        return new String(in.sized(), StandardCharsets.UTF_8);
    }
}
