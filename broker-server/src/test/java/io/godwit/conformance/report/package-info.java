/**
 * Runs the suite and compares its results with the tables of statements. Start with {@code Suite}.
 */
@NullMarked
package io.godwit.conformance.report;

import org.jspecify.annotations.NullMarked;
