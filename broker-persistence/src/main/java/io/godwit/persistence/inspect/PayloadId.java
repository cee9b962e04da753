package io.godwit.persistence.inspect;

/** Ingress id of a message that stands apart. */
record PayloadId(int server, long counter) {}
