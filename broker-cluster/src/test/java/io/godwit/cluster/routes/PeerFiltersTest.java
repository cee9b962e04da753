package io.godwit.cluster.routes;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.packet.KeyedHash;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.routing.FilterListener;
import io.godwit.core.routing.GroupState;
import io.godwit.core.routing.TopicIndex;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** The filters of a node that is forgotten leave the index slice by slice. */
class PeerFiltersTest {
    private static final int FILTERS = 1_000;
    private static final int SLICE = NodeRoutes.SLICE;

    private final TopicIndex index =
            new TopicIndex(new KeyedHash(new SplittableRandom(1)), FilterListener.NONE);
    private long charged;
    private final PeerFilters filters = new PeerFilters(2, index, change -> charged += change);

    private void tellAll() {
        filters.begin();
        for (int i = 0; i < FILTERS; i++) {
            filters.change(filter(i), GroupState.ONLINE);
        }
        filters.end();
    }

    private static TopicFilter filter(int number) {
        return TopicFilter.of("t/" + number);
    }

    private boolean isRouted(int number) {
        return index.route(Topic.of("t/" + number)).nodes().length > 0;
    }

    @Test
    void a_slice_takes_some_out() {
        tellAll();
        assertThat(charged).isGreaterThan(150L * FILTERS);
        filters.forget();
        assertThat(filters.size()).isEqualTo(FILTERS);
        assertThat(filters.isComplete()).isFalse();

        for (int left = FILTERS - SLICE; left >= 0; left -= SLICE) {
            assertThat(filters.forgetMore(SLICE)).isEqualTo(left == 0);
            assertThat(filters.size()).isEqualTo(left);
        }

        assertThat(filters.isForgotten()).isTrue();
        assertThat(charged).isZero();
        for (int i = 0; i < FILTERS; i++) {
            assertThat(isRouted(i)).isFalse();
        }
    }

    @Test
    void what_a_node_tells_anew_that_is_back_before_all_have_gone_stays() {
        tellAll();
        filters.forget();
        filters.forgetMore(SLICE);
        filters.begin();
        filters.change(filter(1), GroupState.ONLINE);
        assertThat(filters.forgetMore(SLICE)).isTrue();
        filters.end();
        assertThat(filters.isForgotten()).isFalse();
        assertThat(filters.size()).isEqualTo(1);
        assertThat(isRouted(1)).isTrue();
        assertThat(isRouted(FILTERS - 1)).isFalse();
    }

    @Test
    void what_comes_late_of_a_forgotten_node_goes_as_well() {
        tellAll();
        filters.forget();
        filters.forgetMore(FILTERS - 1);
        filters.change(filter(0), GroupState.ONLINE);
        while (!filters.forgetMore(SLICE)) {
            assertThat(filters.size()).isPositive();
        }
        assertThat(filters.size()).isZero();
        assertThat(isRouted(0)).isFalse();
    }
}
