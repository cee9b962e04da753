/**
 * The configuration: {@code ConfigLoader} reads the YAML file, the environment and {@code --set},
 * checks everything against the table {@code Keys} and gives one immutable {@code Config}. The
 * table is the only place where a key, its default, its range and its meaning stand; the shipped
 * file is made from it.
 */
@NullMarked
package io.godwit.server.config;

import org.jspecify.annotations.NullMarked;
