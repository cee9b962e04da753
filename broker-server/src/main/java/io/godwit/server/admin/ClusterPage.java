package io.godwit.server.admin;

import com.fasterxml.jackson.core.JsonGenerator;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** {@code GET /cluster}: the cluster as this node sees it. */
public final class ClusterPage {
    static final String PATH = "/cluster";

    private static final long TIMEOUT_MS = 5_000;

    private final @Nullable ClusterView cluster;

    /**
     * @param cluster null: this node is in none
     */
    public ClusterPage(@Nullable ClusterView cluster) {
        this.cluster = cluster;
    }

    @Nullable ClusterView view() {
        return cluster;
    }

    List<String> outOfReach() {
        return cluster == null ? List.of() : cluster.outOfReach();
    }

    boolean areCopiesWhole() {
        return cluster == null || cluster.areCopiesWhole();
    }

    List<String> otherMembers() {
        return cluster == null ? List.of() : cluster.otherMembers();
    }

    /** Returns the name of a member, or its server id when no name is known. */
    String memberName(int server) {
        return cluster == null ? String.valueOf(server) : cluster.memberName(server);
    }

    CompletableFuture<HttpAnswer> answer() {
        if (cluster == null) {
            return CompletableFuture.completedFuture(HttpAnswer.json("{\"enabled\":false}\n"));
        }
        return cluster.status()
                .orTimeout(TIMEOUT_MS, TimeUnit.MILLISECONDS)
                .handle((status, failure) ->
                        failure == null
                                ? HttpAnswer.json(text(status))
                                : HttpAnswer.error(
                                        HttpResponseStatus.SERVICE_UNAVAILABLE,
                                        "the node did not answer in time"));
    }

    private static String text(ClusterStatus status) {
        return JsonText.write(json -> {
            json.writeBooleanField("enabled", true);
            json.writeStringField("name", status.name());
            json.writeStringField("bind", status.bind());
            json.writeStringField("version", status.version());
            json.writeArrayFieldStart("members");
            for (ClusterStatus.Member each : status.members()) {
                member(json, each);
            }
            json.writeEndArray();
            slots(json, status.slots());
            json.writeArrayFieldStart("unheard");
            for (ClusterStatus.Unheard each : status.unheard()) {
                json.writeStartObject();
                json.writeNumberField("server", each.server());
                json.writeStringField("name", each.name());
                numbers(json, "sets", each.sets());
                json.writeEndObject();
            }
            json.writeEndArray();
            copies(json, status.copies());
            json.writeObjectFieldStart("links");
            for (Map.Entry<String, Long> each : status.links().entrySet()) {
                json.writeNumberField(each.getKey(), each.getValue());
            }
            json.writeEndObject();
            json.writeObjectFieldStart("refusals");
            for (Map.Entry<String, ClusterStatus.Refusals> each : status.refusals().entrySet()) {
                json.writeObjectFieldStart(each.getKey());
                json.writeNumberField("here", each.getValue().here());
                json.writeNumberField("byOthers", each.getValue().byOthers());
                json.writeEndObject();
            }
            json.writeEndObject();
        })
                + "\n";
    }

    private static void slots(JsonGenerator json, ClusterStatus.Slots slots) throws IOException {
        json.writeObjectFieldStart("slots");
        json.writeNumberField("led", slots.led());
        json.writeNumberField("elsewhere", slots.elsewhere());
        json.writeNumberField("loading", slots.loading());
        json.writeNumberField("offline", slots.offline());
        json.writeNumberField("unknown", slots.unknown());
        json.writeNumberField("sessionsAside", slots.sessionsAside());
        json.writeStringField("drain", slots.drain().name().toLowerCase(Locale.ROOT));
        json.writeArrayFieldStart("table");
        for (ClusterStatus.Row each : slots.table()) {
            json.writeStartObject();
            json.writeNumberField("server", each.server());
            json.writeNumberField("start", each.start());
            json.writeNumberField("changes", each.changes());
            json.writeNumberField("slots", each.slots());
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    private static void copies(JsonGenerator json, ClusterStatus.Copies copies) throws IOException {
        json.writeObjectFieldStart("copies");
        json.writeNumberField("wanted", copies.wanted());
        json.writeNumberField("sets", copies.sets());
        json.writeNumberField("wholeSets", copies.wholeSets());
        json.writeBooleanField("whole", copies.areWhole());
        json.writeNumberField("sessionsMissing", copies.sessionsMissing());
        json.writeNumberField("leftMs", copies.leftMs());
        json.writeObjectFieldStart("aside");
        json.writeNumberField("sessions", copies.aside().sessions());
        json.writeNumberField("messages", copies.aside().messages());
        json.writeNumberField("bytes", copies.aside().bytes());
        json.writeEndObject();
        json.writeBooleanField("outvoted", copies.isOutvoted());
        json.writeArrayFieldStart("followers");
        for (ClusterStatus.Follower each : copies.followers()) {
            json.writeStartObject();
            json.writeNumberField("server", each.server());
            json.writeNumberField("sets", each.sets());
            json.writeNumberField("wholeSets", each.wholeSets());
            json.writeNumberField("lagParts", each.lagParts());
            json.writeNumberField("lagBytes", each.lagBytes());
            json.writeNumberField("filledBytes", each.filledBytes());
            json.writeBooleanField("full", each.isFull());
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeArrayFieldStart("records");
        for (ClusterStatus.CopyRecord each : copies.records()) {
            json.writeStartObject();
            json.writeNumberField("set", each.set());
            json.writeNumberField("start", each.start());
            json.writeNumberField("change", each.change());
            numbers(json, "whole", each.whole());
            numbers(json, "filling", each.filling());
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    private static void numbers(JsonGenerator json, String name, List<Integer> servers)
            throws IOException {
        json.writeArrayFieldStart(name);
        for (int each : servers) {
            json.writeNumber(each);
        }
        json.writeEndArray();
    }

    private static void member(JsonGenerator json, ClusterStatus.Member member) throws IOException {
        json.writeStartObject();
        json.writeNumberField("server", member.server());
        json.writeNumberField("start", member.start());
        json.writeStringField("name", member.name());
        json.writeBooleanField("self", member.isSelf());
        json.writeBooleanField("live", member.isLive());
        json.writeNumberField("slots", member.slots());
        ClusterStatus.SecurityFiles files = member.security();
        json.writeObjectFieldStart("security");
        json.writeStringField("users", files.users());
        json.writeStringField("rules", files.rules());
        json.writeStringField("authorities", files.authorities());
        json.writeArrayFieldStart("differ");
        for (String each : files.differ()) {
            json.writeString(each);
        }
        json.writeEndArray();
        json.writeEndObject();
        ClusterStatus.Link link = member.link();
        if (link != null) {
            json.writeObjectFieldStart("link");
            json.writeStringField("address", link.address());
            json.writeStringField("state", link.state());
            json.writeStringField("version", link.version());
            json.writeNumberField("protocol", link.protocol());
            json.writeNumberField("number", link.number());
            json.writeNumberField("clockAheadMs", link.clockAheadMs());
            json.writeNumberField("sentBytes", link.sentBytes());
            json.writeNumberField("sentBytesPerSecond", link.sentBytesPerSecond());
            json.writeNumberField("receivedBytes", link.receivedBytes());
            json.writeNumberField("receivedBytesPerSecond", link.receivedBytesPerSecond());
            json.writeObjectFieldStart("classes");
            for (ClusterStatus.OfClass each : link.classes()) {
                json.writeObjectFieldStart(each.name());
                json.writeNumberField("lagBytes", each.lagBytes());
                json.writeNumberField("creditBytes", each.creditBytes());
                json.writeNumberField("untakenBytes", each.untakenBytes());
                json.writeEndObject();
            }
            json.writeEndObject();
            json.writeEndObject();
        }
        json.writeEndObject();
    }
}
