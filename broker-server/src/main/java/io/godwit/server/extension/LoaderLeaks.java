package io.godwit.server.extension;

import java.io.IOException;
import java.io.InputStream;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds class loaders of stopped extensions that something still refers to, so that their classes
 * stay in memory.
 *
 * <p>A collection that can free a class loader is one that has freed another: a probe, which has
 * one class and which nobody refers to, is made for each loader some time after it was closed. A
 * loader that has outlived its probe has leaked.
 */
final class LoaderLeaks {
    private static final Logger log = LoggerFactory.getLogger(Extensions.class);

    private static final class Watched {
        final String name;
        final WeakReference<ClassLoader> loader;
        @Nullable WeakReference<ClassLoader> probe;

        Watched(String name, ClassLoader loader) {
            this.name = name;
            this.loader = new WeakReference<>(loader);
        }
    }

    private final List<Watched> all = new ArrayList<>();
    private final AtomicInteger leaked = new AtomicInteger();

    /** Watches a loader that was closed. */
    synchronized void watch(ClassLoader loader, String name) {
        all.add(new Watched(name, loader));
    }

    /** Returns how many were found, all in all. */
    int leaked() {
        return leaked.get();
    }

    /** Looks at all; has to be called from time to time. */
    synchronized void check() {
        for (Iterator<Watched> each = all.iterator(); each.hasNext(); ) {
            Watched watched = each.next();
            ClassLoader loader = watched.loader.get();
            if (loader == null) {
                each.remove();
            } else if (watched.probe == null) {
                watched.probe = Probe.make();
            } else if (watched.probe.get() == null) {
                each.remove();
                leaked.incrementAndGet();
                log.warn(
                        "Extension {} was stopped, and something still refers to its class loader:"
                                + " its classes stay in memory{}",
                        watched.name,
                        threadsOf(loader));
            }
        }
    }

    private static String threadsOf(ClassLoader loader) {
        String names =
                Thread.getAllStackTraces().keySet().stream()
                        .filter(thread ->
                                thread.getContextClassLoader() == loader
                                        || thread.getClass().getClassLoader() == loader)
                        .map(Thread::getName)
                        .sorted()
                        .collect(Collectors.joining(", "));
        return names.isEmpty() ? "" : ". It has left these threads: " + names;
    }

    /** A class loader with one class of its own. */
    private static final class Probe extends ClassLoader {
        Probe(byte[] code) {
            super(LoaderLeaks.class.getClassLoader());
            defineClass(null, code, 0, code.length);
        }

        static WeakReference<ClassLoader> make() {
            String file = Watched.class.getName().replace('.', '/') + ".class";
            try (InputStream in = LoaderLeaks.class.getClassLoader().getResourceAsStream(file)) {
                if (in == null) {
                    throw new IllegalStateException(file + " is missing");
                }
                return new WeakReference<>(new Probe(in.readAllBytes()));
            } catch (IOException e) {
                throw new IllegalStateException(file + " can't be read", e);
            }
        }
    }
}
