package io.godwit.server.extension.call;

/** Hears of an extension whose calls cannot go on. Called by any thread; must not block. */
public interface CallsOwner {
    /** Tells that the extension has failed: from now on all of its calls fail. */
    void onFailed(String why);

    /** Tells of a fault of the whole process, such as no memory. */
    void onFault(VirtualMachineError fault);
}
