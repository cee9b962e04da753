/** Loads extensions from their folders, starts and stops them, and knows what they registered. */
@NullMarked
package io.godwit.server.extension;

import org.jspecify.annotations.NullMarked;
