/** The data folder: whose it is, and what a node must find again. Start with {@code DataFolder}. */
@NullMarked
package io.godwit.server.data;

import org.jspecify.annotations.NullMarked;
