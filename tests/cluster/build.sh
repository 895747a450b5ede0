#!/usr/bin/env bash
# Builds the control plane that the tests run: etcd, kube-apiserver, kube-controller-manager, kube-scheduler, at the
# versions of controlplane/go.mod. About six minutes on two cores the first time; after that only when go.mod or go.sum
# change. Usage: build.sh [FOLDER], by default build/cluster-bin of the repository.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
out=${1:-$(cd "$here/../.." && pwd)/build/cluster-bin}
module=$here/controlplane

stamp=$(cat "$module/go.mod" "$module/go.sum" "$here/build.sh" | sha256sum | cut -d' ' -f1)-$(go env GOVERSION)
mkdir -p "$out"
# Two runs at once share one build.
exec 9>"$out/.lock"
flock 9
if [ -f "$out/stamp" ] && [ "$(cat "$out/stamp")" = "$stamp" ]; then
  exit 0
fi
rm -f "$out/stamp"

version=$(cd "$module" && go list -m -f '{{.Version}}' k8s.io/kubernetes)
minor=${version#v1.}
minor=${minor%%.*}
pkg=k8s.io/component-base/version
flags="-s -w -X $pkg.gitVersion=$version -X $pkg.gitMajor=1 -X $pkg.gitMinor=$minor"

echo "building etcd and the Kubernetes $version control plane into $out (minutes the first time)"
build() {
  (cd "$module" && CGO_ENABLED=0 go build -trimpath -ldflags "$flags" -o "$out/$1" "$2")
  echo "built $1"
}
build etcd go.etcd.io/etcd/server/v3
for program in kube-scheduler kube-apiserver kube-controller-manager; do
  build "$program" "k8s.io/kubernetes/cmd/$program"
done
echo "$stamp" >"$out/stamp"
