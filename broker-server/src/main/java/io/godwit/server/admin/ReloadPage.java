package io.godwit.server.admin;

import io.godwit.server.reload.ReloadReport;
import io.godwit.server.reload.ReloadService;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.util.concurrent.CompletableFuture;

/**
 * {@code POST /reload}: reads files again that may have changed. Answers 200 with what came of each
 * part, or 409 when a part kept its old state because of a mistake.
 */
public final class ReloadPage {
    static final String PATH = "/reload";
    static final String COMMAND = "reload";

    private final ReloadService reloads;

    public ReloadPage(ReloadService reloads) {
        this.reloads = reloads;
    }

    CompletableFuture<HttpAnswer> answer() {
        return reloads.reloadAll()
                .handle((report, failure) ->
                        failure == null
                                ? answer(report)
                                : HttpAnswer.error(
                                        HttpResponseStatus.SERVICE_UNAVAILABLE,
                                        "the broker is stopping, or has no memory left"));
    }

    private static HttpAnswer answer(ReloadReport report) {
        return HttpAnswer.json(
                report.isFailed() ? HttpResponseStatus.CONFLICT : HttpResponseStatus.OK,
                JsonText.write(json -> {
                    json.writeArrayFieldStart("parts");
                    for (ReloadReport.Part each : report.parts()) {
                        json.writeStartObject();
                        json.writeStringField("name", each.name());
                        json.writeStringField("result", each.result().kind().toString());
                        json.writeStringField("text", each.result().text());
                        json.writeEndObject();
                    }
                    json.writeEndArray();
                })
                        + "\n");
    }
}
