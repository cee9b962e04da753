package io.godwit.server.extension;

import io.godwit.extension.Extension;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Loads the classes of one extension. Those of the API, of slf4j, JSpecify and Micrometer are the
 * broker's, so that both sides mean the same; all others come from the extension's JARs first, then
 * from the JDK. Nothing else of the broker is visible.
 */
final class ExtensionLoader extends URLClassLoader {
    static {
        registerAsParallelCapable();
    }

    private static final List<String> SHARED =
            List.of(
                    "io.godwit.extension.",
                    "org.slf4j.",
                    "org.jspecify.",
                    "io.micrometer.core.",
                    "io.micrometer.common."); // The former's methods have types of it.
    private static final ClassLoader BROKER = brokers();

    /**
     * @param name for people: id and version
     */
    ExtensionLoader(String name, List<URL> jars) {
        super(name, jars.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
    }

    private static ClassLoader brokers() {
        ClassLoader loader = Extension.class.getClassLoader();
        return loader == null ? ClassLoader.getSystemClassLoader() : loader;
    }

    static boolean isShared(String className) {
        return SHARED.stream().anyMatch(className::startsWith);
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        synchronized (getClassLoadingLock(name)) {
            Class<?> found = findLoadedClass(name);
            if (found == null && isShared(name)) {
                found = ofBroker(name);
            }
            if (found == null) {
                found = ownFirst(name);
            }
            if (resolve) {
                resolveClass(found);
            }
            return found;
        }
    }

    private static @Nullable Class<?> ofBroker(String name) {
        try {
            return BROKER.loadClass(name);
        } catch (ClassNotFoundException e) {
            return null; // Such as a bridge of slf4j, which the extension brings along.
        }
    }

    private Class<?> ownFirst(String name) throws ClassNotFoundException {
        if (!name.startsWith("java.")) {
            try {
                return findClass(name);
            } catch (ClassNotFoundException e) {
                // The JDK may have it.
            }
        }
        try {
            return getParent().loadClass(name);
        } catch (ClassNotFoundException e) {
            throw new ClassNotFoundException(
                    name
                            + (name.startsWith("io.godwit.")
                                    ? ": it is not part of the API of Godwit (io.godwit.extension)"
                                    : ": it is neither in the JARs of the extension "
                                            + getName()
                                            + " nor in the JDK; of the broker an extension sees"
                                            + " io.godwit.extension, org.slf4j, org.jspecify and"
                                            + " io.micrometer.core, what else it needs it brings"
                                            + " along"),
                    e);
        }
    }

    @Override
    public @Nullable URL getResource(String name) {
        URL own = findResource(name);
        return own == null ? getParent().getResource(name) : own;
    }

    @Override
    public Enumeration<URL> getResources(String name) throws IOException {
        List<URL> all = new ArrayList<>(Collections.list(findResources(name)));
        all.addAll(Collections.list(getParent().getResources(name)));
        return Collections.enumeration(all);
    }
}
