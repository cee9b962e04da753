package io.godwit.server.http;

import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The names under which this machine is asked in earnest. Whoever owns a name can let it mean this
 * machine for a moment (DNS rebinding), and then a page of theirs counts as one of ours in the
 * browser. So a name counts only when it can't be theirs: an address, {@code localhost}, the
 * machine's own name, or one that the operator wrote down.
 */
public final class OwnNames {
    private static final String ANY = "*";

    private final Set<String> names;
    private final boolean any;

    /**
     * @param machine the machine's own name
     * @param more names that the operator wrote down, {@code *} for any
     */
    public OwnNames(String machine, Iterable<String> more) {
        Stream.Builder<String> all = Stream.<String>builder().add("localhost").add(machine);
        more.forEach(all);
        names =
                all.build()
                        .map(name -> name.toLowerCase(Locale.ROOT))
                        .collect(Collectors.toUnmodifiableSet());
        any = names.contains(ANY);
    }

    public boolean include(HostName host) {
        return any || host.isAddress() || names.contains(host.text());
    }
}
