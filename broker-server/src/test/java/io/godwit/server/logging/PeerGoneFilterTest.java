package io.godwit.server.logging;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.core.spi.FilterReply;
import org.junit.jupiter.api.Test;

class PeerGoneFilterTest {
    private static FilterReply reply(String logger, String message) {
        return new PeerGoneFilter()
                .decide(
                        new LoggingEvent(
                                "",
                                new LoggerContext().getLogger(logger),
                                Level.ERROR,
                                message,
                                null,
                                null));
    }

    @Test
    void only_the_goodbye_that_a_gone_node_did_not_get_is_left_out() {
        String goodbye =
                "127.0.0.1:35349: failed sending graceful close to 127.0.0.1:33411: Broken pipe";
        assertThat(reply("org.jgroups.protocols.TCP", goodbye)).isEqualTo(FilterReply.DENY);
        assertThat(reply("org.jgroups.protocols.TCP", "failed handling connection"))
                .isEqualTo(FilterReply.NEUTRAL);
        assertThat(reply("io.godwit.cluster.transport.Links", goodbye))
                .isEqualTo(FilterReply.NEUTRAL);
    }
}
