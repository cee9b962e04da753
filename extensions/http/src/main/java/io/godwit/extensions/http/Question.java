package io.godwit.extensions.http;

import com.fasterxml.jackson.core.JsonGenerator;
import io.godwit.extension.auth.AuthenticationRequest;
import io.godwit.extension.client.Client;
import io.godwit.extension.client.Origin;
import io.godwit.extension.packet.ConnectPacket;
import io.godwit.extension.packet.PublishPacket;
import io.godwit.extension.packet.Subscription;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.jspecify.annotations.Nullable;

/**
 * Holds one question as it is sent. What it holds is what an answer is remembered by, so neither
 * the client's port nor a packet id or a payload is in it.
 *
 * @param body JSON
 * @param isAboutIdentity whether the answer says who the client is
 * @param userName the one that the question names; null: none
 */
record Question(byte[] body, boolean isAboutIdentity, @Nullable String userName) {
    static Question connect(AuthenticationRequest request) {
        ConnectPacket connect = request.connect();
        String userName = connect.userName();
        return new Question(
                json(
                        "connect",
                        connect.clientId(),
                        userName,
                        request.origin(),
                        json -> {
                            json.writeStringField("password", connect.passwordText().orElse(null));
                        }),
                true,
                userName);
    }

    static Question publish(Client client, PublishPacket publish) {
        return about(
                client,
                "publish",
                json -> {
                    json.writeStringField("topic", publish.topic());
                    json.writeNumberField("qos", publish.qos());
                    json.writeBooleanField("retain", publish.retain());
                });
    }

    static Question subscribe(Client client, Subscription subscription) {
        return about(
                client,
                "subscribe",
                json -> {
                    json.writeStringField("topicFilter", subscription.topicFilter());
                    json.writeNumberField("qos", subscription.qos());
                });
    }

    private static Question about(Client client, String action, Fields fields) {
        byte[] body = json(action, client.clientId(), client.userName(), client.origin(), fields);
        return new Question(body, false, client.userName());
    }

    private interface Fields {
        void write(JsonGenerator json) throws IOException;
    }

    private static byte[] json(
            String action,
            String clientId,
            @Nullable String userName,
            Origin origin,
            Fields fields) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(256);
        try (JsonGenerator json = Json.FACTORY.createGenerator(bytes)) {
            json.writeStartObject();
            json.writeStringField("action", action);
            json.writeStringField("clientId", clientId);
            json.writeStringField("userName", userName);
            json.writeStringField("address", host(origin.address()));
            json.writeStringField("listener", origin.listener());
            json.writeBooleanField("hasCertificate", origin.hasCertificate());
            json.writeStringField("certificateName", origin.certificateName());
            fields.write(json);
            json.writeEndObject();
        } catch (IOException e) {
            throw new UncheckedIOException(e); // Arrays don't throw.
        }
        return bytes.toByteArray();
    }

    /** Returns an address without its port. */
    static String host(String address) {
        int port = address.lastIndexOf(':');
        String host = port < 0 ? address : address.substring(0, port);
        return host.startsWith("[") && host.endsWith("]")
                ? host.substring(1, host.length() - 1)
                : host;
    }

    /** Says nothing of the password. */
    @Override
    public String toString() {
        return "question of " + body.length + " bytes";
    }
}
