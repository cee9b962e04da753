package io.godwit.extension;

/** Is told when the settings of an extension have changed while it runs. */
@FunctionalInterface
public interface ConfigurationListener<C extends Record> {
    /**
     * Takes new settings, which are without mistakes as far as {@link Setting} says, and are not
     * those of before. Called in a thread of the extension, never twice at once, and has {@code
     * extensions.<id>.call-time}.
     *
     * @throws ConfigurationException they can't be used; names each mistake. The settings of before
     *     stay, as after any other exception
     */
    void onConfigChanged(C settings) throws Exception;
}
