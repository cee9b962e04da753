package io.godwit.conformance;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** The statements of MQTT 5.0 that a test proves: {@code MQTT-...} or {@code PE-...}; 1 to 3. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface Mqtt5 {
    String[] value();
}
