package io.godwit.server.extension;

import java.lang.invoke.MethodType;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/** Finds what the classes of an extension use of Godwit that its API does not have. */
final class ApiReferences {
    private static final String GODWIT = "io/godwit/";

    private final List<ClassCode> classes;
    private final ExtensionLoader loader;
    private final Set<String> own = new HashSet<>();

    ApiReferences(List<ClassCode> classes, ExtensionLoader loader) {
        this.classes = classes;
        this.loader = loader;
        classes.forEach(each -> own.add(each.name()));
    }

    /** Returns a sentence for each. */
    Set<String> mistakes() {
        Set<String> mistakes = new TreeSet<>();
        for (ClassCode each : classes) {
            for (String name : each.classes()) {
                String plain = element(name);
                if (isOfGodwit(plain) && !isApi(plain)) {
                    mistakes.add(
                            each.className()
                                    + " uses "
                                    + plain.replace('/', '.')
                                    + ", which is not part of the API");
                }
            }
            for (ClassCode.Member member : each.members()) {
                if (isOfGodwit(member.owner()) && isApi(member.owner()) && !exists(member)) {
                    mistakes.add(
                            each.className()
                                    + " uses "
                                    + member.owner().replace('/', '.')
                                    + "."
                                    + member.name()
                                    + member.descriptor()
                                    + ", which the API "
                                    + ApiVersion.OURS
                                    + " does not have");
                }
            }
        }
        return mistakes;
    }

    /** {@code [La/B;} is an array of {@code a/B}. */
    private static String element(String name) {
        return name.startsWith("[") && name.endsWith(";")
                ? name.substring(name.indexOf('L') + 1, name.length() - 1)
                : name;
    }

    private boolean isOfGodwit(String name) {
        return name.startsWith(GODWIT) && !own.contains(name);
    }

    private boolean isApi(String name) {
        String className = name.replace('/', '.');
        try {
            return ExtensionLoader.isShared(className)
                    && Modifier.isPublic(load(className).getModifiers());
        } catch (ClassNotFoundException e) {
            return false;
        }
    }

    private Class<?> load(String className) throws ClassNotFoundException {
        return Class.forName(className, false, loader);
    }

    private boolean exists(ClassCode.Member member) {
        try {
            return has(load(member.owner().replace('/', '.')), member) || has(Object.class, member);
        } catch (ClassNotFoundException e) {
            return false;
        }
    }

    private static boolean has(Class<?> type, ClassCode.Member member) {
        boolean isHere =
                member.descriptor().startsWith("(")
                        ? hasMethod(type, member)
                        : Stream.of(type.getDeclaredFields())
                                .anyMatch(field -> isSame(field, member));
        if (isHere) {
            return true;
        }
        Class<?> above = type.getSuperclass();
        return above != null && has(above, member)
                || Stream.of(type.getInterfaces()).anyMatch(each -> has(each, member));
    }

    private static boolean hasMethod(Class<?> type, ClassCode.Member member) {
        if (member.name().equals("<init>")) {
            return Stream.of(type.getDeclaredConstructors())
                    .anyMatch(made -> isSame(made, member.descriptor()));
        }
        return Stream.of(type.getDeclaredMethods()).anyMatch(method -> isSame(method, member));
    }

    private static boolean isVisible(int modifiers) {
        return Modifier.isPublic(modifiers) || Modifier.isProtected(modifiers);
    }

    private static boolean isSame(Constructor<?> made, String descriptor) {
        return isVisible(made.getModifiers())
                && MethodType.methodType(void.class, made.getParameterTypes())
                        .toMethodDescriptorString()
                        .equals(descriptor);
    }

    private static boolean isSame(Method method, ClassCode.Member member) {
        return method.getName().equals(member.name())
                && isVisible(method.getModifiers())
                && MethodType.methodType(method.getReturnType(), method.getParameterTypes())
                        .toMethodDescriptorString()
                        .equals(member.descriptor());
    }

    private static boolean isSame(Field field, ClassCode.Member member) {
        return field.getName().equals(member.name())
                && isVisible(field.getModifiers())
                && field.getType().descriptorString().equals(member.descriptor());
    }
}
