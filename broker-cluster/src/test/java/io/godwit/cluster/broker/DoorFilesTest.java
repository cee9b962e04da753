package io.godwit.cluster.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.stream.DoorDigests;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class DoorFilesTest {
    private static final DoorDigests ONE = new DoorDigests(1, 2, 3);
    private static final DoorDigests OTHER = new DoorDigests(1, 4, 3);

    private final LoopNodes nodes = new LoopNodes(2, new SplittableRandom(1));
    private final LoopNodes.One first = nodes.node(1);
    private final LoopNodes.One second = nodes.node(2);

    @Test
    void node_knows_what_another_one_has_and_hears_of_changes() {
        assertThat(second.part().doorsOf(first.server)).isEqualTo(DoorDigests.NONE);
        first.part().doors(ONE);
        nodes.pass(100);
        assertThat(second.part().doorsOf(first.server)).isEqualTo(ONE);
        first.part().doors(OTHER);
        nodes.pass(100);
        assertThat(second.part().doorsOf(first.server)).isEqualTo(OTHER);
        assertThat(first.part().doors()).isEqualTo(OTHER);
    }

    @Test
    void node_that_is_heard_again_says_it_again() {
        first.part().doors(ONE);
        nodes.pass(100);
        nodes.cut(first, second);
        nodes.pass(100);
        assertThat(second.part().doorsOf(first.server)).isEqualTo(DoorDigests.NONE);
        first.part().doors(OTHER);
        nodes.link(first, second);
        nodes.pass(100);
        assertThat(second.part().doorsOf(first.server)).isEqualTo(OTHER);
    }
}
