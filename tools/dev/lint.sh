# `dev lint` and `dev fmt`.

tidy_seconds=${DRAY_TIDY_SECONDS:-3600}  # clang-tidy names the files it had no time for

cpp_files() { git ls-files -co --exclude-standard -- 'include/*.h' 'src/*.h' 'src/*.cpp' 'tests/*.h' 'tests/*.cpp'; }
go_folders() { git ls-files -co --exclude-standard -- 'tests/*go.mod' | xargs -rn1 dirname; }
# tools/dev/*.sh are checked as the parts of `dev` that they are.
shell_files() { printf '%s\n' dev .ci/run; git ls-files -co --exclude-standard -- '*.sh' ':!tools/dev'; }

# lint_step NAME SECONDS COMMAND...: a row that counts one check.
lint_step() {
  local name=$1 status=0
  step "$@" || status=$?
  tally "$name" "$status" "$((status == 0)) 0 0"
}

lint_stages() {
  local status=0 files module
  need_packages lint
  mapfile -t files < <(cpp_files)
  lint_step clang-format 300 clang-format-19 --dry-run -Werror "${files[@]}"
  layers_stage
  status=0
  step shape 60 python3 tools/check_shape.py || status=$?
  tally shape "$status" "$(count line "$(log_of shape)")"
  status=0
  mapfile -t files < <(shell_files)
  lint_step shellcheck 120 shellcheck -x "${files[@]}"
  if [[ -n $(go_folders) ]]; then
    need_go
    for module in $(go_folders); do
      [[ -n $(git ls-files -co --exclude-standard -- "$module/*.go") ]] || continue
      lint_step "gofmt $module" 60 gofmt -d "$module"
      lint_step "go vet $module" 900 go -C "$module" vet ./...
    done
  fi
  step clang-tidy $((tidy_seconds + 120)) python3 tools/tidy.py --build build/release --seconds "$tidy_seconds" || status=$?
  tally clang-tidy "$status" "$(count line "$(log_of clang-tidy)")"
}


run_lint() {
  need_packages tools cpp
  configure_preset release
  lint_stages
  closing_table
}

format_all() {
  local files module
  need_packages lint tools
  mapfile -t files < <(cpp_files)
  step clang-format 300 clang-format-19 -i "${files[@]}"
  if [[ -n $(go_folders) ]]; then
    need_go
    for module in $(go_folders); do step "gofmt $module" 60 gofmt -w "$module"; done
  fi
}
