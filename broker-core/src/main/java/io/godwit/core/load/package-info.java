/**
 * The account of what a node holds, and the alarms that stop publishers when it is too much (design
 * section 10). Start with {@code ShardLoad}.
 */
@NullMarked
package io.godwit.core.load;

import org.jspecify.annotations.NullMarked;
