package io.godwit.extension.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class GrantTest {
    private static Arguments refused(UnaryOperator<Grant.Builder> change, String text) {
        return Arguments.of(change, text);
    }

    static Stream<Arguments> limitsOutOfRange() {
        return Stream.of(
                refused(
                        g -> g.receiveMaximum(65_536),
                        "receive maximum 65536; allowed is 0..65535"),
                refused(g -> g.publishRate(-1), "publish rate -1"),
                refused(g -> g.publishBytes(-1), "publish bytes -1"),
                refused(g -> g.queueMessages(-1), "queue messages -1; allowed is 0..1000000000000"),
                refused(
                        g -> g.queueMessages(1_000_000_000_001L),
                        "queue messages 1000000000001; allowed is 0..1000000000000"),
                refused(
                        g -> g.queueBytes(1_023),
                        "queue bytes 1023; allowed is 0, 1024..1125899906842624"),
                refused(
                        g -> g.queueBytes((1L << 50) + 1),
                        "queue bytes 1125899906842625; allowed is 0, 1024..1125899906842624"),
                refused(
                        g -> g.connectionsOfUser(-1),
                        "connections of the user -1; allowed is 0..100000000"),
                refused(
                        g -> g.connectionsOfAddress(100_000_001),
                        "connections of the address 100000001; allowed is 0..100000000"));
    }

    @ParameterizedTest
    @MethodSource("limitsOutOfRange")
    void limit_out_of_range_is_refused_with_what_is_allowed(
            UnaryOperator<Grant.Builder> change, String text) {
        assertThatThrownBy(() -> change.apply(Grant.to("u")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(text);
    }

    @Test
    void grant_has_the_limits_that_it_was_given_and_the_broker_s_without_them() {
        Grant grant =
                Grant.to("u")
                        .queueMessages(1_000_000_000_000L)
                        .queueBytes(1L << 50)
                        .queueFull(Grant.QueueFull.REJECT)
                        .connectionsOfUser(1)
                        .connectionsOfAddress(100_000_000)
                        .build();
        assertThat(grant.queueMessages()).isEqualTo(1_000_000_000_000L);
        assertThat(grant.queueBytes()).isEqualTo(1L << 50);
        assertThat(grant.queueFull()).contains(Grant.QueueFull.REJECT);
        assertThat(grant.connectionsOfUser()).isEqualTo(1);
        assertThat(grant.connectionsOfAddress()).isEqualTo(100_000_000);

        Grant plain = Grant.to("u").build();
        assertThat(plain.queueMessages()).isZero();
        assertThat(plain.queueBytes()).isZero();
        assertThat(plain.queueFull()).isEmpty();
        assertThat(plain.connectionsOfUser()).isZero();
        assertThat(plain.connectionsOfAddress()).isZero();
    }
}
