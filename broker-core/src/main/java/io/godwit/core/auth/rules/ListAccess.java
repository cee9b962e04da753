package io.godwit.core.auth.rules;

import io.godwit.core.auth.Access;
import io.godwit.core.auth.Subject;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import org.jspecify.annotations.Nullable;

/**
 * Says what one connection may do by a list of rules. What it takes to decide is made at the first
 * question, so a connection that does nothing costs 32 bytes.
 */
final class ListAccess implements Access {
    private final AccessList list;
    private final Subject subject;
    private int @Nullable [] whos;
    private @Nullable PlaceholderValues values;
    private @Nullable AnswerMemo memo;

    ListAccess(AccessList list, Subject subject) {
        this.list = list;
        this.subject = subject;
    }

    @Override
    public boolean mayPublish(Topic topic, int qos, boolean retain) {
        int bit = CompiledRule.publishBit(qos, retain);
        AnswerMemo seen = memo;
        if (seen == null) {
            seen = new AnswerMemo();
            memo = seen;
        }
        return switch (seen.get(topic, bit)) {
            case ALLOWED -> true;
            case DENIED -> false;
            case UNKNOWN -> {
                boolean isAllowed = list.isAllowed(publishRule(topic, qos, retain));
                seen.put(topic, bit, isAllowed);
                yield isAllowed;
            }
        };
    }

    @Override
    public boolean maySubscribe(TopicFilter filter, int qos) {
        return list.isAllowed(subscribeRule(filter, qos));
    }

    /** Returns the place of the rule that decides about a PUBLISH; NONE: no rule does. */
    int publishRule(Topic topic, int qos, boolean retain) {
        return list.publishRule(topic, CompiledRule.publishBit(qos, retain), whos(), values());
    }

    /** Returns the place of the rule that decides about a subscription; NONE: no rule does. */
    int subscribeRule(TopicFilter filter, int qos) {
        return list.subscribeRule(WantedFilter.of(filter, qos), whos(), values());
    }

    private int[] whos() {
        int[] known = whos;
        if (known == null) {
            known = list.whos(subject);
            whos = known;
        }
        return known;
    }

    PlaceholderValues values() {
        PlaceholderValues known = values;
        if (known == null) {
            known = list.values(subject);
            values = known;
        }
        return known;
    }
}
