package @package@;

import io.godwit.extension.Extension;
import io.godwit.extension.ExtensionContext;
import io.godwit.extension.OnFailure;

/** The entry point: says what the broker is to ask this extension. */
public final class Main implements Extension {
    @Override
    public void start(ExtensionContext context) throws Exception {
        Settings settings = context.configuration(Settings.class);
        if (settings.password() == null) {
            context.health().degraded("no password is set: " + settings.user() + " is kept out");
        }
        context.registrations().authenticator(new PasswordAuthenticator(settings));
        context.registrations()
                .publishInterceptor("#", new SenderInterceptor(settings), OnFailure.REFUSE);
    }
}
