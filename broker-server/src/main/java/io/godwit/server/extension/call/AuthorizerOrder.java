package io.godwit.server.extension.call;

import io.godwit.server.extension.Registered;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Says which extensions are asked whether a client may do something, in which order, and what
 * happens to what they leave open. Immutable.
 *
 * @param asked in order
 */
record AuthorizerOrder(List<ExtensionCalls> asked, Behind behind) {
    /** Says who decides behind the last authorizer. */
    enum Behind {
        /** The client's rules. */
        RULES,
        /** Nobody: what authorizers leave open is denied. */
        NOBODY,
        /** An extension that is named, and does not authorize clients now: that is a failure. */
        MISSING
    }

    /** The name that stands for the client's rules in {@code security.authorizers}. */
    static final String RULES = "rules";

    AuthorizerOrder {
        asked = List.copyOf(asked);
    }

    /**
     * Returns the order of a configuration. Nobody is asked behind one that is missing.
     *
     * @param names {@code security.authorizers}; null: all extensions, then the rules
     * @param running in the order of priority
     */
    static AuthorizerOrder of(@Nullable List<String> names, List<ExtensionHooks.Running> running) {
        if (names == null) {
            return new AuthorizerOrder(
                    running.stream().map(ExtensionHooks.Running::calls).toList(), Behind.RULES);
        }
        List<ExtensionCalls> asked = new ArrayList<>();
        for (String name : names) {
            if (name.equals(RULES)) {
                return new AuthorizerOrder(asked, Behind.RULES);
            }
            ExtensionHooks.Running named =
                    running.stream()
                            .filter(each -> each.calls().id().equals(name))
                            .filter(each -> isAuthorizing(each.registered()))
                            .findFirst()
                            .orElse(null);
            if (named == null) {
                return new AuthorizerOrder(asked, Behind.MISSING);
            }
            asked.add(named.calls());
        }
        return new AuthorizerOrder(asked, Behind.NOBODY);
    }

    /** Whether an extension may have authorizers: an initializer may give some to each client. */
    static boolean isAuthorizing(Registered registered) {
        return !registered.publishAuthorizers().isEmpty()
                || !registered.subscribeAuthorizers().isEmpty()
                || registered.initializer() != null;
    }
}
