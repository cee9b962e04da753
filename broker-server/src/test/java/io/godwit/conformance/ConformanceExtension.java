package io.godwit.conformance;

import io.godwit.conformance.target.Profile;
import io.godwit.conformance.target.Target;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;

/**
 * Gives each test its target: the one named by the property {@code conformance.target}, started
 * once per run. Refuses tests that name no statement, or more than three.
 */
public final class ConformanceExtension implements BeforeEachCallback {
    public static final String TARGET = "conformance.target";

    @Override
    public void beforeEach(ExtensionContext context) {
        int named = statements(context.getRequiredTestMethod()).size();
        if (named < 1 || named > 3) {
            throw new AssertionError("a test names one to three statements, this one " + named);
        }
        String name = context.getConfigurationParameter(TARGET).orElse("godwit");
        var store = context.getRoot().getStore(Namespace.create(ConformanceExtension.class));
        var target = store.computeIfAbsent(name, Target::named, Target.class);
        ((Conformance) context.getRequiredTestInstance()).prepare(target, profile(context));
    }

    private static Profile profile(ExtensionContext context) {
        var onMethod = context.getRequiredTestMethod().getAnnotation(Needs.class);
        var needs =
                onMethod != null
                        ? onMethod
                        : context.getRequiredTestClass().getAnnotation(Needs.class);
        return needs == null ? Profile.DEFAULT : needs.value();
    }

    /** The statements as {@code 5.0:MQTT-...} and {@code 3.1.1:MQTT-...}. */
    public static List<String> statements(Method test) {
        var out = new ArrayList<String>();
        var mqtt5 = test.getAnnotation(Mqtt5.class);
        for (String id : mqtt5 == null ? new String[0] : mqtt5.value()) {
            out.add("5.0:" + id);
        }
        var mqtt311 = test.getAnnotation(Mqtt311.class);
        for (String id : mqtt311 == null ? new String[0] : mqtt311.value()) {
            out.add("3.1.1:" + id);
        }
        return out;
    }
}
