package io.godwit.cluster.replication;

/** The parts of one copy set that one commit has made, until the set's followers have them. */
final class AwaitedParts {
    /** Position of the journal up to which they reach. */
    final long position;

    /** Followers that are still to confirm, each once for each part. */
    int missing;

    AwaitedParts(long position) {
        this.position = position;
    }
}
