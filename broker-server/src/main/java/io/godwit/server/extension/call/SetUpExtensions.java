package io.godwit.server.extension.call;

import io.godwit.core.auth.AccessControl;
import io.godwit.extension.setup.ClientInitializer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The extensions that run, as far as they set up clients. Immutable.
 *
 * @param byPriority the one that is asked first comes first
 */
record SetUpExtensions(List<Extension> byPriority) {
    /** No extension. */
    static final SetUpExtensions NONE = new SetUpExtensions(List.of());

    /** One of them. */
    record Extension(ExtensionCalls calls, @Nullable ClientInitializer initializer) {}

    SetUpExtensions {
        byPriority = List.copyOf(byPriority);
    }

    /** Returns those that initialize clients. */
    List<Extension> initializing() {
        List<Extension> some = new ArrayList<>();
        for (Extension each : byPriority) {
            if (each.initializer() != null) {
                some.add(each);
            }
        }
        return some;
    }

    /** Whether an extension runs by these calls: it was not replaced. */
    boolean runs(ExtensionCalls calls) {
        Extension of = of(calls.id());
        return of != null && of.calls() == calls;
    }

    /**
     * Whether a setup counts: its extension runs, or the one that has replaced it will say what
     * takes its place.
     */
    boolean keeps(OwnSetup setup) {
        Extension of = of(setup.calls().id());
        return of != null && (of.calls() == setup.calls() || of.initializer() != null);
    }

    /** Returns the rules of the first extension that has given some. */
    @Nullable AccessControl access(Map<String, OwnSetup> setups) {
        for (Extension each : byPriority) {
            OwnSetup own = setups.get(each.calls().id());
            if (own != null && own.access() != null) {
                return own.access();
            }
        }
        return null;
    }

    /** Returns one by its id; null: it does not run. */
    @Nullable Extension of(String id) {
        for (Extension each : byPriority) {
            if (each.calls().id().equals(id)) {
                return each;
            }
        }
        return null;
    }
}
