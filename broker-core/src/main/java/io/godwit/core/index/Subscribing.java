package io.godwit.core.index;

import io.godwit.core.auth.Access;
import io.godwit.core.codec.TopicCheck;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.Property;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.routing.Subscription;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** What is granted of filters, and how those that were come to the topic index. */
public final class Subscribing {
    /** Characters of a filter that a Reason String repeats. */
    private static final int FILTER_TOLD = 100;

    private Subscribing() {}

    /** The Reason String for the first filter that was refused; the codes speak for the others. */
    static Properties why(TopicFilter filter, ReasonCode refusal) {
        String name = shortened(filter.toString());
        String text =
                switch (refusal) {
                    case NOT_AUTHORIZED -> "this client may not subscribe to it";
                    case QUOTA_EXCEEDED ->
                            "this client has as many subscriptions as it may have"
                                    + " (limits.subscriptions-per-client, limits.subscription-bytes)";
                    case TOPIC_FILTER_INVALID ->
                            "it has more levels than limits.topic-levels, or a control character"
                                    + " (mqtt.control-characters: refuse)";
                    case NO_SUBSCRIPTION_EXISTED -> "there was no such subscription";
                    default -> refusal.toString();
                };
        return Properties.builder().add(Property.REASON_STRING, name + ": " + text).build();
    }

    private static String shortened(String name) {
        if (name.length() <= FILTER_TOLD) {
            return name;
        }
        boolean splitsPair = Character.isHighSurrogate(name.charAt(FILTER_TOLD - 1));
        return name.substring(0, splitsPair ? FILTER_TOLD - 1 : FILTER_TOLD) + "...";
    }

    static @Nullable ReasonCode notOffered(SubscribeContext context, TopicFilter filter) {
        if (filter.isShared() && !context.mqtt().sharedSubscriptions()) {
            return ReasonCode.SHARED_SUBSCRIPTIONS_NOT_SUPPORTED;
        }
        if (filter.hasWildcard() && !context.mqtt().wildcardSubscriptions()) {
            return ReasonCode.WILDCARD_SUBSCRIPTIONS_NOT_SUPPORTED;
        }
        return null;
    }

    /**
     * @param ids the Subscription Identifier, or none
     */
    static @Nullable ReasonCode refusal(
            SubscribeContext context,
            Access access,
            Subscriber session,
            TopicFilter filter,
            int qos,
            int[] ids) {
        ReasonCode refusal = notOffered(context, filter);
        if (refusal != null) {
            return refusal;
        }
        if (!context.mqtt().controlCharacters() && TopicCheck.hasControlCharacter(filter.bytes())) {
            return ReasonCode.TOPIC_FILTER_INVALID;
        }
        if (filter.levels() > context.limits().topicLevels()) {
            return ReasonCode.TOPIC_FILTER_INVALID;
        }
        if (!access.maySubscribe(filter, qos)) {
            return ReasonCode.NOT_AUTHORIZED;
        }
        Subscriptions has = session.subscriptions();
        boolean full =
                has.size() >= context.limits().subscriptionsPerClient()
                        || has.filterBytes() + filter.length()
                                > context.limits().clients().subscriptionBytes()
                        || !context.load().mayKeepSubscription(filter.length());
        if (full && has.get(filter) == null) {
            return ReasonCode.QUOTA_EXCEEDED;
        }
        return mayBeIdentified(context, has, filter, ids) ? null : ReasonCode.QUOTA_EXCEEDED;
    }

    /**
     * A message has to bring the identifiers of all subscriptions that match, so nothing can be
     * left out once they are granted.
     */
    private static boolean mayBeIdentified(
            SubscribeContext context, Subscriptions has, TopicFilter filter, int[] ids) {
        if (!Subscriptions.isIdentifiedWildcard(filter, ids)
                || has.identifiedWildcards() < context.limits().clients().identifiersPerMessage()) {
            return true;
        }
        Subscription before = has.get(filter);
        return before != null && before.ids.length > 0;
    }

    static void sendSubAck(
            SubscriberLink to, int packetId, byte[] codes, Properties why, boolean isKept) {
        to.answered();
        if (to.isClosed()) {
            return;
        }
        byte[] answer = codes;
        if (!isKept) {
            answer = new byte[codes.length];
            int code =
                    to.version().isV5()
                            ? ReasonCode.IMPLEMENTATION_SPECIFIC_ERROR.code()
                            : ReasonCode.UNSPECIFIED_ERROR.code();
            Arrays.fill(answer, (byte) code);
        }
        to.send(new Packet.SubAck(packetId, answer, isKept ? why : Properties.NONE));
    }
}
