package io.godwit.extension;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Documents one component of a configuration record. Types may be {@code String}, {@code boolean},
 * {@code int}, {@code long}, {@code double}, an enum, {@link java.time.Duration} (as {@code 10s}),
 * {@link java.net.URI}, {@link java.nio.file.Path} (relative to the extension's folder), a {@code
 * List} or a {@code Map} from text of these, or another such record. The key is the component's
 * name in small letters with hyphens, {@code retryTime} as {@code retry-time}.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.RECORD_COMPONENT)
public @interface Setting {
    /** Stands for: there is no value unless one is given, which then has to be. */
    String REQUIRED = "\0required";

    /** Stands for: the component is null unless a value is given. */
    String NONE = "\0none";

    /** Says what it means, in one sentence. */
    String description();

    /** The value as in the file where none is given. */
    String value() default REQUIRED;

    /** The least number, or the least number of entries; of a duration in milliseconds. */
    long min() default Long.MIN_VALUE;

    /** The largest number, or the largest number of entries; of a duration in milliseconds. */
    long max() default Long.MAX_VALUE;

    /** Whether the value is shown nowhere. */
    boolean secret() default false;
}
