/**
 * JGroups as transport: it finds others, hints at who is gone, and carries frames in order between
 * two processes. Nothing else of it is used. Only this package sees it.
 */
@NullMarked
package io.godwit.cluster.jgroups;

import org.jspecify.annotations.NullMarked;
