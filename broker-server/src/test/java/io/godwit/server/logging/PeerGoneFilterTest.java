package io.godwit.server.logging;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.core.spi.FilterReply;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class PeerGoneFilterTest {
    private static final String TCP = "io.godwit.cluster.jgroups.PatientTcp";
    private static final String LINKS = "io.godwit.cluster.transport.Links";

    private static FilterReply reply(String logger, String message, @Nullable Throwable cause) {
        return new PeerGoneFilter()
                .decide(
                        new LoggingEvent(
                                "",
                                new LoggerContext().getLogger(logger),
                                Level.ERROR,
                                message,
                                cause,
                                null));
    }

    @Test
    void only_the_goodbye_that_a_gone_node_did_not_get_is_left_out() {
        String goodbye =
                "127.0.0.1:35349: failed sending graceful close to 127.0.0.1:33411: Broken pipe";
        assertThat(reply(TCP, goodbye, null)).isEqualTo(FilterReply.DENY);
        assertThat(reply(TCP, "failed handling connection", null)).isEqualTo(FilterReply.NEUTRAL);
        assertThat(reply(LINKS, goodbye, null)).isEqualTo(FilterReply.NEUTRAL);
    }

    @Test
    void only_the_end_of_a_connection_that_is_being_read_is_left_out() {
        String reading = "127.0.0.1:35349: failed handling message";
        assertThat(reply(TCP, reading, new IOException("Stream closed")))
                .isEqualTo(FilterReply.DENY);
        assertThat(reply(TCP, reading + ": java.io.IOException: Stream closed", null))
                .isEqualTo(FilterReply.DENY);

        assertThat(reply(LINKS, reading, new IOException("Stream closed")))
                .isEqualTo(FilterReply.NEUTRAL);
        assertThat(reply(TCP, reading, new IOException("bad length 3000000000")))
                .isEqualTo(FilterReply.NEUTRAL);
        assertThat(reply(TCP, reading, new IllegalStateException("Stream closed")))
                .isEqualTo(FilterReply.NEUTRAL);
        assertThat(reply(TCP, "failed sending", new IOException("Stream closed")))
                .isEqualTo(FilterReply.NEUTRAL);
    }
}
