package io.godwit.core.auth.rules;

import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.ByteWriter;
import io.godwit.extension.access.AccessRule;
import io.godwit.extension.access.AccessRule.Action;
import io.godwit.extension.access.AccessRule.Effect;
import io.godwit.extension.access.AccessRules;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Rules on their way to the node that serves a client.
 *
 * <pre>
 * groups varint, each name sized, texts | rules varint, each:
 *     effect 1 (0 allow, 1 deny) | actions 1 (a bit each: connect, publish, subscribe)
 *     | users, groups, clients, addresses, listeners texts | certificate 1
 *     | topics texts | qos 1 (a bit each) | retain 1 | has share 1, share sized
 * texts: varint, each sized; certificate and retain: 0 either, 1 true, 2 false
 * </pre>
 */
final class RuleBytes {
    private RuleBytes() {}

    static void write(AccessRules rules, ByteWriter to) {
        to.varint(rules.groups().size());
        rules.groups()
                .forEach((name, users) -> {
                    text(name, to);
                    texts(users, to);
                });
        to.varint(rules.rules().size());
        for (AccessRule each : rules.rules()) {
            write(each, to);
        }
    }

    private static void write(AccessRule rule, ByteWriter to) {
        to.u8(rule.effect() == Effect.ALLOW ? 0 : 1);
        int actions = 0;
        for (Action each : rule.actions()) {
            actions |= 1 << each.ordinal();
        }
        to.u8(actions);
        texts(rule.users(), to);
        texts(rule.groups(), to);
        texts(rule.clients(), to);
        texts(rule.addresses(), to);
        texts(rule.listeners(), to);
        choice(rule.certificate(), to);
        texts(rule.topics(), to);
        int qos = 0;
        for (int each : rule.qos()) {
            qos |= 1 << each;
        }
        to.u8(qos);
        choice(rule.retain(), to);
        String share = rule.share();
        to.u8(share == null ? 0 : 1);
        if (share != null) {
            text(share, to);
        }
    }

    /**
     * @param end index behind the last byte that may be read
     * @throws IndexOutOfBoundsException it is no list, or a longer one
     */
    static AccessRules read(ByteReader from, int end) {
        Map<String, List<String>> groups = new LinkedHashMap<>();
        for (int left = from.size(); left > 0; left--) {
            groups.put(text(from), List.of(texts(from)));
            check(from, end);
        }
        List<AccessRule> rules = new ArrayList<>();
        for (int left = from.size(); left > 0; left--) {
            try {
                rules.add(rule(from));
            } catch (IllegalArgumentException bad) {
                throw new IndexOutOfBoundsException("rule: " + bad.getMessage());
            }
            check(from, end);
        }
        return new AccessRules(rules, groups);
    }

    private static void check(ByteReader from, int end) {
        if (from.next() > end) {
            throw new IndexOutOfBoundsException(
                    "rules of more than " + AccessList.BYTES_MAX + " B");
        }
    }

    private static AccessRule rule(ByteReader from) {
        boolean isAllowed = from.u8() == 0;
        int bits = from.u8();
        List<Action> actions = new ArrayList<>();
        for (Action each : Action.values()) {
            if ((bits & 1 << each.ordinal()) != 0) {
                actions.add(each);
            }
        }
        Action[] about = actions.toArray(Action[]::new);
        AccessRule.Builder rule = isAllowed ? AccessRule.allow(about) : AccessRule.deny(about);
        rule.user(texts(from))
                .group(texts(from))
                .client(texts(from))
                .address(texts(from))
                .listener(texts(from));
        Boolean certificate = choice(from);
        if (certificate != null) {
            rule.certificate(certificate);
        }
        rule.topic(texts(from));
        int qos = from.u8();
        for (int level = 0; level < Byte.SIZE; level++) {
            if ((qos & 1 << level) != 0) {
                rule.qos(level);
            }
        }
        Boolean retain = choice(from);
        if (retain != null) {
            rule.retain(retain);
        }
        if (from.u8() != 0) {
            rule.share(text(from));
        }
        return rule.build();
    }

    private static void choice(@Nullable Boolean choice, ByteWriter to) {
        to.u8(choice == null ? 0 : choice ? 1 : 2);
    }

    private static @Nullable Boolean choice(ByteReader from) {
        int choice = from.u8();
        return choice == 0 ? null : Boolean.valueOf(choice == 1);
    }

    private static void texts(List<String> texts, ByteWriter to) {
        to.varint(texts.size());
        for (String each : texts) {
            text(each, to);
        }
    }

    private static String[] texts(ByteReader from) {
        String[] texts = new String[from.size()];
        for (int i = 0; i < texts.length; i++) {
            texts[i] = text(from);
        }
        return texts;
    }

    private static void text(String text, ByteWriter to) {
        to.sized(text.getBytes(StandardCharsets.UTF_8));
    }

    private static String text(ByteReader from) {
        return new String(from.sized(), StandardCharsets.UTF_8);
    }
}
