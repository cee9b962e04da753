package io.godwit.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A run whose cuts cut nothing would find nothing. */
@Tag("alone")
class NodeNetworkIT {
    private static final int NOBODY_LISTENS = 1;
    private static final int NO_ANSWER = 124;

    /** How an attempt to reach a port at which nobody listens ends. */
    private static int asks(NodeNetwork network, int from, int to, int seconds) throws Exception {
        List<String> command = new ArrayList<>(network.within(from));
        String target = "</dev/tcp/" + network.address(to) + "/9";
        command.addAll(List.of("timeout", "" + seconds, "bash", "-c", target));
        return new ProcessBuilder(command).start().waitFor();
    }

    @Test
    void what_is_cut_is_lost_in_that_direction_until_it_is_healed() throws Exception {
        String problem = NodeNetwork.problem();
        if (problem != null) {
            System.err.println("NOT TESTED: " + problem);
            Assumptions.abort(problem);
        }
        try (NodeNetwork network = NodeNetwork.of(3)) {
            network.cut(1, 2);
            assertThat(asks(network, 1, 2, 1)).as("its question is lost").isEqualTo(NO_ANSWER);
            assertThat(asks(network, 2, 1, 1)).as("its answer is lost").isEqualTo(NO_ANSWER);
            assertThat(asks(network, 1, 3, 60)).isEqualTo(NOBODY_LISTENS);
            assertThat(asks(network, 3, 2, 60)).isEqualTo(NOBODY_LISTENS);
            network.heal(1, 2);
            assertThat(asks(network, 1, 2, 60)).isEqualTo(NOBODY_LISTENS);
            assertThat(asks(network, 2, 1, 60)).isEqualTo(NOBODY_LISTENS);
        }
    }
}
