package io.godwit.server.extension.call;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;

/**
 * Orders hooks by the extensions that they belong to. Immutable.
 *
 * @param extensions those that are asked, in their order
 */
record HookOrder(List<ExtensionCalls> extensions) {
    HookOrder {
        extensions = List.copyOf(extensions);
    }

    /** Returns the hooks for one client, of which some are its own. */
    <T> List<ActiveHook<T>> with(
            List<ActiveHook<T>> ofAll,
            Collection<OwnSetup> own,
            Function<OwnSetup, List<ActiveHook<T>>> kind) {
        List<ActiveHook<T>> all = new ArrayList<>(ofAll);
        own.forEach(each -> all.addAll(kind.apply(each)));
        return sorted(all);
    }

    /**
     * Returns the hooks of these extensions in their order; those of one extension stay in theirs,
     * so that what is a client's own is behind what is for all.
     */
    <T> List<ActiveHook<T>> sorted(List<ActiveHook<T>> hooks) {
        List<ActiveHook<T>> all = new ArrayList<>(hooks);
        all.removeIf(each -> place(each) < 0);
        all.sort(Comparator.comparingInt(this::place));
        return all;
    }

    /** Returns the place of a hook's extension, which may have been replaced; -1: it has none. */
    private int place(ActiveHook<?> hook) {
        for (int i = 0; i < extensions.size(); i++) {
            if (extensions.get(i).id().equals(hook.calls().id())) {
                return i;
            }
        }
        return -1;
    }
}
