package io.godwit.cluster.transport;

/**
 * Where frames go to and come from, as a transport names it: one process for as long as it runs. A
 * process that starts anew is another endpoint, also on the same address. Has equals and hashCode;
 * its text is what operators know it by.
 */
public interface Endpoint {}
