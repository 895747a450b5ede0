#!/usr/bin/env bash
# Builds the control plane that the tests run: etcd, kube-apiserver, kube-controller-manager, kube-scheduler, and kubectl, at
# the versions of controlplane/go.mod; and Helm, at that of tests/chart. About six minutes on two cores the first time; after
# that only when go.mod or go.sum change. Usage: build.sh [FOLDER], by default build/cluster-bin of the repository.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
out=${1:-$(cd "$here/../.." && pwd)/build/cluster-bin}
module=$here/controlplane
chart=$here/../chart

stamp=$(cat "$module/go.mod" "$module/go.sum" "$chart/go.mod" "$chart/go.sum" "$here/build.sh" | sha256sum | cut -d' ' -f1)-$(go env GOVERSION)
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
  (cd "$1" && CGO_ENABLED=0 go build -trimpath -ldflags "$flags" -o "$out/$2" "$3")
  echo "built $2"
}
build "$module" etcd go.etcd.io/etcd/server/v3
for program in kube-scheduler kube-apiserver kube-controller-manager kubectl; do
  build "$module" "$program" "k8s.io/kubernetes/cmd/$program"
done
build "$chart" helm helm.sh/helm/v3/cmd/helm
echo "$stamp" >"$out/stamp"
