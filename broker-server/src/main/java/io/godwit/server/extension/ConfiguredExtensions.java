package io.godwit.server.extension;

import io.godwit.extension.Extension;
import io.godwit.extension.ServerInfo;
import io.godwit.server.StartFailed;
import io.godwit.server.Version;
import io.godwit.server.config.Config;
import io.godwit.server.config.ExtensionsConfig;
import io.godwit.server.config.SecurityConfig;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Makes the extensions of a configuration; without a folder no class of theirs is loaded. */
public final class ConfiguredExtensions {
    /** Copies of JARs, in the data folder; not kept over a restart. */
    private static final String COPIES = "extension-jars";

    private ConfiguredExtensions() {}

    /**
     * Makes what starts the extensions in the configured folder.
     *
     * @param named ids that the configuration names elsewhere, such as security.authenticators:
     *     they are required
     * @param methods Authentication Methods of the broker's own
     * @param timer says when to look at the folder
     * @param mainClasses by id, of extensions whose classes are loaded already
     * @param listener is told before {@link Extensions#start} returns, and at each later change
     * @return null: there is no folder, or nothing in it and it is not watched
     * @throws StartFailed one that is required can't be there
     */
    public static @Nullable Extensions of(
            Config config,
            Set<String> named,
            Set<String> methods,
            Map<String, Class<? extends Extension>> mainClasses,
            ExtensionRuntime.Factory runtimes,
            Extensions.Timer timer,
            RunningExtensions listener)
            throws StartFailed {
        ExtensionsConfig extensions = config.extensions();
        if (isIdle(extensions)) {
            SortedSet<String> required = requiredIds(extensions, named);
            if (!required.isEmpty()) {
                throw missing(required.first(), extensions.folder());
            }
            return null;
        }
        Path data = config.node().data();
        return new Extensions(
                new LoadedExtension.Surroundings(
                        extensions,
                        new ServerInfo(Version.current(), config.node().name(), data),
                        runtimes,
                        data.resolve(COPIES),
                        LoadedExtension.Times.USUAL,
                        mainClasses),
                named,
                methods,
                listener,
                timer,
                InstantSource.system());
    }

    /** Returns the ids that say who is asked about credentials, or what clients may do. */
    public static Set<String> named(Config config) {
        Set<String> ids = new TreeSet<>(authenticators(config));
        ids.addAll(authorizers(config));
        return ids;
    }

    /** Returns the ids that say who is asked about credentials: the broker's own are left out. */
    public static Set<String> authenticators(Config config) {
        Set<String> ids = new TreeSet<>(config.security().authenticators());
        config.listeners().forEach(each -> ids.addAll(each.authenticators()));
        ids.remove(SecurityConfig.USERS);
        return ids;
    }

    /** Returns the ids that say who is asked what clients may do: the rules are left out. */
    public static Set<String> authorizers(Config config) {
        List<String> names = config.security().authorizers();
        Set<String> ids = names == null ? new TreeSet<>() : new TreeSet<>(names);
        ids.remove(SecurityConfig.RULES);
        return ids;
    }

    /**
     * Returns the ids of those that the configuration needs and that have no folder.
     *
     * @param named ids that the configuration names elsewhere
     */
    public static List<String> missing(ExtensionsConfig config, Set<String> named) {
        return requiredIds(config, named).stream()
                .filter(id -> !Files.isDirectory(config.folder().resolve(id)))
                .toList();
    }

    /** Returns the ids of those that the configuration needs. */
    static SortedSet<String> requiredIds(ExtensionsConfig config, Set<String> named) {
        SortedSet<String> ids = new TreeSet<>(named);
        config.named()
                .forEach((id, one) -> {
                    if (one.required()) {
                        ids.add(id);
                    }
                });
        return ids;
    }

    static StartFailed missing(String id, Path folder) {
        return new StartFailed(
                "the extension "
                        + id
                        + " is required, and there is no folder "
                        + folder.resolve(id));
    }

    private static boolean isIdle(ExtensionsConfig extensions) throws StartFailed {
        Path folder = extensions.folder();
        if (!Files.isDirectory(folder)) {
            return true;
        }
        if (extensions.watchMs() > 0) {
            return false;
        }
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(folder)) {
            return !entries.iterator().hasNext();
        } catch (IOException e) {
            throw new StartFailed("extensions.folder: can't read " + folder + ": " + e, e);
        }
    }
}
