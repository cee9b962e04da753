/** The command {@code godwit extension}: asks a running broker, or works on the folder. */
@NullMarked
package io.godwit.server.extension.command;

import org.jspecify.annotations.NullMarked;
