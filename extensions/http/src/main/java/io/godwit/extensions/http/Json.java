package io.godwit.extensions.http;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.util.JsonRecyclerPools;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads JSON as maps, lists, texts, whole numbers and booleans. */
final class Json {
    /** Keeps nothing between two documents: neither names, which others choose, nor buffers. */
    static final JsonFactory FACTORY =
            new JsonFactoryBuilder()
                    .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
                    .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
                    .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                    .recyclerPool(JsonRecyclerPools.nonRecyclingPool())
                    .streamReadConstraints(
                            StreamReadConstraints.builder().maxNestingDepth(8).build())
                    .build();

    private Json() {}

    /**
     * Reads a document that is one object.
     *
     * @throws BadReplyException it is not
     */
    static JsonFields read(byte[] document) throws BadReplyException {
        try (JsonParser parser = FACTORY.createParser(document)) {
            parser.nextToken();
            if (!(value(parser) instanceof Map<?, ?> fields) || parser.nextToken() != null) {
                throw new BadReplyException("the body is not one JSON object");
            }
            return new JsonFields("", fields);
        } catch (JsonProcessingException e) {
            // Without the excerpt of the document that Jackson adds.
            throw new BadReplyException("the body is not JSON: " + e.getOriginalMessage());
        } catch (BadReplyException e) {
            throw e;
        } catch (IOException e) {
            throw new BadReplyException("the body is not JSON");
        }
    }

    private static @Nullable Object value(JsonParser parser) throws IOException {
        JsonToken token = parser.currentToken();
        if (token == null) throw new BadReplyException("the body is not one JSON object");
        return switch (token) {
            case START_OBJECT -> {
                Map<String, @Nullable Object> fields = new LinkedHashMap<>();
                while (parser.nextToken() != JsonToken.END_OBJECT) {
                    String name = parser.currentName();
                    parser.nextToken();
                    fields.put(name, value(parser));
                }
                yield fields;
            }
            case START_ARRAY -> {
                List<@Nullable Object> values = new ArrayList<>();
                while (parser.nextToken() != JsonToken.END_ARRAY) values.add(value(parser));
                yield values;
            }
            case VALUE_STRING -> parser.getText();
            case VALUE_NUMBER_INT -> parser.getLongValue();
            case VALUE_TRUE -> true;
            case VALUE_FALSE -> false;
            case VALUE_NULL -> null;
            default -> throw new BadReplyException("a number in the body is not a whole one");
        };
    }
}
