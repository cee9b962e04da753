package io.godwit.server.rules;

import io.godwit.core.auth.rules.AccessList;
import io.godwit.server.StartFailed;
import io.godwit.server.reload.FileMemory;
import io.godwit.server.reload.ReloadResult;
import io.godwit.server.reload.Reloadable;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;

/** The rules that count: those of the file when it was last without a mistake. */
public final class ActiveRules implements Reloadable, MeterBinder {
    private final RulesFile file;
    private final LongAdder failures = new LongAdder();
    private volatile LoadedRules loaded;
    private Consumer<AccessList> onChange = list -> {};

    private ActiveRules(RulesFile file, LoadedRules loaded) {
        this.file = file;
        this.loaded = loaded;
    }

    /**
     * Reads the file for the first time.
     *
     * @param listeners names of the listeners that there are
     * @param memory counts them, and refuses too many
     * @throws StartFailed says what is wrong with it
     */
    public static ActiveRules open(Path path, Set<String> listeners, FileMemory memory)
            throws StartFailed {
        RulesFile file = new RulesFile(path, listeners, memory);
        try {
            return new ActiveRules(file, file.load());
        } catch (RulesMistake mistake) {
            throw new StartFailed("security.rules: " + mistake.getMessage(), mistake);
        }
    }

    /** Returns the rules as they were read for the first time, before anything is reloaded. */
    public LoadedRules loaded() {
        return loaded;
    }

    /** Returns the first bytes of the digest of the file that is in use. Any thread. */
    public long fileDigest() {
        return loaded.fileDigest();
    }

    /** Sets who puts other rules in their place, before anything is reloaded. */
    public void onChange(Consumer<AccessList> next) {
        onChange = next;
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        FunctionCounter.builder("godwit.rules.reload.failures", failures, LongAdder::sum)
                .description("Times that security.rules was read and had a mistake.")
                .register(registry);
    }

    @Override
    public String name() {
        return "rules";
    }

    @Override
    public ReloadResult reload() {
        try {
            LoadedRules next = file.load(loaded);
            if (next == loaded) {
                return ReloadResult.unchanged();
            }
            loaded = next;
            onChange.accept(next.list());
            return ReloadResult.changed(next.summary());
        } catch (RulesMistake mistake) {
            failures.increment();
            return ReloadResult.failed(String.valueOf(mistake.getMessage()));
        }
    }
}
