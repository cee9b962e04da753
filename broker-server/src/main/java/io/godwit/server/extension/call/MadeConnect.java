package io.godwit.server.extension.call;

import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.Property;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.UserProperty;
import io.godwit.core.packet.Will;
import io.godwit.core.review.ReviewedPublish;
import io.godwit.extension.packet.Bytes;
import io.godwit.extension.packet.ConnectPacket;
import io.godwit.extension.packet.PublishPacket;
import io.godwit.extension.packet.WillPacket;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Turns what extensions have made of CONNECTs into those of the broker, which judges them as if
 * their clients had sent them: here is checked what cannot be sent at all.
 */
final class MadeConnect {
    static final long SECONDS_MAX = 0xFFFF_FFFFL;

    /** More than a CONNECT can have: that is judged later. */
    private static final int WILL_BYTES_MAX = 268_435_455;

    private MadeConnect() {}

    /**
     * @param before what was shown
     * @param given the same as the broker has it
     */
    static Packet.Connect of(ConnectPacket made, ConnectPacket before, Packet.Connect given)
            throws BadAnswer {
        boolean isV5 = given.version().isV5();
        byte[] clientId = Utf8Text.of(made.clientId(), "client id");
        if (clientId.length == 0) {
            throw new BadAnswer("client id is empty");
        }
        checkRange("keep alive", made.keepAliveSeconds(), 0, 65_535);
        String userName = made.userName();
        if (userName != null) {
            Utf8Text.of(userName, "user name");
        }
        Bytes password = made.password();
        if (password != null && userName == null && !isV5) {
            throw new BadAnswer("a password without a user name, which MQTT 3.x does not have");
        }
        WillPacket will = made.will();
        return new Packet.Connect(
                given.version(),
                new ClientId(clientId),
                made.cleanStart(),
                made.keepAliveSeconds(),
                will == null || will == before.will() ? keptWill(will, given) : will(will, isV5),
                userName,
                password == null ? null : Packets.binary(password, "password"),
                given.bridge(),
                isV5 ? properties(made, before, given.properties()) : given.properties());
    }

    private static @Nullable Will keptWill(@Nullable WillPacket made, Packet.Connect given) {
        return made == null ? null : given.will();
    }

    private static Properties properties(ConnectPacket made, ConnectPacket before, Properties given)
            throws BadAnswer {
        checkRange("session expiry", made.sessionExpirySeconds(), 0, SECONDS_MAX);
        checkRange("receive maximum", made.receiveMaximum(), 1, before.receiveMaximum());
        Properties.Builder to =
                Properties.builder()
                        .addAll(
                                given.without(Property.SESSION_EXPIRY_INTERVAL)
                                        .without(Property.RECEIVE_MAXIMUM)
                                        .withoutUsers());
        if (made.sessionExpirySeconds() > 0) {
            to.add(Property.SESSION_EXPIRY_INTERVAL, made.sessionExpirySeconds());
        }
        if (given.has(Property.RECEIVE_MAXIMUM) || made.receiveMaximum() < 65_535) {
            to.add(Property.RECEIVE_MAXIMUM, made.receiveMaximum());
        }
        addUsers(made.userProperties(), to);
        return to.build();
    }

    private static Will will(WillPacket made, boolean isV5) throws BadAnswer {
        PublishPacket publish = made.publish();
        if (publish == null) {
            throw new BadAnswer("the will has no message");
        }
        ReviewedPublish checked = Packets.reviewed(publish, null, null, WILL_BYTES_MAX);
        checkRange("will delay", made.delaySeconds(), 0, SECONDS_MAX);
        if (checked.payload().length > Utf8Text.BYTES_MAX) {
            throw new BadAnswer("a will of " + checked.payload().length + " bytes");
        }
        return new Will(
                new Topic(checked.topic().bytes()),
                checked.qos(),
                checked.retain(),
                checked.payload(),
                isV5 ? made.delaySeconds() : 0,
                isV5 ? willProperties(publish) : Properties.NONE);
    }

    private static Properties willProperties(PublishPacket made) throws BadAnswer {
        Properties.Builder to = Properties.builder();
        if (made.payloadIsText()) {
            to.add(Property.PAYLOAD_FORMAT_INDICATOR, 1);
        }
        made.expirySeconds()
                .ifPresent(seconds -> to.add(Property.MESSAGE_EXPIRY_INTERVAL, seconds));
        made.contentType().ifPresent(text -> to.add(Property.CONTENT_TYPE, text));
        made.responseTopic().ifPresent(text -> to.add(Property.RESPONSE_TOPIC, text));
        made.correlationData().ifPresent(data -> to.add(Property.CORRELATION_DATA, data.toArray()));
        addUsers(made.userProperties(), to);
        return to.build();
    }

    /** Adds User Properties. */
    static void addUsers(List<io.godwit.extension.packet.UserProperty> users, Properties.Builder to)
            throws BadAnswer {
        for (io.godwit.extension.packet.UserProperty each : users) {
            Utf8Text.of(each.name(), "user property's name");
            Utf8Text.of(each.value(), "user property's value");
            to.add(new UserProperty(each.name(), each.value()));
        }
    }

    static void checkRange(String name, long value, long min, long max) throws BadAnswer {
        if (value < min || value > max) {
            throw new BadAnswer(name + " " + value + "; allowed is " + min + ".." + max);
        }
    }
}
