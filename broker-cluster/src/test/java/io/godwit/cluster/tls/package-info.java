/** Certificates that are made and read. */
package io.godwit.cluster.tls;
