package io.godwit.server.admin;

import io.godwit.server.extension.ExtensionChange;
import io.godwit.server.extension.ExtensionStatus;
import io.godwit.server.extension.Extensions;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.QueryStringDecoder;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * {@code GET /extensions}: how each extension is doing. {@code POST
 * /extensions/{id}/enable|disable|replace}: has it run, no more, or anew; {@code
 * disable?force=true} also one that is required.
 */
public final class ExtensionsPage {
    static final String PATH = "/extensions";
    static final String COMMAND = "change-extension";

    private static final Pattern CHANGE =
            Pattern.compile("/extensions/([^/]{1,64})/(enable|disable|replace)");

    private final @Nullable Extensions extensions;

    /**
     * @param extensions null: there are none
     */
    public ExtensionsPage(@Nullable Extensions extensions) {
        this.extensions = extensions;
    }

    /** Returns whether a path stands for a change of an extension. */
    static boolean isChange(String path) {
        return CHANGE.matcher(path).matches();
    }

    private List<ExtensionStatus> states() {
        return extensions == null ? List.of() : extensions.states();
    }

    /** Returns whether one that is required cannot do its work. */
    boolean isMissingOne() {
        return states().stream().anyMatch(ExtensionStatus::isMissed);
    }

    /** Returns a text for each that does not do what it is there for. */
    List<String> troubles() {
        return states().stream()
                .filter(each -> !each.isWell())
                .map(each -> each.id() + ": " + trouble(each))
                .toList();
    }

    private static String trouble(ExtensionStatus each) {
        if (!each.healthCause().isEmpty()) {
            return each.healthCause();
        }
        return each.cause().isEmpty() ? each.state().word() : each.cause();
    }

    HttpAnswer answer() {
        return HttpAnswer.json(
                JsonText.write(json -> {
                    json.writeArrayFieldStart("extensions");
                    for (ExtensionStatus each : states()) {
                        json.writeStartObject();
                        json.writeStringField("id", each.id());
                        json.writeStringField("name", each.name());
                        json.writeStringField("version", each.version());
                        json.writeStringField("state", each.state().word());
                        json.writeStringField("cause", each.cause());
                        json.writeStringField("health", each.health());
                        json.writeStringField("healthCause", each.healthCause());
                        json.writeBooleanField("required", each.isRequired());
                        json.writeStringField("since", each.since().toString());
                        json.writeEndObject();
                    }
                    json.writeEndArray();
                })
                        + "\n");
    }

    /** Executes a change; completes when the extension runs, or has stopped. */
    CompletableFuture<HttpAnswer> execute(String uri) {
        QueryStringDecoder query = new QueryStringDecoder(uri);
        Matcher change = CHANGE.matcher(query.rawPath());
        if (!change.matches()) {
            throw new IllegalArgumentException(uri);
        }
        String id = change.group(1);
        if (extensions == null) {
            return CompletableFuture.completedFuture(
                    HttpAnswer.error(
                            HttpResponseStatus.NOT_FOUND,
                            "this broker runs without extensions: there was no folder"
                                    + " (extensions.folder) when it started"));
        }
        boolean isForced = List.of("true").equals(query.parameters().get("force"));
        CompletableFuture<ExtensionChange> done =
                switch (change.group(2)) {
                    case "enable" -> extensions.enable(id);
                    case "disable" -> extensions.disable(id, isForced);
                    default -> extensions.replace(id);
                };
        return done.thenApply(result -> answer(id, result));
    }

    private static HttpAnswer answer(String id, ExtensionChange change) {
        return switch (change.kind()) {
            case UNKNOWN -> HttpAnswer.error(HttpResponseStatus.NOT_FOUND, change.text());
            case REFUSED -> HttpAnswer.error(HttpResponseStatus.CONFLICT, change.text());
            case DONE ->
                    HttpAnswer.json(
                            JsonText.write(json -> {
                                json.writeStringField("id", id);
                                json.writeStringField("text", change.text());
                            })
                                    + "\n");
        };
    }
}
