package io.godwit.server.extension;

import io.godwit.extension.Extension;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Modifier;
import java.net.URL;
import java.net.URLConnection;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.Set;
import java.util.TreeSet;

/** Finds the main class of an extension: the one entry of its services. */
final class MainClass {
    static final String SERVICE = "META-INF/services/" + Extension.class.getName();

    private MainClass() {}

    /**
     * Finds and loads the main class; no code of it runs.
     *
     * @throws NotLoaded names what was found instead
     */
    static Class<? extends Extension> find(ExtensionLoader loader) throws NotLoaded {
        String name = only(loader);
        Class<?> found;
        try {
            found = Class.forName(name, false, loader);
        } catch (ClassNotFoundException e) {
            throw new NotLoaded(SERVICE + " names " + name + ", which is in none of its JARs", e);
        } catch (UnsupportedClassVersionError e) {
            throw new NotLoaded(newer(name), e);
        } catch (LinkageError e) {
            throw new NotLoaded(
                    "its main class " + name + " can't be loaded: " + Throwables.text(e), e);
        }
        if (found.getClassLoader() != loader) {
            throw new NotLoaded(
                    SERVICE
                            + " names "
                            + name
                            + ", which is not in its JARs but of "
                            + (found.getClassLoader() == null || found.getModule().isNamed()
                                    ? "the JDK"
                                    : "the broker"));
        }
        if (!Extension.class.isAssignableFrom(found) || Modifier.isAbstract(found.getModifiers())) {
            throw new NotLoaded(
                    "its main class " + name + " does not implement " + Extension.class.getName());
        }
        return found.asSubclass(Extension.class);
    }

    private static String newer(String className) {
        return className
                + " was compiled for a newer Java than the one that the broker runs with ("
                + Runtime.version().feature()
                + ")";
    }

    /**
     * Makes the instance; the extension's code runs.
     *
     * @throws NotLoaded says what it threw
     */
    static Extension instantiate(Class<? extends Extension> main) throws NotLoaded {
        try {
            Constructor<? extends Extension> constructor = main.getConstructor();
            return constructor.newInstance();
        } catch (InvocationTargetException e) {
            Throwable thrown = e.getCause() == null ? e : e.getCause();
            throw new NotLoaded(
                    "the constructor of " + main.getName() + " threw " + Throwables.text(thrown),
                    thrown);
        } catch (UnsupportedClassVersionError e) {
            throw new NotLoaded(newer(Throwables.text(e)), e);
        } catch (ReflectiveOperationException e) {
            throw new NotLoaded(
                    "its main class "
                            + main.getName()
                            + " must be public, with a public constructor without parameters",
                    e);
        } catch (LinkageError e) {
            throw new NotLoaded(main.getName() + " can't be used: " + Throwables.text(e), e);
        }
    }

    private static String only(ExtensionLoader loader) throws NotLoaded {
        Set<String> names = new TreeSet<>();
        try {
            for (URL each : Collections.list(loader.findResources(SERVICE))) {
                read(each, names);
            }
        } catch (IOException e) {
            throw new NotLoaded(SERVICE + " can't be read: " + Throwables.text(e), e);
        }
        if (names.isEmpty()) {
            throw new NotLoaded(
                    "none of its JARs has a file " + SERVICE + " that names its main class");
        }
        if (names.size() > 1) {
            throw new NotLoaded(
                    SERVICE + " must name one main class, and names " + String.join(", ", names));
        }
        return names.iterator().next();
    }

    /** The JDK keeps opened JARs; one that is kept would not see that a file has changed. */
    private static void read(URL url, Set<String> names) throws IOException {
        URLConnection connection = url.openConnection();
        connection.setUseCaches(false);
        try (InputStream in = connection.getInputStream();
                BufferedReader lines =
                        new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
            lines.lines()
                    .map(line -> line.replaceFirst("#.*", "").strip())
                    .filter(line -> !line.isEmpty())
                    .forEach(names::add);
        }
    }
}
