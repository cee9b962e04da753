import io.godwit.extension.Extension;
import io.godwit.extension.ExtensionContext;
import io.godwit.extension.OnFailure;
import io.godwit.extension.Setting;
import io.godwit.extension.auth.AuthenticationResult;
import io.godwit.extension.auth.Grant;
import io.godwit.extension.intercept.Interception;
import io.godwit.extension.packet.PublishPacket;
import io.godwit.extension.setup.ClientSetup;

/** Does nothing, in one of several places: what that costs is measured. */
public final class BenchExtension implements Extension {
    record Config(
            @Setting(description = "in, out, connect, others, none", value = "none") String kind) {}

    @Override
    public void start(ExtensionContext context) throws Exception {
        switch (context.configuration(Config.class).kind()) {
            case "in" ->
                    context.registrations()
                            .publishInterceptor(
                                    "#",
                                    (client, publish) ->
                                            Interception.<PublishPacket>unchanged().now(),
                                    OnFailure.REFUSE);
            case "out" ->
                    context.registrations()
                            .deliveryInterceptor(
                                    "#",
                                    (client, publish) ->
                                            Interception.<PublishPacket>unchanged().now(),
                                    OnFailure.REFUSE);
            case "connect" -> context.registrations().authenticator(request -> AUTH);
            case "others" -> OTHERS;
            default -> {}
        }
    }

    @Override
    public void stop() {}
}
