package io.godwit.server.rules;

import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.dataformat.yaml.YAMLParser;
import io.godwit.extension.access.AccessRule;
import io.godwit.extension.access.AccessRule.Action;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Makes rules and groups of a YAML document. The first mistake ends it. */
final class RulesParser {
    private static final String KEYS =
            "allow or deny, user, group, client, address, listener, certificate, topic, qos, retain"
                    + " and share are allowed";
    private static final String ACTIONS = "connect, publish, subscribe and all are allowed";
    private static final int SHOWN_MAX = 80;

    private final Path file;
    private final @Nullable Set<String> listeners;
    private final YAMLParser yaml;
    private final List<AccessRule> rules = new ArrayList<>();
    private final List<Integer> lines = new ArrayList<>();
    private final Map<String, List<String>> groups = new LinkedHashMap<>();
    private final Map<String, Integer> groupLines = new HashMap<>();

    /** The line of the key that is being read. */
    private int line = 1;

    /**
     * @param listeners see {@link RulesFile}
     */
    RulesParser(Path file, @Nullable Set<String> listeners, YAMLParser yaml) {
        this.file = file;
        this.listeners = listeners;
        this.yaml = yaml;
    }

    List<AccessRule> rules() {
        return rules;
    }

    /** Returns the line at which each rule begins. */
    List<Integer> lines() {
        return lines;
    }

    Map<String, List<String>> groups() {
        return groups;
    }

    /** Returns the line of a group. */
    int line(String group) {
        return groupLines.getOrDefault(group, 1);
    }

    void document() throws IOException, RulesMistake {
        if (yaml.nextToken() != JsonToken.START_OBJECT) {
            throw mistake("", null, "the file has the keys groups and rules");
        }
        Set<String> seen = new HashSet<>();
        while (yaml.nextToken() != JsonToken.END_OBJECT) {
            String key = key(seen);
            switch (key) {
                case "groups" -> groups(yaml.nextToken());
                case "rules" -> rules(yaml.nextToken());
                default -> throw mistake(key, null, "groups and rules are allowed");
            }
        }
        if (!seen.contains("rules")) {
            throw mistake("rules", null, "is missing; [] for none, which denies everything");
        }
        if (yaml.nextToken() != null) {
            throw mistake("", null, "a second document is not allowed");
        }
    }

    private void groups(JsonToken first) throws IOException, RulesMistake {
        if (first != JsonToken.START_OBJECT) {
            throw mistake("groups", null, "lines as  name: [user, user]  are allowed");
        }
        Set<String> seen = new HashSet<>();
        while (yaml.nextToken() != JsonToken.END_OBJECT) {
            String name = key(seen);
            groupLines.put(name, line);
            groups.put(name, values("groups." + name, yaml.nextToken()));
        }
    }

    private void rules(JsonToken first) throws IOException, RulesMistake {
        if (first != JsonToken.START_ARRAY) {
            throw mistake(
                    "rules", null, "a list of rules as  - {allow: all, user: admin}  is allowed");
        }
        while (yaml.nextToken() != JsonToken.END_ARRAY) {
            line = here();
            if (yaml.currentToken() != JsonToken.START_OBJECT) {
                throw mistake("rules", null, "a rule is  {allow: ...}  or  {deny: ...}");
            }
            int begin = line;
            AccessRule rule = rule();
            lines.add(begin);
            rules.add(rule);
        }
    }

    private AccessRule rule() throws IOException, RulesMistake {
        int begin = line;
        Map<String, List<String>> conditions = new LinkedHashMap<>();
        AccessRule.Builder rule = null;
        Set<String> seen = new HashSet<>();
        while (yaml.nextToken() != JsonToken.END_OBJECT) {
            String key = key(seen);
            List<String> values = values(key, yaml.nextToken());
            if (values.isEmpty()) {
                throw mistake(
                        key, null, "has no value; leave the key out where it does not matter");
            }
            if (key.equals("allow") || key.equals("deny")) {
                if (rule != null) {
                    throw mistake(key, null, "a rule either allows or denies");
                }
                Action[] actions = actions(key, values);
                rule = key.equals("allow") ? AccessRule.allow(actions) : AccessRule.deny(actions);
            } else {
                check(key, values);
                conditions.put(key, values);
            }
        }
        line = begin;
        if (rule == null) {
            throw mistake("", null, "the rule has neither allow nor deny");
        }
        for (Map.Entry<String, List<String>> each : conditions.entrySet()) {
            add(rule, each.getKey(), each.getValue());
        }
        try {
            return rule.build();
        } catch (IllegalArgumentException bad) {
            throw mistake("", null, String.valueOf(bad.getMessage()));
        }
    }

    private Action[] actions(String key, List<String> values) throws RulesMistake {
        List<Action> actions = new ArrayList<>();
        for (String each : values) {
            switch (each) {
                case "connect" -> actions.add(Action.CONNECT);
                case "publish" -> actions.add(Action.PUBLISH);
                case "subscribe" -> actions.add(Action.SUBSCRIBE);
                case "all" -> {
                    if (values.size() > 1) {
                        throw mistake(key, each, "all stands alone");
                    }
                }
                default -> throw mistake(key, each, ACTIONS);
            }
        }
        return actions.toArray(Action[]::new);
    }

    /** Checks what is no list, and which keys there are. */
    private void check(String key, List<String> values) throws RulesMistake {
        switch (key) {
            case "user", "group", "client", "address", "topic" -> {}
            case "listener" -> checkListeners(key, values);
            case "certificate", "retain" -> {
                String value = only(key, values);
                if (!value.equals("true") && !value.equals("false")) {
                    throw mistake(key, value, "true and false are allowed");
                }
            }
            case "qos" -> {
                for (String each : values) {
                    if (!each.matches("[012]")) {
                        throw mistake(key, each, "0, 1 and 2 are allowed");
                    }
                }
            }
            case "share" -> only(key, values);
            default -> throw mistake(key, null, KEYS);
        }
    }

    /** Refuses names that no listener has; one with an asterisk may fit none. */
    private void checkListeners(String key, List<String> values) throws RulesMistake {
        Set<String> known = listeners;
        if (known == null) {
            return;
        }
        for (String each : values) {
            if (!each.contains("*") && !known.contains(each)) {
                throw mistake(
                        key,
                        each,
                        "no listener that is enabled has this name; there are "
                                + String.join(", ", new TreeSet<>(known)));
            }
        }
    }

    private String only(String key, List<String> values) throws RulesMistake {
        if (values.size() > 1) {
            throw mistake(key, null, "one value is allowed");
        }
        return values.get(0);
    }

    private static void add(AccessRule.Builder rule, String key, List<String> values) {
        String[] all = values.toArray(String[]::new);
        switch (key) {
            case "user" -> rule.user(all);
            case "group" -> rule.group(all);
            case "client" -> rule.client(all);
            case "address" -> rule.address(all);
            case "listener" -> rule.listener(all);
            case "topic" -> rule.topic(all);
            case "certificate" -> rule.certificate(all[0].equals("true"));
            case "retain" -> rule.retain(all[0].equals("true"));
            case "qos" -> rule.qos(values.stream().mapToInt(Integer::parseInt).toArray());
            case "share" -> rule.share(all[0]);
            default -> throw new IllegalStateException(key);
        }
    }

    /** Takes the key that the parser stands at. */
    private String key(Set<String> seen) throws IOException, RulesMistake {
        line = here();
        String key = yaml.currentName();
        if (!seen.add(key)) {
            throw mistake(key, null, "stands there already");
        }
        return key;
    }

    /** Reads one value or a list of them; the parser ends at the last token of it. */
    private List<String> values(String key, JsonToken first) throws IOException, RulesMistake {
        if (first != JsonToken.START_ARRAY) {
            return List.of(value(key, first));
        }
        List<String> values = new ArrayList<>();
        while (yaml.nextToken() != JsonToken.END_ARRAY) {
            values.add(value(key, yaml.currentToken()));
        }
        return values;
    }

    private String value(String key, JsonToken token) throws IOException, RulesMistake {
        if (yaml.isCurrentAlias()) {
            throw mistake(key, "*" + yaml.getText(), "a text that begins with * stands in quotes");
        }
        if (token == JsonToken.VALUE_NULL) {
            throw mistake(
                    key,
                    null,
                    "has no value (a text that begins with # stands in quotes; [] is an empty list)");
        }
        if (!token.isScalarValue()) {
            throw mistake(key, null, "one value, or a list of values, is allowed");
        }
        return yaml.getText();
    }

    private int here() {
        return yaml.currentTokenLocation().getLineNr();
    }

    private RulesMistake mistake(String key, @Nullable String value, String text) {
        return new RulesMistake(
                file
                        + " line "
                        + line
                        + ": "
                        + key
                        + (value == null ? "" : " = " + shown(value))
                        + (key.isEmpty() ? "" : ": ")
                        + text);
    }

    /** Returns a value as it may stand in a message: no line of it is broken by it. */
    static String shown(String value) {
        StringBuilder out = new StringBuilder();
        value.chars()
                .limit(SHOWN_MAX)
                .forEach(each ->
                        out.append(
                                Character.isISOControl(each)
                                        ? String.format("\\u%04x", each)
                                        : String.valueOf((char) each)));
        if (value.isEmpty()) {
            return "(empty)";
        }
        return value.length() > SHOWN_MAX ? out + "..." : out.toString();
    }
}
