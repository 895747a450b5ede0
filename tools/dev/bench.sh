# `dev bench`: dray's benchmarks beside the code that Kubernetes and KAI run, on the same workloads in the same run.
# tests/bench/goals.json says what is asked of the ratios; a missed goal fails.

bench_out=$root/build/bench
bench_goals=tests/bench/goals.json
bench_suites=(cel alloc policy load engine explain overload)
# These no peer does.
bench_alone=(load engine explain overload)

is_alone() { [[ " ${bench_alone[*]} " == *" $1 "* ]]; }

# cel_workload: its two files, one a line; those among the shared cases if they are there.
cel_workload() {
  local shared=${DRAY_SHARED:-}/cases
  if [[ -f $shared/cel/wild_selectors.jsonl ]]; then
    printf '%s\n' "$shared/cel/wild_selectors.jsonl" "$shared/cel/devices.json"
  else
    printf '%s\n' "$root/tests/bench/workload/selectors.jsonl" "$root/tests/bench/workload/devices.json"
  fi
}

# bench_dray SUITE, bench_peer SUITE: one side, as JSON lines.
bench_dray() {
  local files
  case $1 in
    cel) mapfile -t files < <(cel_workload); build/release/bin/dray_cel_bench --workload "${files[@]}" ;;
    alloc) build/release/bin/dray_alloc_bench ;;
    policy) build/release/bin/dray_policy_bench --json ;;
  esac
}

bench_peer() {
  local files
  case $1 in
    cel) mapfile -t files < <(cel_workload); "$bench_out/peer" cel "${files[@]}" ;;
    alloc) "$bench_out/alloc_peer" -patience 2s ;;
    policy) "$bench_out/kai_peer" -patience 20s tests/bench/workload/policy.jsonl ;;
  esac
}

build_peer() {
  case $1 in
    cel) step "build of the peer" 900 go -C tests/bench/peer build -o "$bench_out/peer" . ;;
    alloc) step "build of the allocator's peer" 900 go -C tests/bench/peer build -o "$bench_out/alloc_peer" ./alloc ;;
    policy) step "build of KAI's scheduler" 1800 go -C tests/kai build -o "$bench_out/kai_peer" ./bench ;;
  esac
}

bench_rounds=3  # of measuring a suite, while a goal is missed

# bench_suite SUITE [--ratios]: both sides, one after the other, and the ratios. Its status says whether all goals are met. A
# row that the machine slowed down by the way must not decide: where a goal is missed both sides run again, and of each
# row's rounds the fastest counts, the peer's too.
bench_suite() {
  echo "== $1"
  if is_alone "$1"; then
    local program=()
    [[ $1 != overload ]] || program=(build/release/bin/dray)
    "build/release/bin/dray_$1_bench" "${program[@]}"
    return
  fi
  local dray=$bench_out/$1.dray.jsonl peer=$bench_out/$1.peer.jsonl round judged
  rm -f "$dray" "$peer"
  for ((round = 1; round <= bench_rounds; round++)); do
    bench_dray "$1" >>"$dray" || return
    bench_peer "$1" >>"$peer" || return
    judged=0
    python3 tools/bench_ratios.py "${@:2}" "$1" "$bench_goals" "$dray" "$peer" >"$bench_out/$1.txt" || judged=$?
    [[ $judged -ne 0 ]] || break
    [[ $round -eq $bench_rounds ]] || echo "$1: a goal is missed in round $round, measured again"
  done
  cat "$bench_out/$1.txt"
  return "$judged"
}

# bench_claims [FILE]: the tables of docs/claims.md, in virtual time; fails if FILE has others.
bench_claims() {
  need_packages cpp tools
  build_preset release dray || fail "no build"
  [[ -d ${DRAY_SHARED:-}/data/philly ]] || fail "the claims are measured on recorded loads: DRAY_SHARED is to name a folder with data/openb and data/philly"
  python3 tests/bench/claims.py build/release/bin/dray "$DRAY_SHARED/data" "$@"
}

# bench_pods [FLAG...]: pods bound a second on a real control plane (tests/cluster/podsbench), half an hour.
bench_pods() {
  need_packages cpp tools
  build_preset release dray || fail "no build"
  need_go || fail "no Go: the control plane cannot be built"
  step "build of the control plane" 1800 tests/cluster/build.sh || fail "no control plane"
  go -C tests/cluster run ./podsbench "$@"
}

# bench_ports: handshakes, idle connections and /metrics of dray's ports; figures for a reader, no goals.
bench_ports() {
  need_packages cpp tools
  build_preset release dray || fail "no build"
  python3 tests/bench/ports.py build/release/bin/dray "$@"
}

# bench_start [FLAG...]: how long dray takes to know a full cluster, beside curl (tests/cluster/startbench), five minutes.
bench_start() {
  need_packages cpp tools bench
  build_preset release dray || fail "no build"
  need_go || fail "no Go: the control plane cannot be built"
  step "build of the control plane" 1800 tests/cluster/build.sh || fail "no control plane"
  go -C tests/cluster run ./startbench "$@"
}

# bench [--ratios] [NAME]: the suites whose name contains NAME. With --ratios, durations are no condition: those
# without a peer have nothing else.
bench() {
  local ratios=() suite found=() missed=()
  if [[ ${1:-} == pods ]]; then
    bench_pods "${@:2}"
    return
  fi
  if [[ ${1:-} == start ]]; then
    bench_start "${@:2}"
    return
  fi
  if [[ ${1:-} == ports ]]; then
    bench_ports "${@:2}"
    return
  fi
  if [[ ${1:-} == claims ]]; then
    bench_claims "${@:2}"
    return
  fi
  if [[ ${1:-} == --ratios ]]; then
    ratios=(--ratios)
    bench_suites=(cel alloc policy)
    shift
  fi
  for suite in "${bench_suites[@]}"; do
    [[ $suite != *"${1:-}"* ]] || found+=("$suite")
  done
  [[ ${#found[@]} -gt 0 ]] || fail "no benchmark's name contains '$1'; there are: ${bench_suites[*]} pods ports start claims"
  mkdir -p "$bench_out"
  need_packages cpp tools
  local programs=("${found[@]/#/dray_}")
  build_preset release dray "${programs[@]/%/_bench}" || fail "no build"
  need_go || fail "no Go: without Kubernetes' and KAI's own code there is nothing to compare with"
  for suite in "${found[@]}"; do
    is_alone "$suite" || build_peer "$suite" || fail "no peer"
  done
  for suite in "${found[@]}"; do
    bench_suite "$suite" "${ratios[@]}" || missed+=("$suite")
  done
  [[ ${#missed[@]} -eq 0 ]] || fail "goals missed or not measured: ${missed[*]}"
}
