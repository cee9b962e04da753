/**
 * Permissions as data: an ordered list of rules about who may connect, publish and subscribe. Start
 * with {@code AccessRules}.
 */
@NullMarked
package io.godwit.extension.access;

import org.jspecify.annotations.NullMarked;
