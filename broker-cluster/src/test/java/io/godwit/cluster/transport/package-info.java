/** Tests of links alone: recordings of what nodes said, of this version and of earlier ones. */
package io.godwit.cluster.transport;
