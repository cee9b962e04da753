/** Real JGroups on loopback. */
package io.godwit.cluster.jgroups;
