package io.godwit.server.store;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.godwit.core.id.Epoch;
import io.godwit.core.id.HybridId;
import io.godwit.core.id.IngressId;
import io.godwit.core.id.SessionKey;
import io.godwit.core.message.Message;
import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.ByteWriter;
import io.godwit.core.operation.CoverageCodec;
import io.godwit.core.operation.SessionCodec;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.store.Receiver;
import io.godwit.core.store.Recovery.GoneSession;
import io.godwit.persistence.inspect.Queues;
import io.godwit.persistence.inspect.StoreItem;
import java.io.IOException;

/**
 * Items of a store as lines of JSON; docs/durability.md describes them. Ids have 16 hexadecimal
 * digits, bytes are base64, times epoch milliseconds.
 */
final class StoreJson {
    static final int VERSION = 3;
    private static final String FORMAT = "godwit-store";
    private static final ObjectMapper JSON = new ObjectMapper();

    private StoreJson() {}

    static String end(long items) throws IOException {
        return JSON.writeValueAsString(line("end").put("records", items));
    }

    /** Whether this is the last line, behind so many records. */
    static boolean isEnd(String text, long items) throws IOException {
        if (!text.startsWith("{\"type\":\"end\"")) {
            return false;
        }
        long there = JSON.readTree(text).path("records").asLong(-1);
        if (there != items) {
            throw new IOException("it should have " + there + " records, but has " + items);
        }
        return true;
    }

    private static ObjectNode line(String type) {
        return JSON.createObjectNode().put("type", type);
    }

    static String write(StoreItem item) throws IOException {
        return JSON.writeValueAsString(node(item));
    }

    private static ObjectNode node(StoreItem item) {
        return switch (item) {
            case StoreItem.Floors floors ->
                    line("store")
                            .put("format", FORMAT)
                            .put("version", VERSION)
                            .put("starts", floors.startNumber())
                            .put("clock", Queues.text(floors.clock()))
                            .put("queueCounters", floors.queueCounters());
            case StoreItem.Session session -> session(session);
            case StoreItem.Subscription each ->
                    line("subscription")
                            .put("queue", Queues.text(each.queueId()))
                            .put("filter", each.filter().toString())
                            .put("qos", each.qos())
                            .put("noLocal", each.noLocal())
                            .put("retainAsPublished", each.retainAsPublished())
                            .put("stamp", Queues.text(each.stamp()))
                            .set("ids", numbers(each.ids()));
            case StoreItem.InboundPublish each -> inbound(each);
            case StoreItem.Remembered each -> remembered(each);
            case StoreItem.Group each ->
                    line("group")
                            .put("queue", Queues.text(each.queueId()))
                            .put("part", each.part())
                            .put("filter", each.filter().toString());
            case StoreItem.QueueLeader each ->
                    line("home")
                            .put("queue", Queues.text(each.queueId()))
                            .put("epoch", each.epoch().number())
                            .put("server", each.epoch().server())
                            .put("here", each.isThisNode());
            case StoreItem.Predecessor each ->
                    line("predecessor")
                            .put("queue", Queues.text(each.queueId()))
                            .put("before", Queues.text(each.predecessorId()));
            case StoreItem.Covered each -> {
                ByteWriter coverage = new ByteWriter(32);
                CoverageCodec.write(coverage, each.coverage());
                yield line("coverage")
                        .put("queue", Queues.text(each.queueId()))
                        .put("ids", coverage.toBytes());
            }
            case StoreItem.Payload each -> message(line("payload"), each.message());
            case StoreItem.Queued each -> queued(each);
            case StoreItem.Marker each -> marker(each);
            case StoreItem.Aside each ->
                    line("aside")
                            .put("generation", Queues.text(each.generation()))
                            .set("item", node(each.item()));
            case StoreItem.Retained each -> retained(each);
            case StoreItem.RetainedGone each ->
                    line("retained-gone")
                            .put("topic", each.topic().toString())
                            .put("stamp", Queues.text(each.stamp()));
            case StoreItem.SessionGone each ->
                    line("session-gone")
                            .put("queue", Queues.text(each.session().queueId()))
                            .put("client", each.session().clientId().toString())
                            .put("generation", Queues.text(each.session().generation()))
                            .put("stamp", Queues.text(each.session().stamp()));
        };
    }

    private static ObjectNode retained(StoreItem.Retained each) {
        ObjectNode node = line("retained").put("stamp", Queues.text(each.stamp()));
        ClientId publisher = each.message().publisher;
        return message(
                publisher == null ? node : node.put("publisher", publisher.toString()),
                each.message());
    }

    /** What only a broker understands of a session, its will above all, goes as it is stored. */
    private static ObjectNode session(StoreItem.Session each) {
        ByteWriter record = new ByteWriter(64);
        SessionCodec.write(record, each.session());
        return line("session")
                .put("queue", Queues.text(each.session().queueId()))
                .put("client", each.clientId().toString())
                .put("version", each.session().version().toString())
                .put("expirySeconds", each.session().expirySeconds())
                .put("disconnectedAt", each.session().disconnectedAtMs())
                .put("setAside", each.session().isAside())
                .put("record", record.toBytes());
    }

    private static ObjectNode inbound(StoreItem.InboundPublish each) {
        return line("inbound")
                .put("queue", Queues.text(each.queueId()))
                .put("packet", each.packetId())
                .put("server", each.ingress().server())
                .put("ingress", each.ingress().counter())
                .put("taken", each.taken());
    }

    private static ObjectNode remembered(StoreItem.Remembered each) {
        return line("remembered")
                .put("queue", Queues.text(each.queueId()))
                .put("id", Queues.text(each.id()))
                .put("server", each.ingress().server())
                .put("ingress", each.ingress().counter());
    }

    private static ObjectNode marker(StoreItem.Marker each) {
        ObjectNode node =
                line("marker")
                        .put("queue", Queues.text(each.queueId()))
                        .put("id", Queues.text(each.id()))
                        .put("kind", each.kind())
                        .put("packet", each.packetId())
                        .put("server", each.ingress().server())
                        .put("ingress", each.ingress().counter());
        Receiver receiver = each.receiver();
        if (receiver != null) {
            node.put("member", Queues.text(receiver.session().queueId()))
                    .put("memberGeneration", Queues.text(receiver.session().generation()))
                    .put("memberClient", receiver.clientId().toString());
        }
        return node;
    }

    private static ObjectNode queued(StoreItem.Queued each) {
        ObjectNode node =
                line("message")
                        .put("queue", Queues.text(each.queueId()))
                        .put("id", Queues.text(each.id()))
                        .put("idle", each.idle())
                        .put("deliverQos", each.qos())
                        .put("deliverRetain", each.retain())
                        .put("packet", each.packetId());
        node.set("ids", numbers(each.ids()));
        return switch (each.body()) {
            case StoreItem.Body.Own own -> message(node, own.message());
            case StoreItem.Body.Shared shared ->
                    node.put("server", shared.server())
                            .put("ingress", shared.counter())
                            .put("accounted", shared.bytes())
                            .put("expiresAt", shared.expiresAtMs());
        };
    }

    private static ObjectNode message(ObjectNode node, Message message) {
        return node.put("topic", message.topic.toString())
                .put("qos", message.qos)
                .put("retain", message.retain)
                .put("server", message.ingressServer)
                .put("ingress", message.ingressCounter)
                .put("expiresAt", message.expiresAtMs)
                .put("properties", message.properties)
                .put("payload", message.payload);
    }

    private static ArrayNode numbers(int[] ids) {
        ArrayNode array = JSON.createArrayNode();
        for (int id : ids) {
            array.add(id);
        }
        return array;
    }

    /**
     * Reads the version of an export.
     *
     * @param text the first line, which says what this is
     * @throws IOException when this Godwit can't read that version
     */
    static int version(String text) throws IOException {
        JsonNode node = JSON.readTree(text);
        if (!node.path("type").asText().equals("store")) {
            throw new IOException("the first line should have the type store");
        }
        int version = node.path("version").asInt();
        if (!FORMAT.equals(node.path("format").asText())
                || version < ExportVersion2.VERSION
                || version > VERSION) {
            throw new IOException(
                    "it is not an export of format "
                            + FORMAT
                            + " "
                            + ExportVersion2.VERSION
                            + " or "
                            + VERSION);
        }
        return version;
    }

    /**
     * Reads one line.
     *
     * @param version of the export
     * @param isFirst whether it is the line that says what this is
     */
    static StoreItem read(String text, int version, boolean isFirst) throws IOException {
        JsonNode node = JSON.readTree(text);
        String type = node.path("type").asText();
        if (isFirst != type.equals("store")) {
            throw new IOException("the first line, and only that, has the type store");
        }
        return read(node, type, version);
    }

    private static StoreItem read(JsonNode node, String type, int version) throws IOException {
        return switch (type) {
            case "store" -> floors(node);
            case "session" -> readSession(node, version);
            case "subscription" ->
                    new StoreItem.Subscription(
                            id(node, "queue"),
                            TopicFilter.of(need(node, "filter").asText()),
                            need(node, "qos").asInt(),
                            need(node, "noLocal").asBoolean(),
                            need(node, "retainAsPublished").asBoolean(),
                            ids(node),
                            hybrid(node, "stamp"));
            case "inbound" -> readInbound(node);
            case "predecessor" -> new StoreItem.Predecessor(id(node, "queue"), id(node, "before"));
            case "remembered" ->
                    new StoreItem.Remembered(
                            id(node, "queue"),
                            hybrid(node, "id"),
                            new IngressId(
                                    need(node, "server").asInt(), need(node, "ingress").asLong()));
            case "group" ->
                    new StoreItem.Group(
                            id(node, "queue"),
                            need(node, "part").asInt(),
                            TopicFilter.of(need(node, "filter").asText()));
            case "home" ->
                    new StoreItem.QueueLeader(
                            id(node, "queue"),
                            new Epoch(need(node, "epoch").asLong(), need(node, "server").asInt()),
                            need(node, "here").asBoolean());
            case "coverage" ->
                    new StoreItem.Covered(
                            id(node, "queue"),
                            CoverageCodec.read(new ByteReader(need(node, "ids").binaryValue())));
            case "payload" -> new StoreItem.Payload(readMessage(node));
            case "message" -> readQueued(node);
            case "marker" -> readMarker(node);
            case "aside" -> {
                JsonNode item = need(node, "item");
                yield new StoreItem.Aside(
                        hybrid(node, "generation"),
                        read(item, item.path("type").asText(), version));
            }
            case "retained" -> new StoreItem.Retained(hybrid(node, "stamp"), readMessage(node));
            case "retained-gone" ->
                    new StoreItem.RetainedGone(
                            Topic.of(need(node, "topic").asText()), hybrid(node, "stamp"));
            case "session-gone" ->
                    new StoreItem.SessionGone(
                            new GoneSession(
                                    ClientId.of(need(node, "client").asText()),
                                    id(node, "queue"),
                                    hybrid(node, "generation"),
                                    hybrid(node, "stamp")));
            default -> throw new IOException("unknown type '" + type + "'");
        };
    }

    private static StoreItem readMarker(JsonNode node) throws IOException {
        Receiver receiver =
                node.has("member")
                        ? new Receiver(
                                new SessionKey(
                                        id(node, "member"), hybrid(node, "memberGeneration")),
                                ClientId.of(node.path("memberClient").asText()))
                        : null;
        return new StoreItem.Marker(
                id(node, "queue"),
                hybrid(node, "id"),
                need(node, "kind").asInt(),
                need(node, "packet").asInt(),
                receiver,
                new IngressId(need(node, "server").asInt(), need(node, "ingress").asLong()));
    }

    private static StoreItem floors(JsonNode node) throws IOException {
        return new StoreItem.Floors(
                need(node, "starts").asLong(),
                id(node, "clock"),
                need(node, "queueCounters").asLong());
    }

    private static StoreItem readSession(JsonNode node, int version) throws IOException {
        ByteReader record = new ByteReader(need(node, "record").binaryValue());
        long queueId = id(node, "queue");
        try {
            return new StoreItem.Session(
                    ClientId.of(need(node, "client").asText()),
                    version == ExportVersion2.VERSION
                            ? ExportVersion2.session(record, queueId)
                            : SessionCodec.read(record, queueId));
        } catch (IndexOutOfBoundsException e) {
            throw new IOException("the record of the session can't be parsed", e);
        }
    }

    private static StoreItem readInbound(JsonNode node) throws IOException {
        return new StoreItem.InboundPublish(
                id(node, "queue"),
                need(node, "packet").asInt(),
                new IngressId(need(node, "server").asInt(), need(node, "ingress").asLong()),
                need(node, "taken").asBoolean());
    }

    private static StoreItem readQueued(JsonNode node) throws IOException {
        StoreItem.Body body =
                node.has("payload")
                        ? new StoreItem.Body.Own(readMessage(node))
                        : new StoreItem.Body.Shared(
                                need(node, "server").asInt(),
                                need(node, "ingress").asLong(),
                                need(node, "accounted").asInt(),
                                need(node, "expiresAt").asLong());
        return new StoreItem.Queued(
                id(node, "queue"),
                hybrid(node, "id"),
                need(node, "idle").asBoolean(),
                need(node, "deliverQos").asInt(),
                need(node, "deliverRetain").asBoolean(),
                ids(node),
                need(node, "packet").asInt(),
                body);
    }

    private static Message readMessage(JsonNode node) throws IOException {
        return new Message(
                Topic.of(need(node, "topic").asText()),
                need(node, "payload").binaryValue(),
                need(node, "properties").binaryValue(),
                need(node, "qos").asInt(),
                need(node, "retain").asBoolean(),
                need(node, "expiresAt").asLong(),
                node.has("publisher") ? ClientId.of(need(node, "publisher").asText()) : null,
                need(node, "server").asInt(),
                need(node, "ingress").asLong());
    }

    private static int[] ids(JsonNode node) throws IOException {
        JsonNode array = need(node, "ids");
        int[] ids = new int[array.size()];
        for (int i = 0; i < ids.length; i++) {
            ids[i] = array.get(i).asInt();
        }
        return ids;
    }

    private static long id(JsonNode node, String field) throws IOException {
        return Long.parseUnsignedLong(need(node, field).asText(), 16);
    }

    private static HybridId hybrid(JsonNode node, String field) throws IOException {
        try {
            return Queues.id(need(node, field).asText());
        } catch (IllegalArgumentException e) {
            throw new IOException("the field " + field + " is no id", e);
        }
    }

    private static JsonNode need(JsonNode node, String field) throws IOException {
        JsonNode value = node.get(field);
        if (value == null) {
            throw new IOException("the field " + field + " is missing");
        }
        return value;
    }
}
