import io.godwit.extension.Extension;
import io.godwit.extension.ExtensionContext;
import io.godwit.extension.OnFailure;
import io.godwit.extension.Setting;
import io.godwit.extension.auth.AuthenticationResult;
import io.godwit.extension.intercept.Interception;
import io.godwit.extension.packet.PublishPacket;
import io.godwit.extension.setup.ClientSetup;

/** Does nothing at one of several places: measured is what that costs. */
public final class Bench implements Extension {
    record Config(
            @Setting(
                            description =
                                    "connect: an authenticator; in, out: an interceptor of PUBLISHes;"
                                            + " others: a setup of clients that do not come; none",
                            value = "none")
                    String kind) {}

    @Override
    public void start(ExtensionContext context) throws Exception {
        switch (context.configuration(Config.class).kind()) {
            case "connect" ->
                    context.registrations()
                            .authenticator(request -> AuthenticationResult.granted("bench").now());
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
            case "others" ->
                    context.registrations()
                            .initializer(client ->
                                    client.clientId().startsWith("set-up-")
                                            ? ClientSetup.builder()
                                                    .publishInterceptor(
                                                            "#",
                                                            (of, publish) ->
                                                                    Interception
                                                                            .<PublishPacket>
                                                                                    unchanged()
                                                                            .now(),
                                                            OnFailure.REFUSE)
                                                    .build()
                                                    .now()
                                            : ClientSetup.none().now());
            default -> {}
        }
    }

    @Override
    public void stop() {}
}
