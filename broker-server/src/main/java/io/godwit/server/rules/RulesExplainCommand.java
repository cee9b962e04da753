package io.godwit.server.rules;

import io.godwit.core.auth.ClientSettings;
import io.godwit.core.auth.Identity;
import io.godwit.core.auth.Peer;
import io.godwit.core.auth.PeerTls;
import io.godwit.core.auth.Subject;
import io.godwit.core.auth.rules.AccessList;
import io.godwit.core.auth.rules.Decision;
import io.godwit.core.codec.TopicCheck;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import io.godwit.extension.access.AccessRule;
import io.godwit.server.StartFailed;
import io.godwit.server.command.AnsweringCommand;
import io.godwit.server.command.ConfigChoice;
import io.godwit.server.config.Config;
import io.godwit.server.reload.FileMemory;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code godwit rules explain}: which rule decides, by the code that the broker runs. */
@Command(
        name = "explain",
        description =
                "Names the rule that allows or denies something to a client, and why none before it"
                        + " did. Exit code 0: it is allowed, 1: it is denied.")
public final class RulesExplainCommand extends AnsweringCommand {
    @Option(
            names = "--user",
            paramLabel = "NAME",
            description = "user name; without it the client is anonymous")
    private @Nullable String user;

    @Option(
            names = "--group",
            paramLabel = "NAME",
            description = "a group that the authenticator puts the user into; may be repeated")
    private List<String> groups = new ArrayList<>();

    @Option(names = "--client", paramLabel = "ID", description = "client id; empty without it")
    private String clientId = "";

    @Option(
            names = "--address",
            paramLabel = "ADDRESS",
            description =
                    "address of the client; without it rules that allow an address do not match, and"
                            + " those that deny one do")
    private String address = "";

    @Option(
            names = "--listener",
            paramLabel = "NAME",
            description = "name of the listener that it connects to")
    private String listener = "";

    @Option(names = "--certificate", description = "the client has shown a certificate")
    private boolean certificate;

    @Option(
            names = "--qos",
            paramLabel = "QOS",
            description = "QoS of the message, or the one asked for (default: 0)")
    private int qos;

    @Option(names = "--retain", description = "the message is retained")
    private boolean retain;

    @ArgGroup(multiplicity = "1")
    private Wanted wanted = new Wanted();

    @Option(
            names = "--rules",
            paramLabel = "FILE",
            description = "file of rules, instead of security.rules")
    private @Nullable Path rules;

    @Mixin private ConfigChoice configuration = new ConfigChoice();

    @CommandLine.Spec private CommandLine.Model.@Nullable CommandSpec spec;

    /** Says what the client wants to do; one of them. */
    static final class Wanted {
        @Option(names = "--connect", description = "may it connect?")
        private boolean connect;

        @Option(names = "--publish", paramLabel = "TOPIC", description = "may it publish to this?")
        private @Nullable String topic;

        @Option(
                names = "--subscribe",
                paramLabel = "FILTER",
                description = "may it subscribe to this? With $share/GROUP/ for a shared one")
        private @Nullable String filter;
    }

    @Override
    protected int answer(PrintStream out) throws StartFailed {
        check();
        LoadedRules loaded = load();
        Decision decision = decide(loaded.list());
        out.println(
                shown(wish())
                        + ": "
                        + (decision.isAllowed() ? "allowed" : "denied")
                        + by(loaded, decision));
        if (rules != null && isAboutListeners(loaded.list())) {
            out.println(
                    "  names of listeners are not checked: --rules reads no configuration; 'godwit run"
                            + " --check' does");
        }
        List<String> unmet = decision.unmet();
        for (int i = 0; i < unmet.size() && !decision.isConnectFree(); i++) {
            AccessRule rule = loaded.list().rule(i);
            out.println("  not line " + loaded.line(i) + ": " + reason(unmet.get(i), rule));
            out.println("    " + rule);
        }
        return decision.isAllowed() ? 0 : 1;
    }

    private void check() {
        if (qos < 0 || qos > 2) wrong("--qos: 0, 1 and 2 are allowed");
        if (wanted.connect && qos != 0) wrong("--qos is not for --connect");
        if (retain && wanted.topic == null) wrong("--retain is for --publish");
        if (!address.isEmpty() && !AccessList.isAddress(address)) {
            wrong("--address: " + address + " is not an address");
        }
        if (wanted.topic != null && !TopicCheck.isTopicName(bytes(wanted.topic))) {
            wrong("--publish: " + shown(wanted.topic) + " is not a topic");
        }
        if (wanted.filter != null && !TopicCheck.isTopicFilter(bytes(wanted.filter))) {
            wrong("--subscribe: " + shown(wanted.filter) + " is not a topic filter");
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private void wrong(String text) {
        if (spec == null) throw new IllegalStateException(text);
        throw new CommandLine.ParameterException(spec.commandLine(), text);
    }

    private LoadedRules load() throws StartFailed {
        Path file = rules;
        Set<String> listeners = null;
        if (file == null) {
            Config config = configuration.config();
            file = config.security().rules();
            listeners = config.listenerNames();
        }
        if (file == null) {
            throw new StartFailed("security.rules names no file: name one with --rules");
        }
        try {
            return new RulesFile(file, listeners, FileMemory.unbounded()).load();
        } catch (RulesMistake mistake) {
            throw new StartFailed(String.valueOf(mistake.getMessage()), mistake);
        }
    }

    private static boolean isAboutListeners(AccessList list) {
        for (int i = 0; i < list.size(); i++) {
            if (!list.rule(i).listeners().isEmpty()) {
                return true;
            }
        }
        return false;
    }

    private Decision decide(AccessList list) {
        Identity identity = new Identity(user, groups, Map.of(), null, 0, ClientSettings.NODE);
        Subject subject =
                new Subject(
                        ClientId.of(clientId),
                        identity,
                        new Peer(
                                address,
                                false,
                                listener,
                                new PeerTls(null, null, certificate, null)));
        if (wanted.topic != null) {
            return list.explainPublish(subject, Topic.of(wanted.topic), qos, retain);
        }
        if (wanted.filter != null) {
            return list.explainSubscribe(subject, TopicFilter.of(wanted.filter), qos);
        }
        return list.explainConnect(subject);
    }

    private String wish() {
        if (wanted.topic != null) {
            return "publish to " + wanted.topic + " with QoS " + qos + (retain ? ", retained" : "");
        }
        return wanted.filter != null
                ? "subscribe to " + wanted.filter + " with QoS " + qos
                : "connect";
    }

    private String by(LoadedRules loaded, Decision decision) {
        int rule = decision.rule();
        if (rule >= 0) {
            return " by "
                    + loaded.file()
                    + " line "
                    + loaded.line(rule)
                    + "\n  "
                    + loaded.list().rule(rule);
        }
        return decision.isConnectFree()
                ? ", since no rule of " + loaded.file() + " is about connecting"
                : ", since no rule of " + loaded.file() + " matches";
    }

    /** Says why a rule did not match, by the key of the condition that was not met. */
    private String reason(String key, AccessRule rule) {
        return switch (key) {
            case "action" -> "is about something else";
            case "user" -> user == null ? "the client has no user name" : "user is " + shown(user);
            case "group" -> "the user is in none of its groups";
            case "client" -> "client is " + (clientId.isEmpty() ? "(empty)" : shown(clientId));
            case "address" -> "address is " + (address.isEmpty() ? "not given" : address);
            case "listener" ->
                    "listener is " + (listener.isEmpty() ? "not given" : shown(listener));
            case "certificate" ->
                    certificate ? "the client has a certificate" : "the client has no certificate";
            case "qos" -> "qos is " + qos;
            case "retain" -> retain ? "the message is retained" : "the message is not retained";
            case "share" -> "it is about other kinds of shared subscriptions, or other groups";
            case "topic" -> topicReason(rule);
            default -> key;
        };
    }

    private String topicReason(AccessRule rule) {
        if (wanted.topic != null) {
            return "topic does not match";
        }
        return rule.effect() == AccessRule.Effect.ALLOW
                ? "topic does not cover all of the filter"
                : "topic does not overlap the filter";
    }

    private static String shown(String text) {
        return RulesParser.shown(text);
    }
}
