package io.godwit.core.auth;

import io.godwit.core.auth.rules.AccessList;
import io.godwit.core.auth.rules.RuleMistake;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Topic;
import io.godwit.extension.access.AccessRule;
import io.godwit.extension.access.AccessRule.Action;
import io.godwit.extension.access.AccessRules;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Measures the permission for a PUBLISH with 1 000 rules, for a topic that the connection has just
 * published to, and for one that it has not?
 *
 * <pre>./godwit jmh AccessBenchmark -prof gc</pre>
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 4, time = 1)
@Measurement(iterations = 5, time = 1)
public class AccessBenchmark {
    private static final int RULES = 1_000;
    private static final int TOPICS = 4_096;

    /** Chooses the rules. */
    public enum Shape {
        /** One for each topic. */
        TOPIC_EACH,
        /** Users, client ids, placeholders and wildcards in turn. */
        MIXED,
        /** All for the same topic, each for another user. */
        USER_EACH,
        /** All for the same topic and everybody, and none matches. */
        NONE_MATCHES
    }

    @Param public Shape shape = Shape.TOPIC_EACH;

    private final Topic[] topics = new Topic[TOPICS];
    private Access access = Access.OPEN;
    private int next;

    @Setup
    public void compile() throws RuleMistake {
        List<AccessRule> rules = new ArrayList<>();
        for (int i = 0; i < RULES; i++) {
            rules.add(rule(i).build());
        }
        AccessList list = AccessList.of(new AccessRules(rules, Map.of()));
        access =
                list.of(
                        new Subject(
                                ClientId.of("c1"),
                                Identity.ofUser("user-777"),
                                new Peer("10.0.0.1:1", false, "mqtt")));
        for (int i = 0; i < TOPICS; i++) {
            topics[i] = Topic.of(topic(i));
        }
    }

    private AccessRule.Builder rule(int i) {
        AccessRule.Builder rule = AccessRule.allow(Action.PUBLISH);
        return switch (shape) {
            case TOPIC_EACH -> rule.topic("plant/" + i % 10 + "/line/" + i + "/+");
            case MIXED ->
                    switch (i % 4) {
                        case 0 -> rule.user("user-" + i).topic("devices/%c/#");
                        case 1 -> rule.topic("+/x" + i + "/+/#");
                        case 2 -> rule.topic("a/dev-%c/" + i);
                        default -> rule.client("c*").topic("b/" + i + "/#");
                    };
            case USER_EACH -> rule.user("user-" + i).topic("devices/#");
            case NONE_MATCHES -> rule.topic("devices/#").qos(2);
        };
    }

    private String topic(int i) {
        return switch (shape) {
            case TOPIC_EACH -> "plant/" + i % 10 + "/line/" + i % RULES + "/s" + i;
            case MIXED -> i % 2 == 0 ? "devices/c1/" + i : "b/" + i % RULES + "/" + i;
            case USER_EACH, NONE_MATCHES -> "devices/" + i;
        };
    }

    @Benchmark
    public boolean seen() {
        return access.mayPublish(topics[0], 1, false);
    }

    @Benchmark
    public boolean unseen() {
        next = next + 1 & TOPICS - 1;
        return access.mayPublish(topics[next], 1, false);
    }
}
