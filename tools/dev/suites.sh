# `dev test`: one function a stage, each adding its rows to the closing table.

# The shared cases and fixtures, which are not part of the repository.
if [[ -z ${DRAY_SHARED:-} && -d $root/../shared/cases ]]; then
  DRAY_SHARED=$(cd "$root/../shared" && pwd)
fi
[[ -z ${DRAY_SHARED:-} ]] || export DRAY_SHARED

# Properties get other cases at each commit, and one commit always the same: what failed can be repeated.
[[ ${RC_PARAMS:-} == *seed=* ]] ||
  export RC_PARAMS="${RC_PARAMS:+$RC_PARAMS }seed=$(git -C "$root" rev-list --count HEAD 2>/dev/null || echo 0)"

# The suites of dray_cases and where their files are among the shared cases; the repository's own are
# tests/cases/SUITE/*.jsonl.
case_suites=("cel cel/*.jsonl" "allocator allocator/*.jsonl" "fairshare kai/fairshare_*.jsonl"
  "rules kai/rules_*.jsonl" "kai kai/[ac]*_*.jsonl" "scenarios ../fixtures/scenarios/expect.yaml")
all_stages=(tools layers web unit property dst cases chart oracle cluster)

count() { python3 tools/count_tests.py "$@" || printf '0 1 0\n%s\n' "no counts"; }

absent() { row "$1" 0 0 0 "absent: $2"; }

# ctest_stage NAME SECONDS [PRESET]: the C++ tests with that label.
ctest_stage() {
  local name=$1 limit=$2 preset=${3:-release} status=0 junit counts
  if ctest --test-dir "build/$preset" -N -L "^$name\$" | grep -q 'Total Tests: 0'; then
    absent "$name" "no such tests in tests/CMakeLists.txt yet"
    return 0
  fi
  junit=$logs/$name-$preset.xml
  rm -f "$junit"
  step "ctest $name ($preset)" "$limit" ctest --test-dir "build/$preset" -L "^$name\$" -j "$(nproc)" \
    --output-on-failure --output-junit "$junit" --timeout "$limit" \
    --test-output-size-passed 1000000 --test-output-size-failed 1000000 || status=$?
  counts=$(count ctest "$junit")
  tally "$name$([[ $preset == release ]] || echo " $preset")" "$status" "$counts"
}

# cases_stage [PRESET]: case files that are data, through the program that `dev build` leaves.
cases_stage() {
  local preset=${1:-release} entry suite pattern label
  if [[ ! -x build/$preset/bin/dray_cases ]]; then
    absent dray_cases "tests/cases builds no such program yet"
    return 0
  fi
  for entry in "${case_suites[@]}"; do
    read -r suite pattern <<<"$entry"
    label="cases $suite$([[ $preset == release ]] || echo " $preset")"
    case_rows "$preset" "$suite" "$label" "tests/cases/$suite/*.jsonl"
    if [[ -n ${DRAY_SHARED:-} ]]; then
      case_rows "$preset" "$suite" "$label (shared)" "$DRAY_SHARED/cases/$pattern"
    else
      row "$label (shared)" 0 0 1 "no shared cases: DRAY_SHARED is not set and there is no ../shared"
    fi
  done
  [[ $preset != release ]] || claims_row
}

# The tables of docs/claims.md are what comes out.
claims_row() {
  local status=0
  if [[ ! -d ${DRAY_SHARED:-}/data/philly ]]; then
    row claims 0 0 1 "no recorded loads: DRAY_SHARED names no folder with data/philly"
    return 0
  fi
  step claims 120 python3 tests/bench/claims.py build/release/bin/dray "$DRAY_SHARED/data" docs/claims.md || status=$?
  tally claims "$status" "$(count line "$(log_of claims)")"
}

# case_rows PRESET SUITE LABEL PATTERN: no row where no file matches.
case_rows() {
  local suite=$2 label=$3 status=0 files counts
  mapfile -t files < <(compgen -G "$4")
  [[ ${#files[@]} -gt 0 ]] || return 0
  step "$label" 900 "build/$1/bin/dray_cases" "$suite" "${files[@]}" || status=$?
  if [[ $status -eq 2 ]] && grep -q '^usage:' "$(log_of "$label")"; then
    absent "$label" "dray_cases does not know $suite yet"
  else
    counts=$(count line "$(log_of "$label")")
    tally "$label" "$status" "$counts"
  fi
}

tools_stage() {
  local status=0 passed skipped
  step "tests of tools" 120 python3 -m unittest discover -s tools -p '*_test.py' || status=$?
  passed=$(sed -n 's/^Ran \([0-9]*\) tests\?.*/\1/p' "$(log_of 'tests of tools')")
  skipped=$(sed -n 's/^OK (skipped=\([0-9]*\))$/\1/p' "$(log_of 'tests of tools')")
  [[ $status -eq 0 ]] || passed=0 skipped=0
  tally tools "$status" "$((${passed:-0} - ${skipped:-0})) 0 ${skipped:-0}"
}

layers_stage() {
  local status=0
  step layers 60 python3 tools/check_layers.py || status=$?
  tally layers "$status" "$(count line "$(log_of layers)")"
}

# go_stage NAME SECONDS FLAG...: the Go module tests/NAME.
go_stage() {
  local name=$1 limit=$2 status=0
  shift 2
  if [[ ! -f tests/$name/go.mod ]]; then
    absent "$name" "no module tests/$name yet"
    return 0
  fi
  need_go || { tally "$name" 1 "0 0 0"; return 0; }
  if [[ -x tests/$name/build.sh ]]; then
    step "build for $name" 2400 "tests/$name/build.sh" || { tally "$name" 1 "0 0 0"; return 0; }
  fi
  # Not from Go's cache of results: it does not see what the C++ programs became. Go ends first, and says what was running.
  step "go test $name" "$limit" go -C "tests/$name" test -v -count=1 -timeout "$((limit - 20))s" "$@" ./... || status=$?
  tally "$name" "$status" "$(count go "$(log_of "go test $name")")"
}

run_stage() {
  case $1 in
    tools) tools_stage ;;
    layers) layers_stage ;;
    web) web_stage ;;
    unit) ctest_stage unit 600 ;;
    property) ctest_stage property 900 ;;
    dst) DRAY_DST_SEEDS=${DRAY_DST_SEEDS:-2000} ctest_stage dst 900 ;;
    cases) cases_stage ;;
    chart) go_stage chart 300 ;;
    oracle) go_stage oracle 1200 -short dray.dev/dray/tests/oracle/cases ;;
    cluster) go_stage cluster 1500 -short ;;
    lint) lint_stages ;;
  esac
}

# needs_build STAGE...: whether one of them runs what CMake builds. The Go tests run dray too.
needs_build() { [[ " $* " =~ \ (unit|property|dst|cases|oracle|cluster|lint)\  ]]; }

run_tests() {
  local stages=() stage
  while [[ $# -gt 0 ]]; do
    case $1 in
      --only)
        [[ " ${all_stages[*]} lint " == *" ${2:-} "* ]] || fail "--only needs one of: ${all_stages[*]} lint"
        stages+=("$2")
        shift 2
        ;;
      --deep) run_deep "${2:-list}"; return ;;
      *) fail "test does not know '$1'; see ./dev help" ;;
    esac
  done
  [[ ${#stages[@]} -gt 0 ]] || stages=("${all_stages[@]}")
  if ! needs_build "${stages[@]}"; then
    need_packages tools
  else
    need_packages tools cpp
    if ! build_preset release; then
      row "build release" 0 1 0 "nothing else was run"
      closing_table
      return
    fi
  fi
  for stage in "${stages[@]}"; do run_stage "$stage"; done
  closing_table
}
