package io.godwit.extension;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.AnnotatedArrayType;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.AnnotatedParameterizedType;
import java.lang.reflect.AnnotatedType;
import java.lang.reflect.AnnotatedTypeVariable;
import java.lang.reflect.AnnotatedWildcardType;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.GenericDeclaration;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Writes public types and their public and protected members down, a line each. */
final class ApiText {
    /** Every object has them; records and enums get them from the compiler. */
    private static final Set<String> OF_EVERY_OBJECT =
            Set.of("equals(Object)", "hashCode()", "toString()");

    private final List<String> lines = new ArrayList<>();
    private final Set<String> mentioned = new TreeSet<>();

    private ApiText(List<Class<?>> types) {
        types.stream().sorted(Comparator.comparing(Class::getName)).forEach(this::add);
    }

    static ApiText of(Class<?>... types) {
        return new ApiText(List.of(types));
    }

    /** Describes the public types among the classes that this one was loaded with. */
    static ApiText ofPublicTypesBeside(Class<?> one) {
        try {
            Path root = Path.of(one.getProtectionDomain().getCodeSource().getLocation().toURI());
            try (Stream<Path> files = Files.walk(root)) {
                return new ApiText(
                        files.map(file -> root.relativize(file).toString())
                                .filter(name -> name.endsWith(".class"))
                                .map(name -> name.replaceFirst("\\.class$", ""))
                                .map(name -> name.replace('/', '.').replace('\\', '.'))
                                .<Class<?>>map(ApiText::load)
                                .filter(ApiText::isPublic)
                                .toList());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    List<String> lines() {
        return lines;
    }

    /** Returns the names of all types that a signature or an annotation names. */
    Set<String> mentioned() {
        return mentioned;
    }

    private static Class<?> load(String name) {
        try {
            return Class.forName(name, false, ApiText.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException(e);
        }
    }

    private static boolean isPublic(Class<?> type) {
        Class<?> outer = type.getEnclosingClass();
        return Modifier.isPublic(type.getModifiers())
                && !type.isAnonymousClass()
                && !type.isSynthetic()
                && (outer == null || isPublic(outer));
    }

    private void add(Class<?> type) {
        String owner = type.getCanonicalName();
        boolean isPreview = isPreview(type);
        lines.add(owner + ": " + head(type) + (isPreview ? ApiRecord.PREVIEW : ""));
        annotationsOf(type);
        List<String> members = new ArrayList<>();
        for (Constructor<?> each : type.getDeclaredConstructors()) {
            if (isShown(each.getModifiers(), each.isSynthetic())) {
                members.add(
                        modifiers(each)
                                + typeVariables(each)
                                + "new"
                                + call(each)
                                + mark(each, isPreview));
            }
        }
        for (Field each : type.getDeclaredFields()) {
            if (isShown(each.getModifiers(), each.isSynthetic())) {
                members.add(field(each) + mark(each, isPreview));
            }
        }
        for (Method each : type.getDeclaredMethods()) {
            if (isShown(each.getModifiers(), each.isSynthetic()) && !isImplied(type, each)) {
                members.add(method(each) + mark(each, isPreview));
            }
        }
        members.stream().sorted().forEach(each -> lines.add(owner + ": " + each));
    }

    /** Whether a type, or one that it stands in, may still change. */
    private static boolean isPreview(Class<?> type) {
        Class<?> outer = type.getEnclosingClass();
        return type.isAnnotationPresent(Preview.class) || outer != null && isPreview(outer);
    }

    private static String mark(AnnotatedElement member, boolean isOfPreview) {
        return isOfPreview || member.isAnnotationPresent(Preview.class) ? ApiRecord.PREVIEW : "";
    }

    private static boolean isShown(int modifiers, boolean isSynthetic) {
        return (Modifier.isPublic(modifiers) || Modifier.isProtected(modifiers)) && !isSynthetic;
    }

    private static boolean isImplied(Class<?> type, Method method) {
        String call =
                method.getName()
                        + Arrays.stream(method.getParameterTypes())
                                .map(Class::getSimpleName)
                                .collect(Collectors.joining(",", "(", ")"));
        return OF_EVERY_OBJECT.contains(call)
                || type.isEnum() && Set.of("values()", "valueOf(String)").contains(call);
    }

    private String head(Class<?> type) {
        StringBuilder out = new StringBuilder();
        int modifiers = type.getModifiers();
        if (Modifier.isProtected(modifiers)) out.append("protected ");
        if (type.isSealed()) out.append("sealed ");
        if (type.isInterface()) {
            out.append(type.isAnnotation() ? "annotation" : "interface");
        } else {
            if (Modifier.isAbstract(modifiers)) out.append("abstract ");
            if (Modifier.isFinal(modifiers) && !type.isRecord() && !type.isEnum()) {
                out.append("final ");
            }
            out.append(type.isRecord() ? "record" : type.isEnum() ? "enum" : "class");
        }
        out.append(typeVariables(type).stripTrailing());
        if (type.isRecord()) {
            out.append(
                    Arrays.stream(type.getRecordComponents())
                            .map(this::component)
                            .collect(Collectors.joining(", ", "(", ")")));
        }
        AnnotatedType parent = type.getAnnotatedSuperclass();
        if (parent != null
                && !Set.of(Object.class, Record.class).contains(type.getSuperclass())
                && !type.isEnum()) {
            out.append(" extends ").append(text(parent));
        }
        if (!type.isAnnotation() && type.getInterfaces().length > 0) {
            out.append(type.isInterface() ? " extends " : " implements ");
            out.append(list(type.getAnnotatedInterfaces()));
        }
        if (type.isSealed()) {
            out.append(" permits ");
            out.append(
                    Arrays.stream(type.getPermittedSubclasses())
                            .map(this::name)
                            .sorted()
                            .collect(Collectors.joining(", ")));
        }
        return out.toString();
    }

    private String component(RecordComponent component) {
        annotationsOf(component);
        return text(component.getAnnotatedType()) + " " + component.getName();
    }

    private String field(Field field) {
        annotationsOf(field);
        if (field.isEnumConstant()) return "constant " + field.getName();
        return Modifier.toString(field.getModifiers()).replaceFirst("^public ?", "")
                + " "
                + text(field.getAnnotatedType())
                + " "
                + field.getName()
                + constantOf(field);
    }

    /** Returns the value that compilers put into the classes that use the field. */
    private static String constantOf(Field field) {
        Class<?> type = field.getType();
        boolean isConstant =
                Modifier.isStatic(field.getModifiers())
                        && Modifier.isFinal(field.getModifiers())
                        && (type.isPrimitive() || type == String.class);
        try {
            return isConstant ? " = " + value(field.get(null)) : "";
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String value(@Nullable Object value) {
        if (!(value instanceof String text)) return String.valueOf(value);
        StringBuilder out = new StringBuilder("\"");
        for (char each : text.toCharArray()) {
            out.append(each < ' ' ? String.format("\\u%04x", (int) each) : String.valueOf(each));
        }
        return out.append('"').toString();
    }

    private String method(Method method) {
        Object value = method.getDefaultValue();
        return modifiers(method)
                + typeVariables(method)
                + text(method.getAnnotatedReturnType())
                + " "
                + method.getName()
                + call(method)
                + (value == null ? "" : " default " + value(value));
    }

    private static String modifiers(Executable of) {
        int modifiers = of.getModifiers();
        StringBuilder out = new StringBuilder();
        if (Modifier.isProtected(modifiers)) out.append("protected ");
        if (Modifier.isStatic(modifiers)) out.append("static ");
        if (of instanceof Method method && method.isDefault()) out.append("default ");
        boolean isOfClass = !of.getDeclaringClass().isInterface();
        if (isOfClass && Modifier.isAbstract(modifiers)) out.append("abstract ");
        if (isOfClass
                && Modifier.isFinal(modifiers)
                && !Modifier.isFinal(of.getDeclaringClass().getModifiers())) {
            out.append("final ");
        }
        return out.toString();
    }

    private String call(Executable of) {
        annotationsOf(of);
        Arrays.stream(of.getParameters()).forEach(this::annotationsOf);
        String parameters = list(of.getAnnotatedParameterTypes());
        if (of.isVarArgs()) parameters = parameters.replaceFirst("\\[]$", "...");
        return "("
                + parameters
                + ")"
                + (of.getExceptionTypes().length == 0
                        ? ""
                        : " throws " + list(of.getAnnotatedExceptionTypes()));
    }

    private String typeVariables(GenericDeclaration of) {
        if (of.getTypeParameters().length == 0) return "";
        return Arrays.stream(of.getTypeParameters())
                .map(each ->
                        each.getName()
                                + bounds(" extends ", each.getAnnotatedBounds(), each.getBounds()))
                .collect(Collectors.joining(", ", "<", "> "));
    }

    private String bounds(String word, AnnotatedType[] bounds, Type[] types) {
        boolean isAny =
                bounds.length == 0
                        || bounds.length == 1
                                && types[0] == Object.class
                                && bounds[0].getAnnotations().length == 0;
        return isAny
                ? ""
                : word + Arrays.stream(bounds).map(this::text).collect(Collectors.joining(" & "));
    }

    private String list(AnnotatedType[] types) {
        return Arrays.stream(types).map(this::text).collect(Collectors.joining(", "));
    }

    private String text(AnnotatedType type) {
        String annotations = annotationsOf(type);
        if (type instanceof AnnotatedArrayType array) {
            String brackets = annotations.isEmpty() ? "[]" : " " + annotations + "[]";
            return text(array.getAnnotatedGenericComponentType()) + brackets;
        }
        if (type instanceof AnnotatedParameterizedType generic) {
            Class<?> raw = (Class<?>) ((ParameterizedType) type.getType()).getRawType();
            return annotations
                    + name(raw)
                    + "<"
                    + list(generic.getAnnotatedActualTypeArguments())
                    + ">";
        }
        if (type instanceof AnnotatedWildcardType wildcard) {
            java.lang.reflect.WildcardType plain = (java.lang.reflect.WildcardType) type.getType();
            String lower =
                    bounds(" super ", wildcard.getAnnotatedLowerBounds(), plain.getLowerBounds());
            return annotations
                    + "?"
                    + (lower.isEmpty()
                            ? bounds(
                                    " extends ",
                                    wildcard.getAnnotatedUpperBounds(),
                                    plain.getUpperBounds())
                            : lower);
        }
        if (type instanceof AnnotatedTypeVariable) {
            return annotations + ((TypeVariable<?>) type.getType()).getName();
        }
        return annotations + name((Class<?>) type.getType());
    }

    private String name(Class<?> type) {
        if (type.isPrimitive()) return type.getName();
        mentioned.add(type.getName());
        String name = Objects.requireNonNull(type.getCanonicalName());
        return type.getPackageName().equals("java.lang") ? type.getSimpleName() : name;
    }

    /** Notes the annotations, and returns those that say something about null. */
    private String annotationsOf(AnnotatedElement element) {
        return Arrays.stream(element.getAnnotations())
                .map(each -> each.annotationType())
                .peek(each -> mentioned.add(each.getName()))
                .filter(each -> each.getPackageName().equals("org.jspecify.annotations"))
                .map(each -> "@" + each.getSimpleName() + " ")
                .collect(Collectors.joining());
    }
}
