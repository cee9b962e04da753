package io.godwit.extension;

/**
 * Says what happens when a call of an extension fails: it throws, answers null, or does not answer
 * in {@code extensions.<id>.call-time}.
 */
public enum OnFailure {
    /** What was asked about is refused; nothing is acknowledged. */
    REFUSE,

    /** The extension is passed over, as if it had nothing to say. */
    PASS
}
