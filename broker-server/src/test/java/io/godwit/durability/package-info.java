/**
 * What users are promised of durable sessions, on a real disk, sentence by sentence: what is there
 * after a restart and after kill -9, what waits for the disk, what queues may hold. Start with
 * {@code RestartContract} and {@code HandshakeContract}. Random crashes are those of {@code
 * io.godwit.chaos}.
 */
@NullMarked
package io.godwit.durability;

import org.jspecify.annotations.NullMarked;
