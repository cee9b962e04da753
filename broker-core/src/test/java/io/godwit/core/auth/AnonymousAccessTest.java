package io.godwit.core.auth;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.auth.AnonymousAccess.Policy;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.ReasonCode;
import java.util.List;
import org.junit.jupiter.api.Test;

class AnonymousAccessTest {
    private static final Packet.Connect CONNECT =
            new Packet.Connect(
                    ProtocolVersion.MQTT_5,
                    ClientId.of("c"),
                    true,
                    60,
                    null,
                    null,
                    null,
                    false,
                    Properties.NONE);

    private static Verdict verdict(Policy policy, boolean isHere) {
        return new AnonymousAccess(policy, () -> {})
                .decide(CONNECT, new Peer("192.0.2.8:40000", isHere, "mqtt"), false);
    }

    @Test
    void credentials_that_no_authenticator_knew_are_never_anonymous() {
        Verdict verdict =
                new AnonymousAccess(Policy.EVERYONE, () -> {})
                        .decide(
                                CONNECT.withUserName("ann"),
                                new Peer("127.0.0.1:40000", true, "mqtt"),
                                true);
        assertThat(verdict)
                .isInstanceOfSatisfying(
                        Verdict.Refused.class,
                        refused ->
                                assertThat(refused.reason())
                                        .isEqualTo(ReasonCode.BAD_USER_NAME_OR_PASSWORD));
    }

    @Test
    void refusal_names_the_key_that_decides() {
        for (Policy policy : List.of(Policy.LOOPBACK, Policy.NOBODY)) {
            assertThat(verdict(policy, false))
                    .isInstanceOfSatisfying(
                            Verdict.Refused.class,
                            refused -> {
                                assertThat(refused.reason()).isEqualTo(ReasonCode.NOT_AUTHORIZED);
                                assertThat(refused.text()).contains("security.anonymous");
                            });
        }
    }

    @Test
    void client_of_this_machine_is_let_in_by_loopback_and_refused_by_nobody() {
        assertThat(verdict(Policy.LOOPBACK, true))
                .isEqualTo(new Verdict.Granted(Identity.ANONYMOUS));
        assertThat(verdict(Policy.EVERYONE, false))
                .isEqualTo(new Verdict.Granted(Identity.ANONYMOUS));
        assertThat(verdict(Policy.NOBODY, true)).isInstanceOf(Verdict.Refused.class);
    }
}
