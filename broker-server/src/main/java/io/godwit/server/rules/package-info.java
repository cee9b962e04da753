/** The file of rules ({@code security.rules}). Start with {@code RulesFile}. */
@NullMarked
package io.godwit.server.rules;

import org.jspecify.annotations.NullMarked;
