/**
 * Lists of access rules, compiled: which rule is the first that matches what a client wants to do.
 * Start with {@code AccessList}; {@code TopicPattern} says when a pattern matches a topic, covers a
 * subscription or overlaps it.
 */
@NullMarked
package io.godwit.core.auth.rules;

import org.jspecify.annotations.NullMarked;
