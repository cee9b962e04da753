package io.godwit.extension.packet;

/** A PINGREQ or PINGRESP, in which nothing stands. */
public record PingPacket() {}
