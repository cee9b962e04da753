package io.godwit.core.auth.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.auth.Access;
import io.godwit.core.auth.ClientSettings;
import io.godwit.core.auth.Identity;
import io.godwit.core.auth.Peer;
import io.godwit.core.auth.PeerTls;
import io.godwit.core.auth.Subject;
import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.ByteWriter;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import io.godwit.extension.access.AccessRule;
import io.godwit.extension.access.AccessRule.Action;
import io.godwit.extension.access.AccessRules;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Random lists decide as a scan over their rules does, with matching that is written anew here. */
class AccessListPropertyTest {
    private static final int LISTS = Integer.getInteger("rules.lists", 1_000);
    private static final List<@Nullable String> USERS =
            Arrays.asList(null, "", "ann", "bob", "a/b", "#", "+", "%c", "$SYS", "dev-1", "an*");
    private static final List<String> CLIENTS =
            List.of("", "ann", "c1", "dev-1", "a/b", "#", "+", "%u", "$SYS", "c\u0001", "*");
    private static final List<String> NAMES = List.of("ann", "bob", "a*", "*b", "*", "dev-*", "c1");
    private static final List<String> LEVELS =
            List.of("a", "b", "", "+", "%c", "%u", "dev-%c", "%u-%c", "$SYS", "ann", "x%%");
    private static final List<String> WORDS =
            List.of("a", "b", "", "c1", "ann", "dev-c1", "ann-c1", "$SYS", "x%", "%c", "z");

    @Test
    void list_decides_as_a_scan_over_its_rules_does() throws RuleMistake {
        for (int seed = 0; seed < LISTS; seed++) {
            Random random = new Random(seed);
            AccessRules rules = rules(random);
            AccessList list = AccessList.of(rules);
            ByteWriter bytes = new ByteWriter(64);
            list.write(bytes);
            AccessList copy = AccessList.read(new ByteReader(bytes.toBytes()));
            for (int i = 0; i < 6; i++) {
                Subject subject = subject(random);
                Scan scan = new Scan(rules, subject);
                Access access = list.of(subject);
                String name = "seed " + seed;
                Supplier<String> about = () -> name + " " + rules + "\n" + subject + "\n";
                assertThat(list.mayConnect(subject)).as(about).isEqualTo(scan.mayConnect());
                for (int k = 0; k < 24; k++) {
                    String topic = topic(random, WORDS);
                    int qos = random.nextInt(3);
                    boolean retain = random.nextBoolean();
                    boolean expected = scan.mayPublish(topic, qos, retain);
                    Supplier<String> what =
                            () -> about.get() + "publish " + topic + " " + qos + " " + retain;
                    Topic published = Topic.of(topic);
                    assertThat(access.mayPublish(published, qos, retain))
                            .as(what)
                            .isEqualTo(expected);
                    assertThat(access.mayPublish(Topic.of(topic), qos, retain))
                            .as(what)
                            .isEqualTo(expected);
                    assertThat(copy.of(subject).mayPublish(published, qos, retain))
                            .as(what)
                            .isEqualTo(expected);
                    assertThat(list.explainPublish(subject, published, qos, retain).isAllowed())
                            .isEqualTo(expected);
                    String filter = filter(random);
                    assertThat(access.maySubscribe(TopicFilter.of(filter), qos))
                            .as(() -> about.get() + "subscribe " + filter + " " + qos)
                            .isEqualTo(scan.maySubscribe(filter, qos));
                    list.explainSubscribe(subject, TopicFilter.of(filter), qos);
                }
            }
        }
    }

    private static AccessRules rules(Random random) {
        Map<String, List<String>> groups = new LinkedHashMap<>();
        groups.put("g1", some(random, NAMES, 2));
        groups.put("g2", List.of());
        int count = random.nextInt(random.nextInt(10) == 0 ? 120 : 9);
        List<AccessRule> rules = new ArrayList<>();
        while (rules.size() < count) {
            Action[] actions =
                    random.nextInt(4) == 0
                            ? new Action[0]
                            : new Action[] {Action.values()[random.nextInt(3)]};
            AccessRule.Builder rule =
                    random.nextInt(3) > 0 ? AccessRule.allow(actions) : AccessRule.deny(actions);
            if (random.nextInt(3) == 0) rule.user(texts(random, NAMES));
            if (random.nextInt(5) == 0) rule.group(random.nextBoolean() ? "g1" : "g2");
            if (random.nextInt(5) == 0)
                rule.client(texts(random, List.of("%u", "c*", "c1", "*-%u", "%%u")));
            if (random.nextInt(6) == 0)
                rule.address(random.nextBoolean() ? "10.0.0.0/8" : "fd00::/8");
            if (random.nextInt(8) == 0) rule.listener("tls*");
            if (random.nextInt(8) == 0) rule.certificate(random.nextBoolean());
            boolean connects = actions.length > 0 && actions[0] == Action.CONNECT;
            if (!connects) {
                if (random.nextInt(4) > 0) {
                    rule.topic(pattern(random));
                    if (random.nextInt(4) == 0) rule.topic(pattern(random));
                }
                if (random.nextInt(5) == 0) rule.qos(random.nextInt(3));
                if (actions.length > 0 && actions[0] == Action.PUBLISH && random.nextInt(4) == 0) {
                    rule.retain(random.nextBoolean());
                }
                if (actions.length > 0
                        && actions[0] == Action.SUBSCRIBE
                        && random.nextInt(4) == 0) {
                    rule.share(List.of("none", "any", "team*").get(random.nextInt(3)));
                }
            }
            rules.add(rule.build());
        }
        return new AccessRules(rules, groups);
    }

    private static String pattern(Random random) {
        String text = topic(random, LEVELS);
        return random.nextInt(3) == 0 ? (random.nextInt(4) == 0 ? "#" : text + "/#") : text;
    }

    private static String filter(Random random) {
        List<String> levels = new ArrayList<>(WORDS);
        levels.add("+");
        levels.add("+");
        String text = topic(random, levels);
        if (random.nextInt(3) == 0) text = random.nextInt(3) == 0 ? "#" : text + "/#";
        return switch (random.nextInt(5)) {
            case 0 -> "$share/team1/" + text;
            case 1 -> "$share/x/" + text;
            default -> text;
        };
    }

    private static String topic(Random random, List<String> levels) {
        StringBuilder text = new StringBuilder();
        int count = 1 + random.nextInt(3);
        for (int i = 0; i < count; i++) {
            if (i > 0) text.append('/');
            text.append(levels.get(random.nextInt(levels.size())));
        }
        return text.isEmpty() ? "a" : text.toString();
    }

    private static String[] texts(Random random, List<String> from) {
        return some(random, from, 1 + random.nextInt(2)).toArray(String[]::new);
    }

    private static List<String> some(Random random, List<String> from, int count) {
        List<String> some = new ArrayList<>();
        for (int i = 0; i < count; i++) some.add(from.get(random.nextInt(from.size())));
        return some;
    }

    private static Subject subject(Random random) {
        Identity identity =
                new Identity(
                        USERS.get(random.nextInt(USERS.size())),
                        random.nextInt(4) == 0 ? List.of("g2") : List.of(),
                        Map.of(),
                        null,
                        0,
                        ClientSettings.NODE);
        return new Subject(
                ClientId.of(CLIENTS.get(random.nextInt(CLIENTS.size()))),
                identity,
                new Peer(
                        List.of("10.1.2.3:99", "192.168.0.1:5", "[fd00::1]:7")
                                .get(random.nextInt(3)),
                        false,
                        random.nextBoolean() ? "tls1" : "mqtt",
                        new PeerTls(null, null, random.nextBoolean(), null)));
    }

    /** Decides by looking at each rule in turn. */
    private record Scan(AccessRules rules, Subject subject) {
        boolean mayConnect() {
            List<AccessRule> about =
                    rules.rules().stream()
                            .filter(each -> each.actions().contains(Action.CONNECT))
                            .toList();
            if (about.isEmpty()) return true;
            for (AccessRule each : about) {
                if (isAbout(each)) return each.effect() == AccessRule.Effect.ALLOW;
            }
            return false;
        }

        boolean mayPublish(String topic, int qos, boolean retain) {
            for (AccessRule each : rules.rules()) {
                if (each.actions().contains(Action.PUBLISH)
                        && isAbout(each)
                        && (each.qos().isEmpty() || each.qos().contains(qos))
                        && (each.retain() == null || each.retain() == retain)
                        && hasTopic(each, topic)) {
                    return each.effect() == AccessRule.Effect.ALLOW;
                }
            }
            return false;
        }

        boolean maySubscribe(String filter, int qos) {
            String[] shared = filter.startsWith("$share/") ? filter.split("/", 3) : null;
            for (AccessRule each : rules.rules()) {
                String share = each.share() == null ? "any" : each.share();
                boolean hasShare =
                        switch (share) {
                            case "any" -> true;
                            case "none" -> shared == null;
                            default -> shared != null && glob(share, shared[1]);
                        };
                if (each.actions().contains(Action.SUBSCRIBE)
                        && isAbout(each)
                        && (each.qos().isEmpty() || each.qos().contains(qos))
                        && hasShare
                        && hasTopic(each, shared == null ? filter : shared[2])) {
                    return each.effect() == AccessRule.Effect.ALLOW;
                }
            }
            return false;
        }

        private boolean hasTopic(AccessRule rule, String filter) {
            if (rule.topics().isEmpty()) return true;
            boolean denies = rule.effect() == AccessRule.Effect.DENY;
            for (String topic : rule.topics()) {
                String expanded = expanded(topic, denies);
                if (expanded == null) continue;
                if (expanded.isEmpty()) return true;
                byte[] bytes = filter.getBytes(java.nio.charset.StandardCharsets.UTF_8);
                // FilterRelationsTest holds these against topics.
                TopicPattern pattern = TopicPattern.of(expanded.replace("%", "%%"));
                PlaceholderValues none = PlaceholderValues.of(subject);
                if (denies ? pattern.overlaps(bytes, none) : pattern.covers(bytes, none))
                    return true;
            }
            return false;
        }

        /** Returns null: it is for nothing; an empty text: for everything. */
        private @Nullable String expanded(String topic, boolean denies) {
            List<String> levels = new ArrayList<>();
            for (String level : topic.split("/", -1)) {
                String user = subject.identity().userName();
                String client = subject.clientId().toString();
                boolean isBad =
                        level.contains("%c") && bad(client) || level.contains("%u") && bad(user);
                if (levels.isEmpty()) {
                    isBad |= level.startsWith("%c") && client.startsWith("$");
                    isBad |= level.startsWith("%u") && user != null && user.startsWith("$");
                }
                if (isBad) {
                    if (!denies) return null;
                    return levels.isEmpty() ? "" : String.join("/", levels) + "/#";
                }
                levels.add(
                        level.replace("%%", "\u0000")
                                .replaceAll("%c", "\u0001")
                                .replaceAll("%u", "\u0002")
                                .replace("\u0001", client)
                                .replace("\u0002", user == null ? "" : user)
                                .replace("\u0000", "%"));
            }
            return String.join("/", levels);
        }

        private static boolean bad(@Nullable String value) {
            return value == null || value.isEmpty() || value.matches("(?s).*[/+#].*");
        }

        private boolean isAbout(AccessRule rule) {
            String user = subject.identity().userName();
            boolean denies = rule.effect() == AccessRule.Effect.DENY;
            boolean users =
                    rule.users().isEmpty()
                            || user != null
                                    && rule.users().stream().anyMatch(each -> glob(each, user));
            boolean groups = rule.groups().isEmpty() || rule.groups().stream().anyMatch(this::isIn);
            boolean clients =
                    rule.clients().isEmpty()
                            || rule.clients().stream()
                                    .anyMatch(each -> isClient(each, user, denies));
            String address = subject.peer().remoteAddress();
            boolean addresses =
                    rule.addresses().isEmpty()
                            || rule.addresses().contains("10.0.0.0/8") && address.startsWith("10.")
                            || rule.addresses().contains("fd00::/8") && address.startsWith("[fd");
            boolean listeners =
                    rule.listeners().isEmpty() || subject.peer().listener().startsWith("tls");
            boolean certificate =
                    rule.certificate() == null
                            || rule.certificate() == subject.peer().hasCertificate();
            return users && groups && clients && addresses && listeners && certificate;
        }

        private boolean isClient(String pattern, @Nullable String user, boolean denies) {
            String id = subject.clientId().toString();
            if (pattern.equals("%%u")) return id.equals("%u");
            if (!pattern.contains("%u")) return glob(pattern, id);
            if (user == null) return denies;
            return pattern.equals("%u") ? id.equals(user) : id.endsWith("-" + user);
        }

        private boolean isIn(String group) {
            String user = subject.identity().userName();
            return subject.identity().groups().contains(group)
                    || user != null
                            && rules.groups().getOrDefault(group, List.of()).stream()
                                    .anyMatch(each -> glob(each, user));
        }

        private static boolean glob(String pattern, String text) {
            StringBuilder regex = new StringBuilder("(?s)");
            for (char each : pattern.toCharArray()) {
                regex.append(each == '*' ? ".*" : java.util.regex.Pattern.quote("" + each));
            }
            return text.matches(regex.toString());
        }
    }
}
