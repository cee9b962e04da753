package @package@;

import io.godwit.extension.client.Client;
import io.godwit.extension.intercept.Interception;
import io.godwit.extension.intercept.PublishInterceptor;
import io.godwit.extension.packet.PublishPacket;
import io.godwit.extension.packet.UserProperty;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** Gives each message a user property with the client id of its sender. */
final class SenderInterceptor implements PublishInterceptor {
    private final String property;

    SenderInterceptor(Settings settings) {
        this.property = settings.property();
    }

    @Override
    public CompletionStage<Interception<PublishPacket>> onPublish(
            Client client, PublishPacket publish) {
        List<UserProperty> properties = new ArrayList<>(publish.userProperties());
        properties.removeIf(each -> each.name().equals(property)); // Clients could lie.
        properties.add(new UserProperty(property, client.clientId()));
        return Interception.changed(publish.change().userProperties(properties).build()).now();
    }
}
