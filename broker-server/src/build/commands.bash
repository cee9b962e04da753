#!/usr/bin/env bash
# What ./godwit does in the source tree only: build, test, measure. It reads this file there; an
# archive has none.
# shellcheck disable=SC2154 # what is not set here is set by ./godwit

find_maven() {
    maven=$(command -v mvn || true)
    [[ -z ${MAVEN_HOME:-} || ! -x $MAVEN_HOME/bin/mvn ]] || maven=$MAVEN_HOME/bin/mvn
    [[ -n $maven ]] || fail "Maven is not here. $(advice maven "Install it")"
    export JAVA_HOME=$java_home
    # Maven's own libraries make newer JDKs warn.
    if ((java_major >= 23)); then
        export MAVEN_OPTS="${MAVEN_OPTS:-} --sun-misc-unsafe-memory-access=allow --enable-native-access=ALL-UNNAMED"
    fi
}

# True when something that the program is made of is newer than its last build.
sources_changed() {
    local part parts=()
    [[ -f $stamp ]] && has_program || return 0
    for part in "$sources"/*/src/main "$sources"/*/src/assembly "$sources"/*/src/dist "$sources"/*/pom.xml; do
        [[ ! -e $part ]] || parts+=("$part")
    done
    [[ -n $(find "${parts[@]}" "$sources"/{pom.xml,godwit,conf,README.md,CHANGELOG.md,LICENSE} \
        -newer "$stamp" -print 2>/dev/null | head -1) ]]
}

# What the log $1 of a failed Maven says of the reason: errors, and the warnings that count as such.
reason_of_failure() {
    local lines
    lines=$(grep -E '^\[(ERROR|FATAL)\] ' "$1" | grep -vE '\[Help [0-9]+\]|re-run Maven|Re-run Maven|^\[ERROR\] *$' || true)
    if grep -q 'Werror specified' "$1"; then
        lines=$(grep -E '^\[WARNING\] .*\.java:' "$1" || true)$'\n'$lines
    fi
    if [[ -n ${lines//[[:space:]]/} ]]; then sed -n 1,30p <<<"$lines" >&2; else tail -30 "$1" >&2; fi
}

# Only the program, without its tests. Maven's output goes to a file: what matters of it is shown when
# it fails.
build_program() {
    find_java javac
    find_maven
    local log=$sources/target/build.log started=$SECONDS mark
    say "building with JDK $java_major (output: ${log#"$sources"/})"
    mark=$(mktemp)
    if ! (cd "$sources" && "$maven" -B -ntp -pl broker-server -am package -DskipTests -Dtests.left.out=true \
        -Dspotless.check.skip "$@") \
        </dev/null >"$log" 2>&1; then
        rm -f "$mark"
        reason_of_failure "$log"
        fail "the build failed; everything it said is in $log"
    fi
    mv "$mark" "$stamp" # what was changed while it ran counts as changed
    make_class_cache || say "no class cache could be made; starts take longer"
    say "built in $((SECONDS - started)) s"
}

# Two launchers at once build one after the other, where the system has flock. Ends with file 9.
alone() {
    mkdir -p "$sources/target"
    exec 9>"$sources/target/.lock"
    ! command -v flock >/dev/null || flock 9
}

build_if_changed() {
    alone
    if sources_changed; then
        build_program
        look_at_clock
    fi
    # Maven by itself makes no cache.
    find_java javac
    cache_fits || { make_class_cache && look_at_clock; } || true
    exec 9>&-
}

# Owner and order are fixed, so that equal files give an equal archive.
pack_archive() {
    local name archive options=()
    name=$(basename "$program")
    archive=$program.tar.gz
    if tar --version 2>/dev/null | grep -q GNU; then
        options=(--sort=name --owner=0 --group=0 --numeric-owner)
    fi
    (cd "$(dirname "$program")" &&
        tar -c "${options[@]+"${options[@]}"}" "$name" | gzip -n >"$archive.part") &&
        mv "$archive.part" "$archive"
    say "packed ${archive#"$sources"/}"
}

command_test() {
    find_java javac
    find_maven
    cd "$sources" || exit
    exec "$maven" -B -ntp verify "$@"
}

build_and_pack() {
    if (($# == 0)) && ! sources_changed && [[ $program.tar.gz -nt $stamp ]]; then
        say "nothing changed since the last build"
    else
        alone
        build_program "$@"
        pack_archive
    fi
}

command_jmh() {
    find_java javac
    find_maven
    cd "$sources" || exit
    mkdir -p target
    "$maven" -B -ntp -pl benchmarks -am package -DskipTests -Dtests.left.out=true \
        -Dspotless.check.skip </dev/null >target/build.log 2>&1 ||
        { reason_of_failure target/build.log; fail "the build failed; see target/build.log"; }
    jvm_flags
    exec "$java_home/bin/java" "${flags[@]}" -jar "benchmarks/target/benchmarks-$(project_version).jar" "$@"
}

# True when the program, or a test, is newer than the tests that were compiled with it. $1: their stamp.
tests_changed() {
    [[ $stamp -nt $1 || -n $(find "$sources"/broker-{core,server}/src/test -newer "$1" -print 2>/dev/null | head -1) ]]
}

command_chaos() {
    ensure_built
    local built=$sources/broker-server/target/.tests-built
    if tests_changed "$built"; then
        alone
        build_program -Dtests.left.out=false
        cp -p "$stamp" "$built"
        exec 9>&-
    fi
    find_java java
    jvm_flags
    # The brokers that it starts get the same class path.
    exec "$java_home/bin/java" "${flags[@]}" -Xmx512m \
        -cp "$sources/broker-server/target/test-classes:$sources/broker-core/target/test-classes:$(class_path)" \
        io.godwit.chaos.ChaosMain "$@"
}
