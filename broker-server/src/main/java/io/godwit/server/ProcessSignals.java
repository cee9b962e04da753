package io.godwit.server;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * Decides what a signal does to a broker that is the whole process: SIGTERM and SIGINT stop it with
 * exit code 0, SIGHUP has files reloaded, SIGUSR1 changes nothing. SIGQUIT stays the JVM's thread
 * dump, SIGUSR2 the JVM's own.
 *
 * <p>A SIGHUP or SIGINT that was ignored when the process started ({@code nohup}, a script's
 * background) stays ignored, without a log line: the JVM leaves such a choice to the caller.
 *
 * <p>The class {@code sun.misc.Signal} of the module jdk.unsupported is called by reflection: javac
 * has a warning for each use that no annotation takes back.
 */
final class ProcessSignals implements InvocationHandler {
    private static final String[] STOPPING = {"TERM", "INT"};
    private static final String RELOADING = "HUP";
    private static final String WITHOUT_EFFECT = "USR1";

    /** Of the process, like the signals; null until there is something to reload. */
    private static volatile @Nullable Runnable reload;

    private final String name;

    private ProcessSignals(String name) {
        this.name = name;
    }

    /** Has a task run at each SIGHUP; it must not block. */
    static void onReload(Runnable task) {
        reload = task;
    }

    /** Installs the handlers. Before it SIGTERM ends the JVM with 143, SIGHUP with 129. */
    static void install() {
        for (String each : STOPPING) install(new ProcessSignals(each));
        install(new ProcessSignals(RELOADING));
        install(new ProcessSignals(WITHOUT_EFFECT));
    }

    private static void install(ProcessSignals signal) {
        try {
            Class<?> type = Class.forName("sun.misc.Signal");
            Class<?> handlerType = Class.forName("sun.misc.SignalHandler");
            Object handler =
                    Proxy.newProxyInstance(
                            handlerType.getClassLoader(), new Class<?>[] {handlerType}, signal);
            type.getMethod("handle", type, handlerType)
                    .invoke(
                            null,
                            type.getConstructor(String.class).newInstance(signal.name),
                            handler);
        } catch (ReflectiveOperationException e) {
            Throwable cause = e instanceof InvocationTargetException ? e.getCause() : e;
            LoggerFactory.getLogger(ProcessSignals.class)
                    .debug("SIG{} keeps the effect that the JVM gives it", signal.name, cause);
        }
    }

    /** Handles the signal, on a thread of its own. */
    @Override
    public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments) {
        if (method.getDeclaringClass() == Object.class) {
            return switch (method.getName()) {
                case "hashCode" -> System.identityHashCode(proxy);
                case "equals" -> arguments != null && proxy == arguments[0];
                default -> name;
            };
        }
        if (Arrays.asList(STOPPING).contains(name)) {
            System.exit(0); // the hook of a broker that runs decides its own exit code
        }
        Runnable task = reload;
        if (name.equals(RELOADING) && task != null) {
            task.run();
        } else {
            LoggerFactory.getLogger(ProcessSignals.class)
                    .info("SIG{}: there is nothing to reload; the broker goes on unchanged", name);
        }
        return null;
    }
}
