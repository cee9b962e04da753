package @package@;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import io.godwit.extension.auth.AuthenticationRequest;
import io.godwit.extension.auth.AuthenticationResult;
import io.godwit.extension.client.Origin;
import io.godwit.extension.packet.Bytes;
import io.godwit.extension.packet.ConnectPacket;
import io.godwit.extension.packet.MqttVersion;
import java.util.List;
import org.junit.jupiter.api.Test;

class PasswordAuthenticatorTest {
    private static final Settings SETTINGS = new Settings("demo", "secret", "sender");

    private static AuthenticationResult answer(Settings settings, String user, String password) {
        ConnectPacket connect =
                new ConnectPacket(
                        MqttVersion.V5,
                        "c1",
                        true,
                        60,
                        0,
                        65_535,
                        user,
                        Bytes.ofText(password),
                        null,
                        null,
                        null,
                        List.of());
        Origin origin = new Origin("127.0.0.1:50000", "mqtt", false, null);
        return new PasswordAuthenticator(settings)
                .authenticate(new AuthenticationRequest(connect, origin))
                .toCompletableFuture()
                .join();
    }

    @Test
    void user_with_the_password_is_let_in() {
        AuthenticationResult.Granted granted =
                assertInstanceOf(
                        AuthenticationResult.Granted.class, answer(SETTINGS, "demo", "secret"));
        assertEquals("demo", granted.grant().userName().orElseThrow());
    }

    @Test
    void user_with_another_password_is_refused() {
        assertInstanceOf(AuthenticationResult.Refused.class, answer(SETTINGS, "demo", "wrong"));
    }

    @Test
    void nobody_is_let_in_when_no_password_is_set() {
        Settings without = new Settings("demo", null, "sender");
        assertInstanceOf(AuthenticationResult.Refused.class, answer(without, "demo", ""));
    }

    @Test
    void other_users_are_left_to_the_next_authenticator() {
        assertInstanceOf(AuthenticationResult.PassedOn.class, answer(SETTINGS, "other", "secret"));
    }
}
