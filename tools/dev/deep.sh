# Long jobs, beyond what every change waits for: `dev test --deep NAME`. .ci/run picks by turns.

# NAME MINUTES WHAT: minutes on two cores with nothing built; the job must not take longer.
deep_jobs() {
  cat <<'JOBS'
asan 34 all C++ tests under AddressSanitizer and UndefinedBehaviorSanitizer
tsan 25 the tests that start threads, under ThreadSanitizer
property-long 20 properties and fault simulation with fifty times the seeds
fuzz 34 every libFuzzer target, 25 CPU-minutes in all, and the lines of the parsers that are covered
oracle-long 30 long differentials against the Kubernetes code
cluster-long 34 the long tests on a real control plane, but for those of cluster-faults
reproducible 30 the same commit built in two folders gives the same dray
mutants 34 small wrong changes, one by one: a C++ test has to notice each
file-by-file 34 every C++ target compiled file by file, so that includes stay honest
demo-200 20 two hundred runs of the demo print the same
fresh-clone 24 what is typed first in a fresh clone: the demo with its dashboard, a simulation with its report, policies' tests
browser 20 the report and the dashboard, also over 10,000 nodes, in Debian's Chromium
kai-oracle 34 KAI's own scheduler and the planner on 2,000 generated clusters
crowd 34 20,000 pods wait on a real control plane: no overload, no lost Lease, the last as fast as the first
bench 25 dray beside the code of Kubernetes and KAI: the same work, so many times faster
soak 34 pods come and go on a real control plane for 20 minutes, or DRAY_SOAK_MINUTES: what dray holds, and its record, stay flat
cluster-faults 34 servers stopped and killed, scenarios through faults, hostile tenants, on a real control plane
JOBS
}

asan_job() {
  local targets
  need_packages cpp
  configure_preset asan || { row "configure asan" 0 1 0 ""; return 0; }
  mapfile -t targets < <(targets_of asan 'dray_[a-z_]*_test\|dray_cases')
  build_preset asan "${targets[@]}" || { row "build asan" 0 1 0 "nothing else was run"; return 0; }
  local stage
  for stage in unit property dst; do ctest_stage "$stage" 1500 asan; done
  cases_stage asan
}

# Layers with threads; the core has none.
tsan_job() {
  local targets
  need_packages cpp
  configure_preset tsan || { row "configure tsan" 0 1 0 ""; return 0; }
  mapfile -t targets < <(targets_of tsan 'dray_\(base\|net\|metrics\|kube\|service\|app\|dashboard\)_test')
  build_preset tsan "${targets[@]}" || { row "build tsan" 0 1 0 "nothing else was run"; return 0; }
  local status=0 junit=$logs/unit-tsan.xml
  step "ctest (tsan)" 1200 ctest --test-dir build/tsan -R "^($(IFS='|'; echo "${targets[*]}"))\$" \
    --output-on-failure --output-junit "$junit" --test-output-size-passed 1000000 || status=$?
  tally "unit tsan" "$status" "$(count ctest "$junit")"
}

property-long_job() {
  need_packages cpp
  build_preset release || { row "build release" 0 1 0 "nothing else was run"; return 0; }
  export RC_PARAMS="$RC_PARAMS max_success=5000" DRAY_DST_SEEDS=20000
  ctest_stage property 700
  ctest_stage dst 1500
}

# The targets share DRAY_FUZZ_SECONDS of CPU; what they find stays in build/fuzz/findings. Then the lines of the parsers that
# their corpora and the unit tests run are counted.
fuzz_job() {
  local targets name seconds=${DRAY_FUZZ_SECONDS:-1500}
  local tests=(dray_fuzz_corpus_test dray_wire_test dray_net_test dray_service_test)
  need_packages cpp clang
  configure_preset fuzz || { row "configure fuzz" 0 1 0 ""; return 0; }
  mapfile -t targets < <(targets_of fuzz 'dray_[a-z_]*_fuzz')
  build_preset fuzz "${targets[@]}" "${tests[@]}" || { row "build fuzz" 0 1 0 "nothing else was run"; return 0; }
  for name in run lines; do
    lint_step "fuzz $name" $((seconds + 300)) python3 tools/fuzz.py "$name" build/fuzz "$seconds"
    cat "$(log_of "fuzz $name")"
  done
}

oracle-long_job() {
  need_packages cpp tools
  build_preset release || { row "build release" 0 1 0 "nothing else was run"; return 0; }
  go_stage oracle 1700 dray.dev/dray/tests/oracle/cases
}

# Of these files, those that are longer here than in the gate, or here only; the gate plays the others, and there is no
# time for both.
long_cluster_tests() {
  awk '/^func /{ name = "" } /^func Test/{ name = $2; sub(/\(.*/, "", name) }
    name != "" && /longOnly\(t\)|testing\.Short\(\)/{ print name }' "$@" | sort -u | paste -sd'|'
}

cluster_faults=(tests/cluster/{chaos,faults,hostile}_test.go)

# long_cluster_stage FILE...
long_cluster_stage() {
  need_packages cpp tools
  build_preset release || { row "build release" 0 1 0 "nothing else was run"; return 0; }
  local tests
  tests=$(long_cluster_tests "$@")
  [[ -n $tests ]] || { row "the long tests" 0 1 0 "none is found in tests/cluster"; return 0; }
  go_stage cluster 1700 -run "^($tests)\$"
}

cluster-long_job() {
  local files=() file
  for file in tests/cluster/*_test.go; do
    [[ " ${cluster_faults[*]} " == *" $file "* ]] || files+=("$file")
  done
  long_cluster_stage "${files[@]}"
}

cluster-faults_job() { long_cluster_stage "${cluster_faults[@]}"; }

soak_job() {
  need_packages cpp tools
  build_preset release dray || { row "build release" 0 1 0 "nothing else was run"; return 0; }
  export DRAY_SOAK_MINUTES=${DRAY_SOAK_MINUTES:-20}
  go_stage cluster $((DRAY_SOAK_MINUTES * 60 + 600)) -run '^TestChurnStaysFlat$'
}

# Beside the goals' lines it prints what the run used.
crowd_job() {
  need_packages cpp tools
  build_preset release dray || { row "build release" 0 1 0 "nothing else was run"; return 0; }
  need_go || { row crowd 0 1 0 "no Go"; return 0; }
  step "build of the control plane" 1800 tests/cluster/build.sh || { row crowd 0 1 0 "no control plane"; return 0; }
  lint_step crowd 1900 go -C tests/cluster run ./podsbench -crowd
}

# clone_to FOLDER: HEAD of this repository, and nothing that is not committed.
clone_to() {
  rm -rf "$1"
  step "clone to ${1#"$root"/}" 120 git clone --quiet --no-hardlinks "$root" "$1"
}

# One build may come from the compiler's cache, the other may not.
reproducible_job() {
  need_packages cpp
  local first=$root/build/reproducible/a second=$root/build/reproducible/elsewhere/b folder
  for folder in "$first" "$second"; do
    clone_to "$folder" || { row reproducible 0 1 0 "no clone"; return 0; }
    step "build in ${folder#"$root"/}" 1500 env CCACHE_BASEDIR="$folder" \
      ${CCACHE_DISABLE:+CCACHE_DISABLE=1} "$folder/dev" build release ||
      { row reproducible 0 1 0 "no build"; return 0; }
    export CCACHE_DISABLE=1
  done
  unset CCACHE_DISABLE
  lint_step reproducible 60 cmp "$first/build/release/bin/dray" "$second/build/release/bin/dray"
  rm -rf "$root/build/reproducible"
}

fresh-clone_job() {
  local folder=$root/build/fresh
  clone_to "$folder" || { row fresh-clone 0 1 0 "no clone"; return 0; }
  local path seconds=1100  # the first one builds
  for path in demo report policy; do
    lint_step "newcomer $path" "$seconds" python3 tools/newcomer.py "$folder" "$path"
    cat "$(log_of "newcomer $path")"
    seconds=120
  done
  rm -rf "$folder"
}

# Begins with another mutant at each commit, and ends when its time is over.
mutants_job() {
  local status=0
  need_packages cpp tools
  step mutants 1980 python3 tools/mutants.py --seconds 1800 --from "$(($(git rev-list --count HEAD) * 17))" || status=$?
  tally mutants "$status" "$(count line "$(log_of mutants)")"
}

file-by-file_job() {
  need_packages cpp
  lint_step "configure dev" 300 cmake --preset dev
  lint_step "build dev" 2000 cmake --build --preset dev -j "$(nproc)"
}

# Reports may differ in what they were timed at, and in nothing else.
demo-200_job() {
  need_packages cpp
  build_preset release dray || { row "build release" 0 1 0 "nothing else was run"; return 0; }
  lint_step "demo, 200 times" 900 python3 tools/same_demo.py build/release/bin/dray 200
}

# Screenshots stay in build/browser.
browser_job() {
  local status=0
  need_packages cpp tools browser
  build_preset release dray || { row "build release" 0 1 0 "nothing else was run"; return 0; }
  build_web || { row browser 0 1 0 "no page was built"; return 0; }
  step browser 600 node --test --test-reporter=tap tests/browser/*.test.js || status=$?
  tally browser "$status" "$(count node "$(log_of browser)")"
}

# Other clusters at each commit. KAI's sessions sleep more than they compute; most of the time is the two builds.
kai-oracle_job() {
  need_packages cpp tools
  build_preset release dray_cases || { row "build release" 0 1 0 "nothing else was run"; return 0; }
  go_stage kai 1260
}

# Of ratios, as other programs may run beside: durations are for `dev bench`.
bench_job() {
  local suite status
  need_packages cpp tools
  build_preset release dray_cel_bench dray_alloc_bench dray_policy_bench ||
    { row "build release" 0 1 0 "nothing else was run"; return 0; }
  for suite in cel alloc policy; do
    status=0
    step "bench $suite" 1200 ./dev bench --ratios "$suite" || status=$?
    tally "bench $suite" "$status" "$(count line "$(log_of "bench $suite")")"
  done
}

# run_deep_rows NAME: the job, its rows added to the table.
run_deep_rows() {
  deep_jobs | grep -q "^$1 " || fail "no deep job '$1'; ./dev test --deep list names them"
  "$1_job"
}

run_deep() {
  if [[ $1 == list ]]; then
    deep_jobs | sed 's/^\([^ ]*\) \([^ ]*\) \(.*\)/\1 \2 \3/' | while read -r name minutes what; do
      printf '%-16s at most %2s min  %s\n' "$name" "$minutes" "$what"
    done
    return
  fi
  need_packages tools
  run_deep_rows "$1"
  closing_table
}
