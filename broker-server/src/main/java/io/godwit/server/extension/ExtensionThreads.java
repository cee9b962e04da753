package io.godwit.server.extension;

/**
 * Says in which threads the code of an extension runs.
 *
 * @param platform how many threads of the operating system; 0: virtual ones, one for each call
 * @param cpu processors that they may use; 0: any number
 */
public record ExtensionThreads(int platform, double cpu) {
    private static final String VIRTUAL = "virtual";

    /**
     * @param text a number or {@code virtual}
     * @throws NotLoaded virtual threads can't have a share of processors
     */
    static ExtensionThreads of(String id, String text, double cpu) throws NotLoaded {
        if (!text.equals(VIRTUAL)) {
            return new ExtensionThreads(Integer.parseInt(text), cpu);
        }
        if (cpu > 0) {
            throw new NotLoaded(
                    "extensions."
                            + id
                            + ".cpu must be 0, since its threads are virtual: their CPU time can't be"
                            + " measured (extensions."
                            + id
                            + ".threads)");
        }
        return new ExtensionThreads(0, 0);
    }

    public boolean isVirtual() {
        return platform == 0;
    }
}
