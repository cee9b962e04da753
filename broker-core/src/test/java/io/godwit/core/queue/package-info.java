/** What waits in queues and goes out of them. */
@NullMarked
package io.godwit.core.queue;

import org.jspecify.annotations.NullMarked;
