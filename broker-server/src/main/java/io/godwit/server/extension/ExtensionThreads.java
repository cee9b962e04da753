package io.godwit.server.extension;

import io.godwit.server.config.ExtensionsConfig;

/**
 * Says in which threads the code of an extension runs.
 *
 * @param platform how many threads of the operating system; 0: virtual ones, one for each call
 * @param cpu processors that they may use; 0: any number
 */
public record ExtensionThreads(int platform, double cpu) {
    private static final String VIRTUAL = "virtual";

    /**
     * Returns what a descriptor says, unless a key says otherwise.
     *
     * @throws NotLoaded virtual threads can't have a share of processors
     */
    static ExtensionThreads of(ExtensionsConfig.OfOne config, Descriptor descriptor)
            throws NotLoaded {
        String text = config.threads().isEmpty() ? descriptor.threads() : config.threads();
        if (!text.equals(VIRTUAL)) {
            return new ExtensionThreads(Integer.parseInt(text), config.cpu());
        }
        if (config.cpu() > 0) {
            String prefix = "extensions." + descriptor.info().id();
            throw new NotLoaded(
                    prefix
                            + ".cpu must be 0, since its threads are virtual: their CPU time can't be"
                            + " measured ("
                            + prefix
                            + ".threads)");
        }
        return new ExtensionThreads(0, 0);
    }

    public boolean isVirtual() {
        return platform == 0;
    }
}
