package io.godwit.core.packet;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PropertiesTest {
    private static final Properties MIXED =
            Properties.builder()
                    .user("a", "\u00e4")
                    .add(Property.RECEIVE_MAXIMUM, 7)
                    .user("", "b")
                    .add(Property.REASON_STRING, "why")
                    .user("a", "again")
                    .build();

    @Test
    void userPropertiesKeepTheirOrderAndRepetitions() {
        assertThat(MIXED.userProperties())
                .containsExactly(
                        new UserProperty("a", "\u00e4"),
                        new UserProperty("", "b"),
                        new UserProperty("a", "again"));
        assertThat(MIXED.userCount()).isEqualTo(3);
        assertThat(MIXED.size()).isEqualTo(2);
        assertThat(MIXED.number(Property.RECEIVE_MAXIMUM, 0)).isEqualTo(7);
    }

    @Test
    void theyTakeWhatTheyTakeOnTheWire() {
        Properties.Builder builder = Properties.builder();
        for (int i = 0; i < 100_000; i++) {
            builder.user("", "");
        }
        assertThat(builder.build().accountedBytes()).isEqualTo(5 * 100_000);
    }

    @Test
    void whatIsLeftOutOrAddedTakesTheOthersAlong() {
        Properties without = MIXED.without(Property.REASON_STRING);
        assertThat(without.has(Property.REASON_STRING)).isFalse();
        assertThat(without.userProperties()).isEqualTo(MIXED.userProperties());
        assertThat(without).isNotEqualTo(MIXED);
        Properties whole = Properties.builder().addAll(MIXED).build();
        assertThat(whole).isEqualTo(MIXED).hasSameHashCodeAs(MIXED);
        assertThat(Properties.builder().addAll(whole).user("one", "more").build())
                .isNotEqualTo(MIXED);
        assertThat(Properties.builder().user("only", "one").build().isEmpty()).isFalse();
    }

    @Test
    void theBuilderIsEmptyAfterwards() {
        Properties.Builder builder = Properties.builder().user("a", "b");
        assertThat(builder.build().userCount()).isEqualTo(1);
        assertThat(builder.build()).isEqualTo(Properties.NONE);
    }
}
