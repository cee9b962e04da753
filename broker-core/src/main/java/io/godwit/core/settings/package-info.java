/**
 * What the operator chose, as small records: each class receives its own, never the whole tree. The
 * program fills them from the configuration file.
 */
@NullMarked
package io.godwit.core.settings;

import org.jspecify.annotations.NullMarked;
