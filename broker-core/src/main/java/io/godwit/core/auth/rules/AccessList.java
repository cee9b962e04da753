package io.godwit.core.auth.rules;

import io.godwit.core.auth.Access;
import io.godwit.core.auth.AccessControl;
import io.godwit.core.auth.Subject;
import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.ByteWriter;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import io.godwit.extension.access.AccessRule;
import io.godwit.extension.access.AccessRule.Action;
import io.godwit.extension.access.AccessRules;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Rules that were checked and compiled, for all clients that they are about. Immutable; any thread.
 *
 * <p>The first rule that matches decides. A rule that allows matches a subscription only if it
 * covers all of its filter; one that denies matches if it overlaps the filter. So nobody is sent by
 * a wildcard what a rule before has denied.
 */
public final class AccessList implements AccessControl {
    /** Rules that a list may have. */
    public static final int RULES_MAX = 100_000;

    /** Values that all conditions of a list and its groups may have together. */
    public static final int VALUES_MAX = 500_000;

    /**
     * Patterns of names, networks, and levels with placeholders that a list may have: these are
     * tried one by one.
     */
    public static final int TRIED_MAX = 10_000;

    /** Bytes of a list that travels with an identity. */
    public static final int BYTES_MAX = 64 * 1024;

    private static final int PUBLISH_BITS = 6;

    private final AccessRules source;
    private final Groups groups;
    private final WhoIndex index;
    private final CompiledRule[] rules;

    /** Of each rule, the number of the clients that it is about. */
    private final int[] whoOf;

    private final boolean hasPlaceholders;

    private final Candidates connect = new Candidates();
    private final RuleTree publish = new RuleTree();
    private final RuleTree subscribe = new RuleTree();
    private final IntPredicate[] publishTests = new IntPredicate[PUBLISH_BITS];

    private AccessList(AccessRules source) throws RuleMistake {
        this.source = source;
        checkSize(source);
        int count = source.rules().size();
        this.groups = new Groups(source.groups());
        this.rules = new CompiledRule[count];
        this.whoOf = new int[count];
        List<Who> whos = new ArrayList<>();
        Map<Who.Written, Integer> numbers = new HashMap<>();
        int tried = groups.tried();
        for (int i = 0; i < count; i++) {
            AccessRule rule = source.rules().get(i);
            checkGroups(rule, i);
            rules[i] = new CompiledRule(rule, i);
            Who.Written written = Who.Written.of(rule);
            Integer known = numbers.get(written);
            if (known != null) {
                whoOf[i] = known;
            } else if (!written.isEverybody()) {
                Who who = Who.of(written, i);
                tried += who.tried();
                whos.add(who);
                whoOf[i] = whos.size();
                numbers.put(written, whos.size());
            }
            tried += add(i);
            if (tried > TRIED_MAX) {
                throw RuleMistake.inRule(
                        i,
                        "",
                        null,
                        "there are "
                                + tried
                                + " patterns of names, networks and levels with placeholders up to here; "
                                + TRIED_MAX
                                + " are allowed, since each is tried");
            }
        }
        this.index = new WhoIndex(whos);
        this.hasPlaceholders =
                Arrays.stream(rules)
                        .flatMap(rule -> rule.topics().stream())
                        .anyMatch(TopicPattern::hasPlaceholder);
        connect.seal();
        subscribe.seal();
        publish.seal();
        for (int i = 0; i < PUBLISH_BITS; i++) {
            int bit = 1 << i;
            publishTests[i] = rule -> rules[rule].hasPublishBit(bit);
        }
    }

    /**
     * Compiles a list.
     *
     * @throws RuleMistake says which rule is wrong, and what is allowed
     */
    public static AccessList of(AccessRules rules) throws RuleMistake {
        return new AccessList(rules);
    }

    /**
     * Compiles a list that an authenticator has brought for a client: one that is small enough to
     * travel with the client's identity.
     *
     * @throws RuleMistake says which rule is wrong, and what is allowed
     */
    public static AccessList ofIdentity(AccessRules rules) throws RuleMistake {
        AccessList list = new AccessList(rules);
        ByteWriter bytes = new ByteWriter(256);
        list.write(bytes);
        if (bytes.length() > BYTES_MAX) {
            throw RuleMistake.inRule(
                    rules.rules().size() - 1,
                    "",
                    null,
                    "a list of "
                            + bytes.length()
                            + " bytes; one that comes with an identity may have "
                            + BYTES_MAX);
        }
        return list;
    }

    /** Appends the list. */
    public void write(ByteWriter to) {
        RuleBytes.write(source, to);
    }

    /**
     * Reads what {@link #write} has written, of a list that came with an identity.
     *
     * @throws IndexOutOfBoundsException it is no list, or has more than {@link #BYTES_MAX}
     */
    public static AccessList read(ByteReader from) {
        int begin = from.next();
        AccessRules rules = RuleBytes.read(from, begin + BYTES_MAX);
        try {
            return new AccessList(rules);
        } catch (RuleMistake bad) {
            throw new IndexOutOfBoundsException("rule " + bad.rule() + ": " + bad.getMessage());
        }
    }

    private static void checkSize(AccessRules source) throws RuleMistake {
        long values = 0;
        for (Map.Entry<String, List<String>> each : source.groups().entrySet()) {
            values += 1 + each.getValue().size();
            if (values > VALUES_MAX) {
                throw RuleMistake.inGroup(each.getKey(), null, tooMany("values", VALUES_MAX));
            }
        }
        for (int i = 0; i < source.rules().size(); i++) {
            AccessRule rule = source.rules().get(i);
            values +=
                    rule.users().size()
                            + rule.groups().size()
                            + rule.clients().size()
                            + rule.addresses().size()
                            + rule.listeners().size()
                            + rule.topics().size();
            if (i >= RULES_MAX) {
                throw RuleMistake.inRule(i, "rules", null, tooMany("rules", RULES_MAX));
            }
            if (values > VALUES_MAX) {
                throw RuleMistake.inRule(i, "", null, tooMany("values", VALUES_MAX));
            }
        }
    }

    private static String tooMany(String what, int max) {
        return "more than " + max + " " + what + "; that many are allowed";
    }

    private void checkGroups(AccessRule rule, int place) throws RuleMistake {
        for (String each : rule.groups()) {
            if (!groups.isKnown(each)) {
                throw RuleMistake.inRule(
                        place,
                        "group",
                        each,
                        "there is no such group; those under groups are allowed (with [] where an"
                                + " authenticator knows the members)");
            }
        }
    }

    /** Puts a rule where it is looked for, and returns how many more levels are tried. */
    private int add(int place) {
        CompiledRule rule = rules[place];
        int who = whoOf[place];
        int tried = 0;
        if (rule.isAbout(Action.CONNECT)) {
            connect.add(place, who);
        }
        if (rule.isAbout(Action.PUBLISH)) {
            tried += publish.add(rule, place, who);
        }
        if (rule.isAbout(Action.SUBSCRIBE)) {
            tried += subscribe.add(rule, place, who);
        }
        return tried;
    }

    /** Whether it is an address that rules can tell from others. */
    public static boolean isAddress(String text) {
        return Traits.address(text) != null;
    }

    /** Number of rules. */
    public int size() {
        return rules.length;
    }

    /** Number of groups that the list names. */
    public int groups() {
        return source.groups().size();
    }

    /** Returns a rule as it was given. */
    public AccessRule rule(int place) {
        return source.rules().get(place);
    }

    @Override
    public boolean mayConnect(Subject subject) {
        return connect.isEmpty() || isAllowed(connectRule(whos(subject)));
    }

    @Override
    public Access of(Subject subject) {
        return new ListAccess(this, subject);
    }

    /** Explains whether a client may connect. */
    public Decision explainConnect(Subject subject) {
        if (connect.isEmpty()) {
            List<String> unmet = new ArrayList<>();
            for (int i = 0; i < rules.length; i++) {
                unmet.add("action");
            }
            return new Decision(true, -1, unmet, true);
        }
        return decision(subject, Action.CONNECT, connectRule(whos(subject)), rule -> null);
    }

    /** Explains whether a client may publish. */
    public Decision explainPublish(Subject subject, Topic topic, int qos, boolean retain) {
        ListAccess access = new ListAccess(this, subject);
        return decision(
                subject,
                Action.PUBLISH,
                access.publishRule(topic, qos, retain),
                rule -> rule.unmetByPublish(topic.bytes(), qos, retain, access.values()));
    }

    /** Explains whether a client may subscribe. */
    public Decision explainSubscribe(Subject subject, TopicFilter filter, int qos) {
        WantedFilter wanted = WantedFilter.of(filter, qos);
        ListAccess access = new ListAccess(this, subject);
        return decision(
                subject,
                Action.SUBSCRIBE,
                access.subscribeRule(filter, qos),
                rule -> rule.unmetBySubscription(wanted, access.values()));
    }

    private Decision decision(
            Subject subject,
            Action action,
            int decides,
            Function<CompiledRule, @Nullable String> unmetByMessage) {
        Traits client = traits(subject);
        List<String> unmet = new ArrayList<>();
        for (int i = 0; i < Math.min(decides, rules.length); i++) {
            String reason =
                    !rules[i].isAbout(action)
                            ? "action"
                            : whoOf[i] == WhoIndex.EVERYBODY
                                    ? null
                                    : index.get(whoOf[i]).unmet(client);
            if (reason == null) {
                reason = unmetByMessage.apply(rules[i]);
            }
            if (reason == null) {
                throw new IllegalStateException(
                        "rule " + i + " matches, and " + decides + " decided");
            }
            unmet.add(reason);
        }
        return new Decision(
                isAllowed(decides), decides == Candidates.NONE ? -1 : decides, unmet, false);
    }

    /**
     * @param rule place of the rule that decides
     */
    boolean isAllowed(int rule) {
        return rule != Candidates.NONE && !rules[rule].isDenied();
    }

    /** Returns what a client meets of all rules' conditions about clients. */
    int[] whos(Subject subject) {
        return index.matching(traits(subject));
    }

    /** Returns what the placeholders of the rules stand for; nothing is made where none has any. */
    PlaceholderValues values(Subject subject) {
        return hasPlaceholders ? PlaceholderValues.of(subject) : PlaceholderValues.NONE;
    }

    private Traits traits(Subject subject) {
        return Traits.of(
                subject, groups.of(subject.identity().userName(), subject.identity().groups()));
    }

    private int connectRule(int[] whos) {
        return connect.lowest(whos, rule -> true, Candidates.NONE);
    }

    int publishRule(Topic topic, int bit, int[] whos, PlaceholderValues values) {
        IntPredicate test = publishTests[Integer.numberOfTrailingZeros(bit)];
        return publish.lowest(topic.bytes(), whos, test, values);
    }

    int subscribeRule(WantedFilter wanted, int[] whos, PlaceholderValues values) {
        return subscribe.lowest(
                wanted.topics(),
                whos,
                rule -> rules[rule].unmetBySubscription(wanted, values) == null,
                values);
    }
}
