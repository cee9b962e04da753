package @package@;

import io.godwit.extension.auth.AuthenticationRequest;
import io.godwit.extension.auth.AuthenticationResult;
import io.godwit.extension.auth.Authenticator;
import io.godwit.extension.packet.Bytes;
import io.godwit.extension.packet.ConnectPacket;
import io.godwit.extension.packet.ReasonCode;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.concurrent.CompletionStage;

/** Lets one user in by a password; whoever else comes is left to the next authenticator. */
final class PasswordAuthenticator implements Authenticator {
    private final Settings settings;

    PasswordAuthenticator(Settings settings) {
        this.settings = settings;
    }

    @Override
    public CompletionStage<AuthenticationResult> authenticate(AuthenticationRequest request) {
        ConnectPacket connect = request.connect();
        if (!settings.user().equals(connect.userName())) {
            return AuthenticationResult.passedOn().now();
        }
        if (!isRight(connect.password())) {
            return AuthenticationResult.refused(
                            ReasonCode.BAD_USER_NAME_OR_PASSWORD, "wrong password")
                    .now();
        }
        return AuthenticationResult.granted(settings.user()).now();
    }

    /** Nothing is right when no password is set. */
    private boolean isRight(Bytes sent) {
        String password = settings.password();
        return password != null
                && sent != null
                && MessageDigest.isEqual(
                        password.getBytes(StandardCharsets.UTF_8), sent.toArray());
    }
}
