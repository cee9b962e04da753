/**
 * Answers extensions about the sessions of all nodes: each question goes as bytes to the node that
 * has the session, and this node asks itself in the same way.
 */
@NullMarked
package io.godwit.server.service;

import org.jspecify.annotations.NullMarked;
