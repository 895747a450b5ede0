# The pages of web/, which npm builds into build/web. No C++ waits for them: dray looks for them when it runs.

node_oldest=18

node_is_there() {
  local have
  command -v npm >/dev/null && have=$(node --version 2>/dev/null) && at_least "${have#v}" "$node_oldest"
}

# need_node: a Node of at least node_oldest with npm; Debian 12's if there is none.
need_node() {
  node_is_there || need_packages node || return
  node_is_there || fail "web/ needs Node $node_oldest or later with npm; there is $(node --version)"
}

# Installs what the lock file names, if that is not there yet. What packages would run then is not run.
need_web_packages() {
  [[ ! web/node_modules/.package-lock.json -nt web/package-lock.json ]] || return 0
  step "npm ci" 300 npm --prefix web ci --ignore-scripts --no-audit --no-fund
}

build_web() {
  need_node && need_web_packages && step "build web" 120 npm --prefix web run build
}

# The documents as a site with a search, in build/docs; a link that leads nowhere ends it.
build_docs() {
  need_node && need_web_packages && step "build docs" 60 npm --prefix web run docs
}

# What needs a page (tests of `dray simulate --report`) comes after this stage.
web_stage() {
  local status=0
  build_web || { row web 0 1 0 "no page was built"; return 0; }
  step "tests of web" 120 npm --prefix web test || status=$?
  tally web "$status" "$(count node "$(log_of "tests of web")")"
}
