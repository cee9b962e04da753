package io.godwit.persistence.work;

import java.util.List;

/**
 * The store's threads; one may be given for several.
 *
 * @param commits writes and syncs the journal
 * @param rows makes rows of what leaves the journal's window
 * @param reads read pages of rows, one each at a time
 * @param upkeep flushes rows, which frees the journal
 * @param compactions what takes longest and nobody waits for
 */
public record Workers(
        Worker commits, Worker rows, List<Worker> reads, Worker upkeep, Worker compactions) {}
