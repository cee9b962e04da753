package io.godwit.core.shard;

/** What one shard sends to another at the end of a turn: one entry of the mailbox, one wake-up. */
record MailBatch(int from, Mail[] mails, int count, int weight, long bytes) {}
