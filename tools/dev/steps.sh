# Steps, their logs and the closing table. Sourced by `dev` and `.ci/run` from the root.

logs=$root/build/logs
mkdir -p "$logs"
rows=()  # one a stage: NAME|PASSED|FAILED|SKIPPED|SECONDS|NOTE
step_child=""
step_seconds=0

fail() {
  echo "dev: $*" >&2
  exit 1
}

# A step runs beside this shell, so that Ctrl-C ends it at once and all that it started.
end_child() {
  if [[ -n $step_child ]]; then
    kill "$step_child" 2>/dev/null || true
    wait "$step_child" 2>/dev/null || true
  fi
}
trap end_child EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

log_of() { echo "$logs/${1//[^A-Za-z0-9._-]/-}.log"; }

# On a terminal: how far ninja is, as its output says, until killed or this shell is gone.
watch_progress() {
  trap - EXIT
  while kill -0 $$ 2>/dev/null; do
    sleep 1
    printf '\r%-34s %-10s' "$1" "$(grep -o '^\[[0-9]*/[0-9]*\]' "$2" | tail -n 1)"
  done
}

# step NAME SECONDS COMMAND...: runs the command for at most SECONDS; one line with its time, and the
# tail of its output if it fails. Its status is the command's; 124 means that the time was over.
step() {
  local name=$1 limit=$2 log status=0 begun=${EPOCHREALTIME/./} micros watcher=""
  shift 2
  log=$(log_of "$name")
  printf '%-34s ' "$name"
  timeout --kill-after=10 "$limit" "$@" >"$log" 2>&1 </dev/null &
  step_child=$!
  if [[ -t 1 ]]; then
    watch_progress "$name" "$log" &
    watcher=$!
  fi
  wait "$step_child" || status=$?
  step_child=""
  if [[ -n $watcher ]]; then
    kill "$watcher" 2>/dev/null && wait "$watcher" 2>/dev/null || true
    printf '\r%-34s ' "$name"
  fi
  micros=$((${EPOCHREALTIME/./} - begun))
  step_seconds=$(printf '%d.%d' $((micros / 1000000)) $((micros / 100000 % 10)))
  if [[ $status -eq 0 ]]; then
    printf 'ok      %7s s\n' "$step_seconds"
    return 0
  fi
  if [[ $status -eq 124 || $status -eq 137 ]]; then
    printf 'over its limit of %s s\n' "$limit"
  else
    printf 'FAILED  %7s s (status %s)\n' "$step_seconds" "$status"
  fi
  echo "--- the end of ${log#"$root"/}"
  tail -n 40 "$log"
  echo "---"
  return "$status"
}

# row NAME PASSED FAILED SKIPPED NOTE: a line of the closing table, with the time of the last step.
row() { rows+=("$1|$2|$3|$4|$step_seconds|${5:-}"); step_seconds=0; }

# tally NAME STATUS COUNTS: a row from a step's status and the two lines that count_tests.py prints.
# A step that failed without a failed test (a crash, a time-out) counts as one failure.
tally() {
  local name=$1 status=$2 passed failed skipped note
  { read -r passed failed skipped; read -r note || true; } <<<"$3"
  if [[ $status -ne 0 && ${failed:-0} -eq 0 ]]; then
    failed=1
    note="status $status, see ${logs#"$root"/}${note:+; $note}"
  fi
  row "$name" "${passed:-0}" "${failed:-0}" "${skipped:-0}" "$note"
}

# The table; the last line says `N passed, M failed, K skipped`. Fails if anything failed.
closing_table() {
  local entry name passed failed skipped seconds note sum_p=0 sum_f=0 sum_s=0
  printf '\n%-26s %8s %7s %8s %8s  %s\n' stage passed failed skipped seconds note
  for entry in "${rows[@]}"; do
    IFS='|' read -r name passed failed skipped seconds note <<<"$entry"
    printf '%-26s %8s %7s %8s %8s  %s\n' "$name" "$passed" "$failed" "$skipped" "$seconds" "$note"
    sum_p=$((sum_p + passed)) sum_f=$((sum_f + failed)) sum_s=$((sum_s + skipped))
  done
  echo
  echo "$sum_p passed, $sum_f failed, $sum_s skipped"
  [[ $sum_f -eq 0 ]]
}

# closing_counts LOG STATUS LIMIT: of a whole `dev test` or `dev lint` that left LOG, the counts of its closing line and
# a note: which rows of its table failed, and what was absent.
closing_counts() {
  local line note=""
  line=$(grep -E '^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$' "$1" | tail -n 1 || true)
  [[ $2 -ne 124 ]] || note="over its limit of $3 s; "
  note+=$(awk '
    match($0, / +[0-9]+ +[0-9]+ +[0-9]+ +[0-9.]+  /) && /^[^ ]/ {
      split(substr($0, RSTART, RLENGTH), of, " ")
      name = substr($0, 1, RSTART - 1)
      said = substr($0, RSTART + RLENGTH)
      if (of[2] > 0) printf "%s%s: %s", (found++ ? "; " : ""), name, said
      else if (of[1] + of[2] + of[3] == 0 && said ~ /^absent: /) printf "%s%s is absent", (found++ ? "; " : ""), name
    }' "$1")
  note=${note//|//}
  sed -E 's/^([0-9]+) passed, ([0-9]+) failed, ([0-9]+) skipped$/\1 \2 \3/' <<<"${line:-0 passed, 0 failed, 0 skipped}"
  echo "${note%; }"
}
