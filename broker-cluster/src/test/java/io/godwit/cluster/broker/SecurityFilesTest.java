package io.godwit.cluster.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.stream.SecurityDigests;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class SecurityFilesTest {
    private static final SecurityDigests ONE = new SecurityDigests(1, 2, 3);
    private static final SecurityDigests OTHER = new SecurityDigests(1, 4, 3);

    private final LoopNodes nodes = new LoopNodes(2, new SplittableRandom(1));
    private final LoopNodes.One first = nodes.node(1);
    private final LoopNodes.One second = nodes.node(2);

    @Test
    void node_knows_what_another_one_has_and_hears_of_changes() {
        assertThat(second.part().securityFilesOf(first.server)).isEqualTo(SecurityDigests.NONE);
        first.part().securityFiles(ONE);
        nodes.pass(100);
        assertThat(second.part().securityFilesOf(first.server)).isEqualTo(ONE);
        first.part().securityFiles(OTHER);
        nodes.pass(100);
        assertThat(second.part().securityFilesOf(first.server)).isEqualTo(OTHER);
        assertThat(first.part().securityFiles()).isEqualTo(OTHER);
    }

    @Test
    void node_that_is_heard_again_says_it_again() {
        first.part().securityFiles(ONE);
        nodes.pass(100);
        nodes.cut(first, second);
        nodes.pass(100);
        assertThat(second.part().securityFilesOf(first.server)).isEqualTo(SecurityDigests.NONE);
        first.part().securityFiles(OTHER);
        nodes.link(first, second);
        nodes.pass(100);
        assertThat(second.part().securityFilesOf(first.server)).isEqualTo(OTHER);
    }
}
