package io.godwit.extension.access;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Allows or denies clients to connect, to publish or to subscribe. All conditions of a rule must be
 * met; of a condition with several values one value is enough, and a condition without values is
 * always met. Immutable.
 *
 * <p>In user names, client ids, listeners and names of shared groups {@code *} stands for any
 * number of characters.
 */
public final class AccessRule {
    /** Sets of QoS levels by the sum of 1 << level: thousands of rules have the same. */
    private static final List<Set<Integer>> QOS_SETS = qosSets();

    private static final List<Set<Action>> ACTION_SETS = actionSets();

    private final Effect effect;
    private final Set<Action> actions;
    private final boolean isForAll;
    private final List<String> users;
    private final List<String> groups;
    private final List<String> clients;
    private final List<String> addresses;
    private final List<String> listeners;
    private final @Nullable Boolean certificate;
    private final List<String> topics;
    private final Set<Integer> qos;
    private final @Nullable Boolean retain;
    private final @Nullable String share;

    /** Says what a rule does when it is the first that matches. */
    public enum Effect {
        ALLOW,
        DENY
    }

    /** Names what a client may want to do. */
    public enum Action {
        CONNECT,
        PUBLISH,
        SUBSCRIBE
    }

    private AccessRule(Builder from, Set<Action> actions) {
        this.effect = from.effect;
        this.actions = shared(actions);
        this.isForAll = from.actions.isEmpty();
        this.users = List.copyOf(from.users);
        this.groups = List.copyOf(from.groups);
        this.clients = List.copyOf(from.clients);
        this.addresses = List.copyOf(from.addresses);
        this.listeners = List.copyOf(from.listeners);
        this.certificate = from.certificate;
        this.topics = List.copyOf(from.topics);
        this.qos = QOS_SETS.get(from.qos.stream().mapToInt(each -> 1 << each).sum());
        this.retain = from.retain;
        this.share = from.share;
    }

    private static List<Set<Integer>> qosSets() {
        List<Set<Integer>> all = new ArrayList<>();
        for (int bits = 0; bits < 8; bits++) {
            Set<Integer> set = new TreeSet<>();
            for (int level = 0; level <= 2; level++) {
                if ((bits & 1 << level) != 0) set.add(level);
            }
            all.add(Collections.unmodifiableSet(set));
        }
        return List.copyOf(all);
    }

    private static List<Set<Action>> actionSets() {
        List<Set<Action>> all = new ArrayList<>();
        for (int bits = 0; bits < 1 << Action.values().length; bits++) {
            Set<Action> set = EnumSet.noneOf(Action.class);
            for (Action each : Action.values()) {
                if ((bits & 1 << each.ordinal()) != 0) set.add(each);
            }
            all.add(Collections.unmodifiableSet(set));
        }
        return List.copyOf(all);
    }

    private static Set<Action> shared(Set<Action> actions) {
        return ACTION_SETS.get(actions.stream().mapToInt(each -> 1 << each.ordinal()).sum());
    }

    /** Begins a rule that allows these actions; without any: all that its conditions fit. */
    public static Builder allow(Action... actions) {
        return new Builder(Effect.ALLOW, actions);
    }

    /** Begins a rule that denies these actions; without any: all that its conditions fit. */
    public static Builder deny(Action... actions) {
        return new Builder(Effect.DENY, actions);
    }

    public Effect effect() {
        return effect;
    }

    /**
     * Returns what the rule is about. A rule for all actions is about those that have all of its
     * conditions: one with {@code topic} or {@code qos} is not about connecting, one with {@code
     * retain} is about publishing alone, one with {@code share} about subscribing alone.
     */
    public Set<Action> actions() {
        return actions;
    }

    /** Returns patterns of user names; a client without one matches none of them. */
    public List<String> users() {
        return users;
    }

    /** Returns names of groups. */
    public List<String> groups() {
        return groups;
    }

    /**
     * Returns patterns of client ids. {@code %u} in them stands for the client's user name, {@code
     * %%} for a percent sign.
     */
    public List<String> clients() {
        return clients;
    }

    /** Returns addresses and networks in CIDR form. */
    public List<String> addresses() {
        return addresses;
    }

    /** Returns patterns of names of listeners. */
    public List<String> listeners() {
        return listeners;
    }

    /** Whether the client must have shown a certificate, or must not; null: either. */
    public @Nullable Boolean certificate() {
        return certificate;
    }

    /**
     * Returns topics with MQTT's wildcards. {@code %c} in them stands for the client id, {@code %u}
     * for the user name, {@code %%} for a percent sign. Without any the rule is for every topic,
     * those that begin with {@code $}, too.
     */
    public List<String> topics() {
        return topics;
    }

    /** Returns the QoS of a PUBLISH, or the one that a SUBSCRIBE asks for; empty: each. */
    public Set<Integer> qos() {
        return qos;
    }

    /** Whether a PUBLISH must be retained, or must not be; null: either. */
    public @Nullable Boolean retain() {
        return retain;
    }

    /**
     * Returns {@code none} for subscriptions that are not shared, {@code any} for both kinds, or
     * the pattern of a ShareName for shared ones; null as {@code any}.
     */
    public @Nullable String share() {
        return share;
    }

    /** Returns the rule as it is written in a file of rules. */
    @Override
    public String toString() {
        List<String> parts = new ArrayList<>();
        String about =
                isForAll
                        ? "all"
                        : list(
                                actions.stream()
                                        .map(each -> each.name().toLowerCase(java.util.Locale.ROOT))
                                        .toList());
        parts.add((effect == Effect.ALLOW ? "allow: " : "deny: ") + about);
        add(parts, "user", users);
        add(parts, "group", groups);
        add(parts, "client", clients);
        add(parts, "address", addresses);
        add(parts, "listener", listeners);
        if (certificate != null) parts.add("certificate: " + certificate);
        add(parts, "topic", topics);
        if (!qos.isEmpty()) parts.add("qos: " + list(qos.stream().map(String::valueOf).toList()));
        if (retain != null) parts.add("retain: " + retain);
        if (share != null) parts.add("share: " + quoted(share));
        return "{" + String.join(", ", parts) + "}";
    }

    private static void add(List<String> parts, String key, List<String> values) {
        if (!values.isEmpty()) {
            parts.add(key + ": " + list(values.stream().map(AccessRule::quoted).toList()));
        }
    }

    private static String list(List<String> values) {
        return values.size() == 1
                ? values.get(0)
                : values.stream().collect(Collectors.joining(", ", "[", "]"));
    }

    private static String quoted(String text) {
        if (text.matches("[A-Za-z][A-Za-z0-9_./-]*")) return text;
        StringBuilder out = new StringBuilder("\"");
        for (char each : text.toCharArray()) {
            if (each == '"' || each == '\\') {
                out.append('\\').append(each);
            } else if (Character.isISOControl(each)) {
                out.append(String.format("\\u%04x", (int) each));
            } else {
                out.append(each);
            }
        }
        return out.append('"').toString();
    }

    /** Collects a rule. Not for several threads. */
    public static final class Builder {
        private final Effect effect;
        private final Set<Action> actions;
        private final List<String> users = new ArrayList<>();
        private final List<String> groups = new ArrayList<>();
        private final List<String> clients = new ArrayList<>();
        private final List<String> addresses = new ArrayList<>();
        private final List<String> listeners = new ArrayList<>();
        private @Nullable Boolean certificate;
        private final List<String> topics = new ArrayList<>();
        private final Set<Integer> qos = new LinkedHashSet<>();
        private @Nullable Boolean retain;
        private @Nullable String share;

        private Builder(Effect effect, Action... actions) {
            this.effect = effect;
            this.actions = EnumSet.noneOf(Action.class);
            this.actions.addAll(Arrays.asList(actions));
        }

        /** Adds patterns of user names. */
        public Builder user(String... patterns) {
            users.addAll(Arrays.asList(patterns));
            return this;
        }

        /** Adds names of groups. */
        public Builder group(String... names) {
            groups.addAll(Arrays.asList(names));
            return this;
        }

        /** Adds patterns of client ids. */
        public Builder client(String... patterns) {
            clients.addAll(Arrays.asList(patterns));
            return this;
        }

        /** Adds addresses or networks in CIDR form. */
        public Builder address(String... networks) {
            addresses.addAll(Arrays.asList(networks));
            return this;
        }

        /** Adds patterns of names of listeners. */
        public Builder listener(String... patterns) {
            listeners.addAll(Arrays.asList(patterns));
            return this;
        }

        /** Sets whether the client must have shown a certificate, or must not. */
        public Builder certificate(boolean isShown) {
            certificate = isShown;
            return this;
        }

        /** Adds topics. */
        public Builder topic(String... patterns) {
            topics.addAll(Arrays.asList(patterns));
            return this;
        }

        /**
         * Adds QoS levels.
         *
         * @param levels 0..2
         */
        public Builder qos(int... levels) {
            Arrays.stream(levels).forEach(qos::add);
            return this;
        }

        /** Sets whether a PUBLISH must be retained, or must not be. */
        public Builder retain(boolean isRetained) {
            retain = isRetained;
            return this;
        }

        /**
         * Sets which subscriptions the rule is about.
         *
         * @param which {@code none}, {@code any}, or the pattern of a ShareName
         */
        public Builder share(String which) {
            share = which;
            return this;
        }

        /**
         * Makes the rule.
         *
         * @throws IllegalArgumentException it has a condition that one of its actions does not have
         */
        public AccessRule build() {
            for (int each : qos) {
                if (each < 0 || each > 2) {
                    throw new IllegalArgumentException("qos " + each + ": 0, 1 and 2 are allowed");
                }
            }
            Set<Action> fitting = EnumSet.allOf(Action.class);
            narrow(fitting, !topics.isEmpty(), "topic", Action.PUBLISH, Action.SUBSCRIBE);
            narrow(fitting, !qos.isEmpty(), "qos", Action.PUBLISH, Action.SUBSCRIBE);
            narrow(fitting, retain != null, "retain", Action.PUBLISH);
            narrow(fitting, share != null, "share", Action.SUBSCRIBE);
            if (fitting.isEmpty()) {
                throw new IllegalArgumentException(
                        "retain is for publish and share is for subscribe: no rule can have both");
            }
            return new AccessRule(this, actions.isEmpty() ? fitting : EnumSet.copyOf(actions));
        }

        private void narrow(
                Set<Action> fitting, boolean isPresent, String condition, Action... having) {
            if (!isPresent) {
                return;
            }
            List<Action> allowed = Arrays.asList(having);
            fitting.retainAll(allowed);
            for (Action each : actions) {
                if (!allowed.contains(each)) {
                    throw new IllegalArgumentException(
                            condition
                                    + " is not for "
                                    + each.name().toLowerCase(java.util.Locale.ROOT));
                }
            }
        }
    }
}
