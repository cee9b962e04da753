package io.godwit.core.codec;

/** Which side decodes: each refuses the packets that only it may send. */
public enum Role {
    /** A broker: the first packet is CONNECT. */
    SERVER,

    /** A client (tests, the simulator, the load program): sets {@link InboundState#version}. */
    CLIENT
}
