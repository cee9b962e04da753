package io.godwit.persistence.journal;

/**
 * Where a start goes on.
 *
 * @param serverId of this node
 * @param position of the first record
 * @param clockCeiling no hybrid clock value above it is given before a record raises it
 */
public record JournalStart(int serverId, long position, long clockCeiling) {}
