package io.godwit.server.extension;

/**
 * Says in which threads the code of an extension runs.
 *
 * @param platform how many threads of the operating system; 0: virtual ones, one for each call
 */
public record ExtensionThreads(int platform) {
    private static final String VIRTUAL = "virtual";

    /**
     * @param text a number or {@code virtual}
     */
    static ExtensionThreads of(String text) {
        return new ExtensionThreads(text.equals(VIRTUAL) ? 0 : Integer.parseInt(text));
    }

    public boolean isVirtual() {
        return platform == 0;
    }
}
