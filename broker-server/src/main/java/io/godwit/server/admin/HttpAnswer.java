package io.godwit.server.admin;

import io.netty.handler.codec.http.HttpResponseStatus;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * What an admin request gets.
 *
 * @param allow the methods that are allowed instead; null unless this one is not
 */
record HttpAnswer(
        HttpResponseStatus status, String contentType, byte[] body, @Nullable String allow) {
    private static final String JSON = "application/json";

    HttpAnswer(HttpResponseStatus status, String contentType, byte[] body) {
        this(status, contentType, body, null);
    }

    /**
     * @param methods as in the header Allow
     */
    static HttpAnswer onlyAllowed(String methods) {
        HttpAnswer plain =
                error(HttpResponseStatus.METHOD_NOT_ALLOWED, "only " + methods + " is allowed");
        return new HttpAnswer(plain.status, plain.contentType, plain.body, methods);
    }

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
