# `dev image`: dray and what it loads as an OCI archive (tools/image.py), the same bytes of the same commit.

build_image() {
  local tag=dray:latest version
  while [[ $# -gt 0 ]]; do
    case $1 in
      --tag) tag=${2:?--tag NAME:TAG}; shift 2 ;;
      *) fail "image does not know $1; see ./dev help" ;;
    esac
  done
  need_packages cpp tools image
  build_preset release dray || return
  build_web || return
  version=$(build/release/bin/dray --version)
  step image 120 python3 tools/image.py build/release/bin/dray build/image/dray.tar --tag "$tag" --version "$version" \
    --revision "$(git rev-parse HEAD)" --time "$(git log -1 --format=%ct)" --tree config=/usr/share/dray --tree build/web=/usr/share/dray || return
  cat "$(log_of image)"
}
