package io.godwit.persistence.journal;

/** What a queue's coverage has grown by: the ids (from, to] of a server. */
public record Grown(long queueId, int server, long from, long to) {}
