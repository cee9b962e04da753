/**
 * Decides which node leads which slot of client ids. Every node keeps a table with the highest
 * epoch that it knows of each slot; an epoch names its leader. Start with {@code Leadership}.
 */
@NullMarked
package io.godwit.cluster.leadership;

import org.jspecify.annotations.NullMarked;
