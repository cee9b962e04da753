package io.godwit.extension;

/** Something that an extension has registered. */
public interface Registration extends AutoCloseable {
    /** Withdraws it: no call begins after that. Withdrawing twice does nothing. */
    @Override
    void close();
}
