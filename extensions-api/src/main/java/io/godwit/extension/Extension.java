package io.godwit.extension;

/**
 * The entry point of an extension. The broker makes one instance by {@link java.util.ServiceLoader}
 * from the JARs of the extension's folder, by its public constructor without parameters.
 *
 * <p>All calls of an extension run in threads of its own, never in those that serve clients.
 */
public interface Extension {
    /**
     * Starts the extension. No listener is open before all extensions have started; what is
     * registered here counts once this method has returned. Called once, before anything else.
     *
     * @throws Exception the extension does not start; what it has registered is forgotten
     */
    void start(ExtensionContext context) throws Exception;

    /**
     * Stops the extension: it gives up its threads, connections and files. Called once, after the
     * last call of what it has registered has ended or was given up. What was registered is
     * withdrawn before, and the {@link ExtensionContext#executor() executor} is shut down behind
     * it.
     */
    default void stop() throws Exception {}
}
