package io.godwit.cluster.membership;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.transport.Forgotten;
import io.godwit.cluster.transport.NodeStart;
import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.ByteWriter;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class MemberListTest {
    private static Member member(int server, long start) {
        return new Member(new NodeStart(server, start), 50 + start, "n" + server, "");
    }

    private static MemberList list(Member... members) {
        MemberList list = new MemberList();
        list.addAll(List.of(members));
        return list;
    }

    private static MemberList copy(MemberList of) {
        return list(MemberList.read(new ByteReader(of.toBytes())).toArray(Member[]::new));
    }

    /** Each merges what the other says. */
    private static void exchange(MemberList a, MemberList b) {
        byte[] said = a.toBytes();
        a.addAll(MemberList.read(new ByteReader(b.toBytes())));
        b.addAll(MemberList.read(new ByteReader(said)));
        assertThat(a.toBytes()).isEqualTo(b.toBytes());
    }

    @Test
    void an_older_list_takes_nothing_back() {
        MemberList before = list(member(1, 1), member(2, 4));
        MemberList after = copy(before);
        assertThat(after.forget(2, true)).isTrue();
        assertThat(after.forget(2, true)).isFalse();
        exchange(after, before);
        assertThat(before.forgotten()).isEqualTo(new Forgotten(Set.of(2), 1));
        assertThat(before.present()).containsExactly(member(1, 1));
        assertThat(before.get(2)).isNotNull(); // Its starts go on to grow.
    }

    @Test
    void one_that_is_back_is_a_member_also_for_those_that_know_it_as_forgotten() {
        MemberList a = list(member(1, 1), member(2, 4));
        a.forget(2, true);
        MemberList b = copy(a);
        b.add(member(2, 5));
        assertThat(b.present()).hasSize(1);
        b.forget(2, false);
        exchange(a, b);
        assertThat(a.forgotten()).isEqualTo(new Forgotten(Set.of(), 1));
        assertThat(a.present()).hasSize(2);
        a.forget(2, true);
        exchange(a, b);
        assertThat(b.forgotten()).isEqualTo(new Forgotten(Set.of(2), 2));
    }

    /** One has forgotten it, the other one has seen a later start of it. */
    @Test
    void the_later_start_and_the_higher_number_stay_whoever_knows_them() {
        MemberList a = list(member(2, 4));
        MemberList b = list(member(2, 5));
        a.forget(2, true);
        exchange(a, b);
        assertThat(b.forgotten().servers()).containsExactly(2);
        assertThat(a.get(2).last().start()).isEqualTo(5);
    }

    @Test
    void a_file_of_before_has_nobody_forgotten() {
        byte[] old =
                HexFormat.of()
                        .parseHex(
                                "01"
                                        + "11"
                                        + "000003"
                                        + "04"
                                        + "0000000000000058"
                                        + "026e33"
                                        + "0161");
        MemberList list = new MemberList();
        list.addAll(MemberList.read(new ByteReader(new ByteWriter(20).raw(old).toBytes())));
        assertThat(list.present()).extracting(Member::name).containsExactly("n3");
        assertThat(list.forgotten()).isEqualTo(Forgotten.NOBODY);
        assertThat(list.present()).allMatch(Member::hasServed);
    }

    @Test
    void that_a_member_has_served_is_never_taken_back() {
        MemberList a = list(member(1, 1), member(2, 4));
        MemberList b = copy(a);
        assertThat(a.serve(2)).isTrue();
        assertThat(a.serve(2)).isFalse();
        assertThat(a.serve(3)).isFalse();
        b.add(member(2, 5));
        exchange(a, b);
        assertThat(a.get(1).hasServed()).isFalse();
        assertThat(a.get(2).hasServed()).isTrue();
        assertThat(a.get(2).last().start()).isEqualTo(5);
        exchange(a, list(member(2, 9)));
        assertThat(a.get(2).hasServed()).isTrue();
    }
}
