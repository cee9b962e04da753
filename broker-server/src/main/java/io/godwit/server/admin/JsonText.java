package io.godwit.server.admin;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;

/** JSON objects written as they are told. */
final class JsonText {
    private static final JsonFactory FACTORY = new JsonFactory();

    interface Body {
        void write(JsonGenerator json) throws IOException;
    }

    private JsonText() {}

    /** An object with the fields that the body writes. */
    static String write(Body body) {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = FACTORY.createGenerator(text)) {
            json.writeStartObject();
            body.write(json);
            json.writeEndObject();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return text.toString();
    }
}
