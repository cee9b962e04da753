package io.godwit.extensions.http;

import io.godwit.extension.access.AccessRule;
import io.godwit.extension.access.AccessRules;
import io.godwit.extension.auth.Grant;
import io.godwit.extension.packet.ReasonCode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads what a response says; one that can be misunderstood is none. */
final class VerdictReader {
    private static final long CONNECT_TIME_MAX_S = 4_294_967_295L;
    private static final int TEXT_MAX = 200;

    private VerdictReader() {}

    /**
     * Reads a response.
     *
     * @throws BadReplyException says what is wrong with it
     */
    static Verdict read(Question question, int status, byte[] body) throws BadReplyException {
        return switch (status) {
            case 200 -> ofBody(question, body);
            case 204 -> new Verdict.PassedOn();
            case 401 ->
                    new Verdict.Refused(
                            question.isAboutIdentity()
                                    ? ReasonCode.BAD_USER_NAME_OR_PASSWORD
                                    : ReasonCode.NOT_AUTHORIZED,
                            "");
            case 403 -> new Verdict.Refused(ReasonCode.NOT_AUTHORIZED, "");
            default -> throw new BadReplyException("status " + status);
        };
    }

    private static Verdict ofBody(Question question, byte[] body) throws BadReplyException {
        JsonFields fields = Json.read(body);
        String result = fields.text("result");
        Verdict verdict =
                switch (result == null ? "" : result) {
                    case "allow" -> new Verdict.Allowed(grant(question, fields));
                    case "deny" -> new Verdict.Refused(ReasonCode.NOT_AUTHORIZED, textOf(fields));
                    case "pass" -> new Verdict.PassedOn();
                    default -> throw new BadReplyException("result is not allow, deny or pass");
                };
        fields.refuseOthers();
        return verdict;
    }

    private static String textOf(JsonFields fields) throws BadReplyException {
        String text = fields.text("text");
        if (text == null) return "";
        return text.length() <= TEXT_MAX ? text : text.substring(0, TEXT_MAX);
    }

    private static Grant grant(Question question, JsonFields fields) throws BadReplyException {
        if (!question.isAboutIdentity()) return Grant.to(question.userName()).build();
        String userName = fields.text("userName");
        Grant.Builder grant =
                Grant.to(userName == null ? question.userName() : userName)
                        .groups(fields.texts("groups"))
                        .attributes(fields.textsByName("attributes"))
                        .connectTime(
                                Duration.ofSeconds(
                                        fields.number("connectTime", CONNECT_TIME_MAX_S)))
                        .receiveMaximum((int) fields.number("receiveMaximum", 65_535))
                        .publishRate((int) fields.number("publishRate", Integer.MAX_VALUE))
                        .publishBytes(fields.number("publishBytes", Long.MAX_VALUE));
        limits(fields, grant);
        // A list without rules allows nothing.
        if (fields.has("rules")) grant.rules(rules(fields.objects("rules")));
        return grant.build();
    }

    private static void limits(JsonFields fields, Grant.Builder grant) throws BadReplyException {
        try {
            grant.queueMessages(fields.number("queueMessages", Long.MAX_VALUE))
                    .queueBytes(fields.number("queueBytes", Long.MAX_VALUE))
                    .connectionsOfUser((int) fields.number("connectionsOfUser", Integer.MAX_VALUE))
                    .connectionsOfAddress(
                            (int) fields.number("connectionsOfAddress", Integer.MAX_VALUE));
        } catch (IllegalArgumentException e) {
            throw fields.wrong(String.valueOf(e.getMessage()));
        }
        String queueFull = fields.text("queueFull");
        if (queueFull != null) grant.queueFull(queueFull(fields, queueFull));
    }

    private static Grant.QueueFull queueFull(JsonFields fields, String text)
            throws BadReplyException {
        return switch (text) {
            case "discard-newest" -> Grant.QueueFull.DISCARD_NEWEST;
            case "discard-oldest" -> Grant.QueueFull.DISCARD_OLDEST;
            case "reject" -> Grant.QueueFull.REJECT;
            default ->
                    throw fields.wrong("queueFull is not discard-newest, discard-oldest or reject");
        };
    }

    private static AccessRules rules(List<JsonFields> written) throws BadReplyException {
        List<AccessRule> rules = new ArrayList<>();
        Map<String, List<String>> groups = new LinkedHashMap<>();
        for (JsonFields each : written) {
            AccessRule rule = rule(each);
            rules.add(rule);
            rule.groups().forEach(name -> groups.put(name, List.of()));
        }
        return new AccessRules(rules, groups);
    }

    private static AccessRule rule(JsonFields fields) throws BadReplyException {
        if (fields.has("allow") == fields.has("deny")) {
            throw fields.wrong("has not either allow or deny");
        }
        AccessRule.Action[] allowed = actions(fields, "allow");
        AccessRule.Action[] denied = actions(fields, "deny");
        int[] qos = fields.numbers("qos", 2);
        refuseEmpty(fields, "qos", qos.length);
        AccessRule.Builder rule =
                fields.has("allow") ? AccessRule.allow(allowed) : AccessRule.deny(denied);
        rule.user(array(fields, "user"))
                .group(array(fields, "group"))
                .client(array(fields, "client"))
                .address(array(fields, "address"))
                .listener(array(fields, "listener"))
                .topic(array(fields, "topic"))
                .qos(qos);
        @Nullable Boolean certificate = fields.flag("certificate");
        if (certificate != null) rule.certificate(certificate);
        @Nullable Boolean retain = fields.flag("retain");
        if (retain != null) rule.retain(retain);
        @Nullable String share = fields.text("share");
        if (share != null) rule.share(share);
        fields.refuseOthers();
        try {
            return rule.build();
        } catch (IllegalArgumentException e) {
            throw fields.wrong(String.valueOf(e.getMessage()));
        }
    }

    private static String[] array(JsonFields fields, String name) throws BadReplyException {
        List<String> texts = fields.texts(name);
        refuseEmpty(fields, name, texts.size());
        return texts.toArray(String[]::new);
    }

    /** A condition without values would be met by everybody. */
    private static void refuseEmpty(JsonFields fields, String name, int size)
            throws BadReplyException {
        if (size == 0 && fields.has(name)) throw fields.wrong("has " + name + " without a value");
    }

    private static AccessRule.Action[] actions(JsonFields fields, String name)
            throws BadReplyException {
        List<String> names = List.of(array(fields, name));
        if (names.equals(List.of("all"))) return new AccessRule.Action[0];
        List<AccessRule.Action> actions = new ArrayList<>();
        for (String each : names) {
            actions.add(
                    switch (each) {
                        case "connect" -> AccessRule.Action.CONNECT;
                        case "publish" -> AccessRule.Action.PUBLISH;
                        case "subscribe" -> AccessRule.Action.SUBSCRIBE;
                        default ->
                                throw fields.wrong(
                                        "has "
                                                + name
                                                + " with an action that is not connect, publish, subscribe"
                                                + " or all");
                    });
        }
        return actions.toArray(AccessRule.Action[]::new);
    }

    /**
     * Returns for how many seconds a response may be remembered.
     *
     * @param cacheControl the values of its Cache-Control headers
     */
    static long maxAgeSeconds(List<String> cacheControl) {
        long seconds = 0;
        for (String header : cacheControl) {
            for (String each : header.toLowerCase(Locale.ROOT).split(",", -1)) {
                String directive = each.strip();
                if (directive.equals("no-store") || directive.startsWith("no-cache")) return 0;
                if (directive.matches("max-age=\"?[0-9]{1,18}\"?")) {
                    seconds = Long.parseLong(directive.replaceAll("[^0-9]", ""));
                }
            }
        }
        return Math.min(seconds, Integer.MAX_VALUE);
    }
}
