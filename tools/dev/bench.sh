# `dev bench`: dray's benchmarks, and the same workloads through Kubernetes' own code.

# NAME of a program dray_NAME_bench that takes `--workload FILE...`, and of a benchmark of tests/bench/peer; then what is
# asked for: of times that both have the least ratio, of other numbers the most.
peer_benchmarks() {
  cat <<'PEERS'
cel evaluate_ns=20 compile_ns=5 million_cold_ms=20 million_warm_ms=2 allocations=0
PEERS
}

# workload_of NAME: its files, one a line; those among the shared cases if they are there.
workload_of() {
  local shared=${DRAY_SHARED:-}/cases
  case $1 in
    cel)
      if [[ -f $shared/cel/wild_selectors.jsonl ]]; then
        printf '%s\n' "$shared/cel/wild_selectors.jsonl" "$shared/cel/devices.json"
      else
        printf '%s\n' tests/bench/workload/selectors.jsonl tests/bench/workload/devices.json
      fi
      ;;
  esac
}

# bench_peer NAME GOAL...: both sides on the same workload, one after the other, and their ratios.
bench_peer() {
  local name=$1 files out=$root/build/bench
  shift
  need_go || { echo "no Go: Kubernetes' own code was not timed"; return 0; }
  mapfile -t files < <(workload_of "$name" | xargs -n1 realpath)
  mkdir -p "$out"
  step "build of the peer" 900 go -C tests/bench/peer build -o "$out/peer" .
  echo "== $name: Kubernetes' own code, and dray, on ${files[*]}"
  "build/release/bin/dray_${name}_bench" --workload "${files[@]}" >"$out/$name.dray.jsonl"
  "$out/peer" "$name" "${files[@]}" >"$out/$name.peer.jsonl"
  python3 tools/bench_ratios.py "$out/$name.dray.jsonl" "$out/$name.peer.jsonl" "$@"
}

# The allocator's problems by Kubernetes' own allocator, right after dray, and the ratios.
bench_alloc_peer() {
  local out=$root/build/bench
  need_go || { echo "no Go: Kubernetes' own allocator was not timed"; return 0; }
  mkdir -p "$out"
  step "build of the allocator's peer" 900 go -C tests/bench/peer build -o "$out/alloc_peer" ./alloc
  build/release/bin/dray_alloc_bench --benchmark_format=json \
    --benchmark_filter='four_gpus|one_pool|hopeless|requests_on|two_groups|counters' >"$out/alloc.dray.json" 2>/dev/null
  "$out/alloc_peer" -patience 3s >"$out/alloc.peer.txt"
  echo "== alloc: dray and Kubernetes' own allocator, a node (> : given up after 3 s)"
  python3 tools/alloc_ratios.py "$out/alloc.dray.json" "$out/alloc.peer.txt"
}

bench() {
  local wanted=${1:-} found=no program name goals
  need_packages cpp
  build_preset release
  for program in build/release/bin/*bench*; do
    [[ -x $program && $program == *"$wanted"* ]] || continue
    found=yes
    echo "== ${program##*/}"
    "$program"
  done
  while read -r name goals; do
    [[ dray_${name}_bench == *"$wanted"* ]] || continue
    # shellcheck disable=SC2086
    bench_peer "$name" $goals
  done < <(peer_benchmarks)
  [[ dray_alloc_bench != *"$wanted"* ]] || bench_alloc_peer
  [[ $found == yes ]] || fail "no benchmark's name contains '$wanted'"
}
