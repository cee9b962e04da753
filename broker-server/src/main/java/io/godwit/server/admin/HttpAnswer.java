package io.godwit.server.admin;

import io.netty.handler.codec.http.HttpResponseStatus;
import java.nio.charset.StandardCharsets;

/** What an admin request gets. */
record HttpAnswer(HttpResponseStatus status, String contentType, byte[] body) {
    private static final String JSON = "application/json";

    static HttpAnswer json(HttpResponseStatus status, String json) {
        return new HttpAnswer(status, JSON, json.getBytes(StandardCharsets.UTF_8));
    }

    static HttpAnswer json(String json) {
        return json(HttpResponseStatus.OK, json);
    }

    static HttpAnswer error(HttpResponseStatus status, String text) {
        return json(status, JsonText.write(json -> json.writeStringField("error", text)) + "\n");
    }
}
