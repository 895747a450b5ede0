# What dray needs, by name: Debian packages, and the Go toolchain as a Go module.

declare -A packages=(
  [cpp]="g++ cmake ninja-build ccache mold pkg-config libfmt-dev libboost1.81-dev libssl-dev
    nlohmann-json3-dev libsimdjson-dev libyaml-cpp-dev libspdlog-dev prometheus-cpp-dev libcli11-dev
    libre2-dev libzstd-dev libsqlite3-dev zlib1g-dev catch2 librapidcheck-dev libbenchmark-dev"
  [tools]="python3 git ca-certificates patch prometheus zsh fish groff-base"
  [image]="ca-certificates tzdata"
  [bench]="curl"
  [clang]="clang-19 libclang-rt-19-dev llvm-19"
  [lint]="clang-format-19 clang-tidy-19 shellcheck"
  [node]="nodejs npm"
  [browser]="chromium fonts-dejavu-core"
  [go]="golang-go ca-certificates"
)
go_oldest=1.26  # Kubernetes 1.37 needs it
go_fetched=1.26.8  # if there is none that new

# need_packages GROUP...: installs what is missing of these groups.
need_packages() {
  local package missing=()
  command -v dpkg-query >/dev/null || fail "dray builds on Debian 12; see tools/dev/packages.sh for the packages"
  for package in $(for group in "$@"; do echo "${packages[$group]}"; done); do
    [[ $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) == installed ]] || missing+=("$package")
  done
  [[ ${#missing[@]} -gt 0 ]] || return 0
  local sudo=()
  if [[ $(id -u) -ne 0 ]]; then
    command -v sudo >/dev/null || fail "as root, please: apt-get install ${missing[*]}"
    sudo=(sudo)
  fi
  echo "installing from Debian: ${missing[*]}"
  step "apt-get update" 300 "${sudo[@]}" apt-get update || return
  step "apt-get install" 1200 "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y --no-install-recommends "${missing[@]}"
}

# need_go: puts a Go of at least go_oldest on the PATH. Debian 12's own (1.19) is too old to build
# Kubernetes but can fetch the module golang.org/toolchain, checked against Go's checksum database.
need_go() {
  local have arch module folder
  have=$(go_version go)
  if [[ -n $have ]] && at_least "$have" "$go_oldest"; then return 0; fi
  [[ -n $have ]] || need_packages go || return
  arch=$(dpkg --print-architecture)
  module=golang.org/toolchain@v0.0.1-go$go_fetched.linux-$arch
  folder=$(go env GOMODCACHE)/$module
  if [[ ! -x $folder/bin/go ]]; then
    step "go toolchain $go_fetched" 600 env GOTOOLCHAIN=local GOFLAGS=-mod=mod go mod download "$module" || return
    # Modules are unpacked without the right to run them.
    chmod -R u+w "$folder/bin" "$folder/pkg/tool"
    find "$folder/bin" "$folder/pkg/tool" -type f -exec chmod 755 {} +
  fi
  export PATH=$folder/bin:$PATH
  [[ $(go_version go) == "$go_fetched" ]] || fail "$folder/bin/go does not run"
}

go_version() {
  command -v "$1" >/dev/null || return 0
  GOTOOLCHAIN=local "$1" version | sed -n 's/^go version go\([0-9.]*\).*/\1/p'
}

# at_least HAVE WANT: versions of dotted numbers.
at_least() { [[ $(printf '%s\n%s\n' "$1" "$2" | sort -V | head -n 1) == "$2" ]]; }
