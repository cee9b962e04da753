package io.godwit.extension.packet;

/**
 * The will of a CONNECT.
 *
 * @param publish the message
 * @param delaySeconds Will Delay Interval, 0..4 294 967 295
 */
public record WillPacket(PublishPacket publish, long delaySeconds) {}
