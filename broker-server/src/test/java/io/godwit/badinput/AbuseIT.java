package io.godwit.badinput;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * What {@code ./godwit chaos abuse} does, with less time and fewer clients. How fast the pair is
 * served meanwhile is for the long run to judge, on a machine with nothing else to do.
 */
@Tag("alone")
@Timeout(400)
class AbuseIT {
    /** The middle one of the long run, whose table is in docs/reliability.md. */
    private static final int NODE_MIB = 512;

    @Test
    void no_attack_ends_the_broker_or_takes_its_memory_or_has_effects_for_long() throws Exception {
        List<AbuseRun.Result> results =
                AbuseRun.run(
                        new AbuseRun.Plan(
                                List.of(NODE_MIB),
                                AbuseRun.Plan.allAttacks(),
                                0.2,
                                1_000,
                                3_000,
                                false),
                        System.out::println);
        assertThat(results).hasSameSizeAs(Attack.values());
        assertThat(results).allSatisfy(each -> assertThat(each.faults()).as(each.row()).isEmpty());
    }
}
