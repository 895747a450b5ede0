# C++ builds, one folder a preset under build/.

# Objects are found again in another clone: ccache sees paths relative to the root.
export CCACHE_BASEDIR=$root
export CCACHE_NOHASHDIR=1

presets() { sed -n 's/.*"configurePreset": "\(.*\)".*/\1/p' CMakePresets.json | sort -u; }

# Also finds files that are new; a build does so by itself.
configure_preset() { step "configure $1" 300 cmake --preset "$1"; }

# build_preset PRESET [TARGET...]: all targets, or those.
build_preset() {
  local preset=$1 what
  shift
  what="${1:+ ($*)}"
  [[ $# -le 6 ]] || what=" ($# targets)"
  presets | grep -qx "$preset" || fail "no preset '$preset'; there are: $(presets | xargs)"
  # What a preset says is read when it is configured, and not by a build.
  [[ build/$preset/build.ninja -nt CMakePresets.json ]] || configure_preset "$preset" || return
  # One link of a sanitized program takes a gigabyte: as many jobs as cores, not more.
  step "build $preset$what" 3600 cmake --build --preset "$preset" -j "$(nproc)" ${1:+--target "$@"}
}

# targets_of PRESET REGEX: the build targets whose whole name matches.
targets_of() {
  ninja -C "build/$1" -t targets all | sed -n "s/^\($2\): phony$/\1/p"
}
