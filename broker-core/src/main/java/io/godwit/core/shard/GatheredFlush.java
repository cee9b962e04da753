package io.godwit.core.shard;

/** Bytes of a large fan-out that may be flushed a little later, together with what follows. */
public interface GatheredFlush {
    void onGathered();
}
