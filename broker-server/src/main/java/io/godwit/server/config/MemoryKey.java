package io.godwit.server.config;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * {@code node.memory} alone, for who sizes the process that then loads everything. Read without the
 * table of all keys, whose making would be most of the time that this takes.
 */
public final class MemoryKey {
    static final String NAME = "node.memory";
    static final Quantity TYPE = Quantity.bytes(256L << 20, Long.MAX_VALUE).orZero();

    private MemoryKey() {}

    /**
     * @param file null = defaults only
     * @param sets {@code key=value}, a later one wins
     * @return bytes; 0 when it is not set, or not as it must be: {@link ConfigLoader} says what is
     *     wrong
     */
    public static long bytes(
            @Nullable Path file, Map<String, String> environment, List<String> sets) {
        List<ConfigProblem> toldLater = new ArrayList<>();
        List<Assignment> all = new ArrayList<>();
        if (file != null) all.addAll(YamlSource.read(file, toldLater));
        String variable = environment.get(Key.environmentName(NAME));
        if (variable != null) all.add(new Assignment(NAME, variable.strip(), "environment"));
        all.addAll(SetSource.read(sets, toldLater));
        long bytes = 0;
        for (Assignment each : all) {
            if (each.key().equals(NAME)) {
                Optional<Long> value = TYPE.parse(each.text());
                bytes = value.isPresent() ? value.get() : 0;
            }
        }
        return bytes;
    }
}
