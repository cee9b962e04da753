package io.godwit.cluster.membership;

import io.godwit.cluster.transport.NodeStart;
import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.ByteWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Every member that ever joined, by server id. Two lists merge to the same one in either order: of
 * a member that both have the later start stays.
 *
 * <pre>
 * count varint | members: length varint | server 3 | start varint | process 8 | name sized
 *                         | client address sized | what later versions add
 * </pre>
 */
final class MemberList {
    private final Map<Integer, Member> members = new TreeMap<>();

    Collection<Member> all() {
        return members.values();
    }

    @Nullable Member get(int server) {
        return members.get(server);
    }

    /**
     * @return whether it is news
     */
    boolean add(Member member) {
        Member known = members.get(member.server());
        if (known != null && !isNewer(member, known)) {
            return false;
        }
        members.put(member.server(), member);
        return true;
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
            members.add(new Member(last, process, text(in), text(in)));
            in.skipTo(end);
        }
        return members;
    }

    private static String text(ByteReader in) {
        return new String(in.sized(), StandardCharsets.UTF_8);
    }
}
