/**
 * What an extension JAR compiles against: JDK types and annotations only. Filled by the extension
 * issue; what is published here is kept.
 */
@NullMarked
package io.godwit.extension;

import org.jspecify.annotations.NullMarked;
