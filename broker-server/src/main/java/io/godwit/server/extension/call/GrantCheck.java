package io.godwit.server.extension.call;

import io.godwit.core.auth.AccessControl;
import io.godwit.core.auth.ClientSettings;
import io.godwit.core.auth.Identity;
import io.godwit.core.auth.rules.AccessList;
import io.godwit.core.auth.rules.RuleMistake;
import io.godwit.core.settings.QueueBounds;
import io.godwit.core.settings.QueuePolicy;
import io.godwit.extension.access.AccessRules;
import io.godwit.extension.auth.Grant;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Turns what extensions grant into identities, and checks it. */
final class GrantCheck {
    private GrantCheck() {}

    static Identity identity(@Nullable Grant grant) throws BadAnswer {
        if (grant == null) {
            throw new BadAnswer("the grant is null");
        }
        String userName = grant.userName().orElse(null);
        if (userName != null) {
            Utf8Text.of(userName, "user name");
        }
        try {
            return new Identity(
                    userName,
                    grant.groups(),
                    grant.attributes(),
                    grant.rules().isEmpty() ? null : access(grant.rules().get(), "of the grant"),
                    seconds(grant.connectTime()),
                    settings(grant));
        } catch (IllegalArgumentException bad) {
            throw new BadAnswer("a grant with " + bad.getMessage());
        }
    }

    private static ClientSettings settings(Grant grant) {
        return new ClientSettings(
                grant.receiveMaximum(),
                grant.publishRate(),
                grant.publishBytes(),
                new QueueBounds(
                        grant.queueMessages(),
                        grant.queueBytes(),
                        grant.queueFull().map(GrantCheck::policy).orElse(null)),
                grant.connectionsOfUser(),
                grant.connectionsOfAddress());
    }

    private static QueuePolicy policy(Grant.QueueFull granted) {
        return switch (granted) {
            case DISCARD_NEWEST -> QueuePolicy.DISCARD_NEWEST;
            case DISCARD_OLDEST -> QueuePolicy.DISCARD_OLDEST;
            case REJECT -> QueuePolicy.REJECT;
        };
    }

    /**
     * Compiles rules.
     *
     * @param of whose they are, for the message
     */
    static AccessControl access(AccessRules rules, String of) throws BadAnswer {
        try {
            return AccessList.ofIdentity(rules);
        } catch (RuleMistake bad) {
            String value = bad.value() == null ? "" : " " + bad.value();
            throw new BadAnswer(
                    "rule "
                            + bad.rule()
                            + " "
                            + of
                            + ", "
                            + bad.key()
                            + value
                            + ": "
                            + bad.getMessage());
        }
    }

    /** A part of a second counts as a whole one: 0 would be for ever. */
    private static long seconds(Duration time) {
        return time.getSeconds() + (time.getNano() > 0 ? 1 : 0);
    }
}
