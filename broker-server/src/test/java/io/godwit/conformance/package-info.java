/**
 * The conformance suite: each test names the normative statements that it proves and asserts on the
 * bytes on the wire. {@code ConformanceIT} runs it against the broker and against two doubles that
 * no test may pass against, and writes {@code docs/conformance.md}. Start with {@code Conformance}.
 */
@NullMarked
package io.godwit.conformance;

import org.jspecify.annotations.NullMarked;
