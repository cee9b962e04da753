package io.godwit.persistence.queue;

/** An entry's place, whatever its status. */
public record RowId(long queueId, long clock, int server) {}
