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
    for part in "$sources"/{,extensions/}*/{src/main,src/assembly,src/dist,pom.xml}; do
        [[ ! -e $part ]] || parts+=("$part")
    done
    [[ -n $(find "${parts[@]}" "$sources"/{pom.xml,godwit,conf,README.md,CHANGELOG.md,LICENSE} \
        -newer "$stamp" -print 2>/dev/null | head -1) ]]
}

# What the log $1 of a failed Maven says of the reason: errors, and the warnings that count as such.
reason_of_failure() {
    local lines
    # A cause may end in "-> [Help 1]"; the lines that explain [Help 1] begin with it.
    lines=$(sed -nE -e '/^\[(ERROR|FATAL)\] /!d' -e 's/ *-> \[Help [0-9]+\]$//' \
        -e '/^\[ERROR\] *(\[Help [0-9]+\].*|To see the full stack trace.*|Re-run Maven.*|For more information about the errors.*|After correcting the problems.*| *mvn <args> .*)?$/d' -e p "$1")
    if grep -q 'Werror specified' "$1"; then
        lines=$(grep -E '^\[WARNING\] .*\.java:' "$1" || true)$'\n'$lines
    fi
    if [[ -n ${lines//[[:space:]]/} ]]; then sed -n 1,30p <<<"$lines" >&2; else tail -30 "$1" >&2; fi
}

# Reads what Maven says and tells each step in a line of its own, as fit for a log as for a terminal: the
# module that is compiled, the files downloaded so far, and after ten silent seconds that it still goes on.
tell_progress() {
    local line step='Maven starts' files=0 began=$SECONDS told=$SECONDS failed_at=0 failures=0
    local module='^\[INFO\] Building (Godwit :: )?([^ ]+) .*\[([0-9]+)/([0-9]+)\]$'
    while :; do
        if IFS= read -r -t 2 line; then
            if [[ $line =~ $module ]]; then
                step="compiling ${BASH_REMATCH[2]}, module ${BASH_REMATCH[3]} of ${BASH_REMATCH[4]}" told=-10
            elif [[ $line == '[INFO] Downloaded from '* ]]; then
                files=$((files + 1)) step="downloading libraries, files so far: $files"
                ((files > 1)) || told=-10
            fi
        else
            # It fails alike, in bash 3.2, when time is up and, at once and for ever, at the end.
            ((failed_at == SECONDS)) || failures=0
            failed_at=$SECONDS failures=$((failures + 1))
            ((failures < 4)) || return 0
        fi
        if ((SECONDS - told >= 10)); then
            say "$step ($((SECONDS - began)) s)"
            told=$SECONDS
        fi
    done
}

# Only the program, without its tests. Maven's output goes to a file: what matters of it is shown when
# it fails.
build_program() {
    find_java javac
    find_maven
    local log=$sources/target/build.log started=$SECONDS mark
    say "building with JDK $java_major (output: ${log#"$sources"/})"
    mark=$(mktemp)
    if ! (cd "$sources" && "$maven" -B -pl broker-server -am package -DskipTests -Dtests.left.out=true \
        -Dspotless.check.skip "$@") </dev/null 2>&1 | tee "$log" | tell_progress; then
        rm -f "$mark"
        reason_of_failure "$log"
        fail "the build failed; everything it said is in $log"
    fi
    mv "$mark" "$stamp" # what was changed while it ran counts as changed
    say "recording class caches for quick starts ($((SECONDS - started)) s)"
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

# --- Archives -------------------------------------------------------------------------------------

readonly PLATFORMS='linux-x86_64 linux-aarch64 linux-musl-x86_64 linux-musl-aarch64 macos-x86_64 macos-aarch64'
# What the JVM inside an archive can: Godwit's own needs, agents and JMX of operators, jcmd.
readonly JVM_MODULES=java.base,java.instrument,java.logging,java.management,java.naming,java.net.http,java.xml,\
jdk.crypto.ec,jdk.jcmd,jdk.jfr,jdk.management,jdk.management.agent,jdk.net,jdk.unsupported,jdk.zipfs
# The time of every file in an archive, as in the jars.
readonly PACKED_TIME='2026-01-01 00:00:00Z'

this_platform() {
    local system=linux machine
    machine=$(uname -m)
    [[ $machine != arm64 ]] || machine=aarch64
    if [[ $(uname -s) == Darwin ]]; then
        system=macos
    elif compgen -G '/lib/ld-musl-*' >/dev/null; then
        system=linux-musl
    fi
    echo "$system-$machine"
}

# How RocksDB names its library for the platform $1.
rocksdb_library() {
    case $1 in
        linux-x86_64) echo librocksdbjni-linux64.so ;;
        linux-aarch64) echo librocksdbjni-linux-aarch64.so ;;
        linux-musl-x86_64) echo librocksdbjni-linux64-musl.so ;;
        linux-musl-aarch64) echo librocksdbjni-linux-aarch64-musl.so ;;
        macos-x86_64) echo librocksdbjni-osx-x86_64.jnilib ;;
        macos-aarch64) echo librocksdbjni-osx-arm64.jnilib ;;
        *) fail "there is no archive for the platform $1; those are: $PLATFORMS" ;;
    esac
}

# The end of the names of Netty's jars with libraries for the platform $1. They need glibc on Linux.
netty_classifier() {
    case $1 in
        linux-x86_64) echo linux-x86_64 ;;
        linux-aarch64) echo linux-aarch_64 ;;
        macos-x86_64) echo osx-x86_64 ;;
        macos-aarch64) echo osx-aarch_64 ;;
        *) echo none ;;
    esac
}

# Puts what an archive for the platform $1 has into the new folder $2: the program of the last build
# without its class caches, which fit one JDK, and with the native libraries of that platform only.
fill_archive() {
    local jar classifier library
    classifier=$(netty_classifier "$1")
    library=$(rocksdb_library "$1")
    rm -rf "$2"
    mkdir -p "$2/lib" "$2/native" "$2/bin"
    cp -R "$program"/{godwit,conf,extensions,sdk,systemd,data,LICENSE,README.md,CHANGELOG.md} "$sources/docs" "$2/"
    ln -s ../godwit "$2/bin/godwit"
    for jar in "$program"/lib/*.jar; do
        case ${jar##*/} in
            rocksdbjni-*)
                "$java_home/bin/java" "${SMALL[@]}" "$sources/broker-server/src/build/SplitNatives.java" \
                    "$jar" "$2/lib/${jar##*/}" "$library" "$2/native/$library"
                ;;
            *-linux-*.jar | *-osx-*.jar | *-windows-*.jar)
                [[ $jar != *-"$classifier.jar" ]] || cp -p "$jar" "$2/lib/"
                ;;
            *) cp -p "$jar" "$2/lib/" ;;
        esac
    done
    for jar in "$2"/sdk/io/godwit/*/*/*.jar; do # nothing is packed twice
        [[ ! -e $2/lib/${jar##*/} ]] || ln -sf "../../../../../lib/${jar##*/}" "$jar"
    done
}

# Packs the folder $1 into the archive $2. Owner, rights, time and order are fixed, so that equal files
# give an equal archive, where tar is GNU's.
pack_folder() {
    local options=()
    if tar --version 2>/dev/null | grep -q GNU; then
        options=(--sort=name --owner=0 --group=0 --numeric-owner "--mode=u=rwX,go=rX" "--mtime=$PACKED_TIME")
    fi
    tar -C "$(dirname "$1")" -c ${options[@]+"${options[@]}"} "$(basename "$1")" | gzip -n >"$2.part"
    mv "$2.part" "$2"
    say "packed ${2#"$sources"/} ($((($(wc -c <"$2") + 500000) / 1000000)) MB)"
}

# True when the archive $1 is not there, or older than something in it.
archive_outdated() {
    [[ ! -f $1 || $stamp -nt $1 || -n $(find "$sources/docs" "$sources"/broker-server/src/build -newer "$1" -print | head -1) ]]
}

# Packs the archive for the platform $1; with the argument jvm one with a JVM inside, from the JDK here.
pack_archive() {
    local archive=$program-$1${2:+-$2}.tar.gz work
    archive_outdated "$archive" || return 0
    work=$(mktemp -d)
    fill_archive "$1" "$work/$(basename "$program")"
    if [[ -n ${2:-} ]]; then
        "$java_home/bin/jlink" --add-modules "$JVM_MODULES" --strip-java-debug-attributes --no-header-files \
            --no-man-pages --output "$work/$(basename "$program")/jvm" || fail "the JVM for $archive could not be made"
    fi
    pack_folder "$work/$(basename "$program")" "$archive"
    rm -rf "$work"
}

command_test() {
    find_java javac
    find_maven
    cd "$sources" || exit
    exec "$maven" -B -ntp verify "$@"
}

build_and_pack() {
    local platforms with_jvm='' arguments=() each
    platforms=$(this_platform)
    for each; do
        case $each in
            --all) platforms=$PLATFORMS ;;
            --jlink) with_jvm=jvm ;;
            *) arguments+=("$each") ;;
        esac
    done
    rocksdb_library "$(this_platform)" >/dev/null
    alone
    if ((${#arguments[@]} > 0)) || sources_changed; then
        build_program ${arguments[@]+"${arguments[@]}"}
    else
        say "nothing changed since the last build"
    fi
    find_java javac
    for each in $platforms; do pack_archive "$each"; done
    [[ -z $with_jvm ]] || pack_archive "$(this_platform)" jvm
}

command_jmh() {
    find_java javac
    find_maven
    cd "$sources" || exit
    mkdir -p target
    "$maven" -B -pl benchmarks -am package -DskipTests -Dtests.left.out=true \
        -Dspotless.check.skip </dev/null 2>&1 | tee target/build.log | tell_progress ||
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
