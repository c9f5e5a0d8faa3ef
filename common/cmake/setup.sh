#!/usr/bin/env bash
# What the Makefile needs before it can build. Runs on a bare machine: bash only.
#
#   setup.sh packages [GROUP...]       install what is missing; groups: build, python, model, fuzz, format
#   setup.sh missing [GROUP...]        only name them
#   setup.sh configure PRESET FOLDER [CMAKE FLAGS...]
#   setup.sh jobs                      how many compilers may run at once here
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

# group | how to see that it is there | Debian and Ubuntu package | Homebrew formula | what for
# The second column is a command, a header (file.h or folder/file), or one of some Python modules.
requirements='
python | python3                  | python3            | python        | scripts of the course (standard library only)
build | ${CXX:-c++}               | g++                | -             | C++20 compiler
build | cmake                     | cmake              | cmake         | build system
build | ninja                     | ninja-build        | ninja         | runs the build
build | eigen3/Eigen/Core         | libeigen3-dev      | eigen         | matrix products of chapters 02 to 04
build | fmt/core.h                | libfmt-dev         | fmt           | text formatting
build | nlohmann/json.hpp         | nlohmann-json3-dev | nlohmann-json | JSON
build | CLI/CLI.hpp               | libcli11-dev       | cli11         | command lines
build | pcre2.h                   | libpcre2-dev       | pcre2         | regular expressions of the tokenizers
build | utf8proc.h                | libutf8proc-dev    | utf8proc      | Unicode normalisation
build | doctest/doctest.h         | doctest-dev        | doctest       | unit tests
fuzz  | clang++                   | clang              | llvm          | compiler with libFuzzer
fuzz  | clang:libclang_rt.fuzzer* | libclang-rt-dev    | llvm          | libFuzzer and the sanitizers for clang
fuzz  | clang:omp.h               | libomp-dev         | libomp        | OpenMP for clang
model | py:pip,ensurepip          | python3-venv       | python        | pip, to fetch the model; nothing is installed with it
format | clang-format             | clang-format       | clang-format  | make format
'

die() { printf 'error: %s\n' "$*" >&2; exit 1; }
have() { command -v "$1" > /dev/null 2>&1; }

is_there() {  # $1: second column of the table
  local folder
  case "$1" in
    py:*,*) is_there "${1%%,*}" || is_there "py:${1#*,}" ;;
    py:*) python3 -c "import ${1#py:}" > /dev/null 2>&1 ;;
    clang:*) compgen -G "$(clang++ -print-resource-dir 2> /dev/null)/lib/*/${1#clang:}" > /dev/null ||
             compgen -G "$(clang++ -print-resource-dir 2> /dev/null)/include/${1#clang:}" > /dev/null ||
             compgen -G "/usr/lib/llvm-*/lib/clang/*/include/${1#clang:}" > /dev/null ;;
    *.h | */*)
      for folder in /usr/include /usr/local/include /opt/homebrew/include /opt/local/include \
                    ${CMAKE_PREFIX_PATH:+"$CMAKE_PREFIX_PATH/include"}; do
        [ -e "$folder/$1" ] && return 0
      done
      return 1 ;;
    *) have "$1" ;;
  esac
}

# Runs a command as root: as it is, or through sudo, which asks for a password only where somebody can type one.
if [ -t 0 ]; then sudo=(sudo); else sudo=(sudo -n); fi
as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; else "${sudo[@]}" "$@"; fi
}

apt_install() {  # $@: packages
  local log=build/setup.log lists
  local install=(env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300
                 install -y --no-install-recommends "$@")
  if [ "$(id -u)" != 0 ] && ! have sudo; then
    die "not root, and there is no sudo. Ask an administrator to run: apt-get install $*"
  fi
  mkdir -p build
  : > "$log"
  lists=$(compgen -G '/var/lib/apt/lists/*_Packages*' || true)
  # Lists that are there may still be too old to find the package: then they are refreshed, once.
  if [ -z "$lists" ] || ! as_root "${install[@]}" >> "$log" 2>&1 < /dev/null; then
    echo "  updating the package lists ..."
    as_root apt-get -q update >> "$log" 2>&1 < /dev/null || true
    as_root "${install[@]}" >> "$log" 2>&1 < /dev/null || {
      tail -n 15 "$log" >&2
      die "apt-get install failed (whole log: $log). Try it yourself: sudo apt-get update && sudo apt-get install $*"
    }
  fi
  echo "  done"
}

# Fills the arrays missing, lines, formulas and needed for the named groups.
look_for() {
  local groups=" python ${*:-build} " group check apt brew purpose
  missing=() lines=() formulas=() needed=()
  while IFS='|' read -r group check apt brew purpose; do
    group=${group// /} check=${check// /} apt=${apt// /} brew=${brew// /}
    [[ -n "$group" && "$groups" == *" $group "* ]] || continue
    if [ "$check" = '${CXX:-c++}' ]; then check=${CXX:-c++} check=${check%% *}; fi
    is_there "$check" && continue
    missing+=("$apt")
    if [ "$brew" = - ]; then formulas+=("(xcode-select --install)"); else formulas+=("$brew"); fi
    lines+=("$(printf '  %-20s%s' "$apt" "$purpose")")
    case "$check" in *.h | */* | ninja) ;; *) needed+=("$check") ;; esac
  done <<< "$requirements"
}

packages() {
  look_for "$@"
  [ ${#missing[@]} -gt 0 ] || return 0
  if have apt-get; then
    echo "Installing with apt-get:"
    printf '%s\n' "${lines[@]}"
    apt_install "${missing[@]}"
    return
  fi
  echo "Not found on this machine (names of the Debian packages):"
  printf '%s\n' "${lines[@]}"
  if [ "$(uname -s)" = Darwin ]; then
    echo "With Homebrew: brew install ${formulas[*]} libomp"
  else
    echo "Install them with your system's package manager."
  fi
  [ ${#needed[@]} -eq 0 ] || die "cannot go on without: ${needed[*]}"
  echo "Going on: CMake will fetch the libraries that it can (untested path)."
}

# true if version $1 is at least $2
at_least() { [ "$(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1)" = "$2" ]; }

configure() {
  local preset=$1 folder=$2 version generator=()
  shift 2
  version=$(cmake --version | awk 'NR == 1 { print $3 }')
  at_least "$version" 3.25 || die "CMake $version is too old, 3.25 is needed (Debian 12, Ubuntu 24.04, or: pip install cmake)"
  mkdir -p "$folder"
  # A folder that was configured before keeps its generator.
  if [ ! -f "$folder/CMakeCache.txt" ]; then
    if have ninja; then generator=(-G Ninja); else generator=(-G "Unix Makefiles"); fi
  fi
  echo "Configuring $folder (preset $preset) ..."
  cmake --preset "$preset" -B "$folder" ${generator[@]+"${generator[@]}"} "$@" > "$folder/configure.log" 2>&1 || {
    grep -v '^-- ' "$folder/configure.log" >&2
    die "CMake could not configure $folder (whole log: $folder/configure.log)"
  }
}

jobs_here() {  # one compiler a core, and 1.5 GB of memory for each
  local cores memory_mb
  cores=$(nproc 2> /dev/null || sysctl -n hw.ncpu 2> /dev/null || echo 2)
  memory_mb=$(awk '/^MemAvailable:/ { print int($2 / 1024) }' /proc/meminfo 2> /dev/null || echo 0)
  if [ "${memory_mb:-0}" -gt 0 ] && [ $((memory_mb / 1500)) -lt "$cores" ]; then
    cores=$((memory_mb / 1500 > 0 ? memory_mb / 1500 : 1))
  fi
  echo "$cores"
}

case "${1:-packages}" in
  packages) shift || true; packages "$@" ;;
  missing) shift; look_for "$@"; [ ${#missing[@]} -eq 0 ] || printf '%s\n' "${missing[@]}" ;;
  configure) shift; configure "$@" ;;
  jobs) jobs_here ;;
  *) die "usage: setup.sh packages [GROUP...] | configure PRESET FOLDER [FLAGS...] | jobs" ;;
esac
