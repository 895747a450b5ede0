// Package validation holds `dray lint` against what kube-apiserver has against an object that is created: strict
// decoding, defaults, the strategy of its kind, and declarative validation.
package validation

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"sort"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/apiserver/pkg/storage/names"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	_ "k8s.io/kubernetes/pkg/apis/resource/install"
	"k8s.io/kubernetes/pkg/registry/resource/deviceclass"
	"k8s.io/kubernetes/pkg/registry/resource/devicetaintrule"
	"k8s.io/kubernetes/pkg/registry/resource/resourceclaim"
	"k8s.io/kubernetes/pkg/registry/resource/resourceclaimtemplate"
	"k8s.io/kubernetes/pkg/registry/resource/resourceslice"
)

// Verdict is what is said of an object: whether it cannot even be decoded, and the fields that are wrong, sorted.
type Verdict struct {
	Undecodable bool
	Paths       []string
}

func (v Verdict) String() string {
	if v.Undecodable {
		return "cannot be decoded: " + strings.Join(v.Paths, " ")
	}
	if len(v.Paths) == 0 {
		return "valid"
	}
	return strings.Join(v.Paths, " ")
}

var (
	strict = serializer.NewCodecFactory(legacyscheme.Scheme, serializer.EnableStrict)
	// Namespaces: only `admin` allows admin access.
	namespaces = fake.NewClientset(
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "default"}},
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "admin", Labels: map[string]string{"resource.kubernetes.io/admin-access": "true"}}},
	).CoreV1().Namespaces()
	unknownField = regexp.MustCompile(`(?:unknown|duplicate) field "([^"]+)"`)
)

type resource struct {
	name       string
	namespaced bool
	strategy   rest.RESTCreateStrategy
}

var resources = map[string]resource{
	"ResourceClaim":         {"resourceclaims", true, resourceclaim.NewStrategy(namespaces, nil)},
	"ResourceClaimTemplate": {"resourceclaimtemplates", true, resourceclaimtemplate.NewStrategy(namespaces)},
	"DeviceClass":           {"deviceclasses", false, deviceclass.Strategy},
	"ResourceSlice":         {"resourceslices", false, resourceslice.Strategy},
	"DeviceTaintRule":       {"devicetaintrules", false, devicetaintrule.Strategy},
}

// Upstream is the API server's verdict on the JSON of an object.
func Upstream(kind string, text []byte) (Verdict, error) {
	of, known := resources[kind]
	if !known {
		return Verdict{}, fmt.Errorf("no resource of kind %s", kind)
	}
	internal := schema.GroupVersion{Group: "resource.k8s.io", Version: runtime.APIVersionInternal}
	object, err := runtime.Decode(strict.UniversalDecoder(internal), text)
	if err != nil {
		verdict := Verdict{Undecodable: true}
		for _, found := range unknownField.FindAllStringSubmatch(err.Error(), -1) {
			verdict.Paths = append(verdict.Paths, found[1])
		}
		verdict.Paths = set(verdict.Paths)
		return verdict, nil
	}
	var written struct {
		Metadata struct{ Namespace, Name string }
	}
	_ = json.Unmarshal(text, &written)
	namespace := ""
	if of.namespaced {
		namespace = written.Metadata.Namespace
		if namespace == "" {
			namespace = "default"
		}
	}
	ctx := genericapirequest.WithNamespace(context.Background(), namespace)
	ctx = genericapirequest.WithRequestInfo(ctx, &genericapirequest.RequestInfo{
		APIGroup: "resource.k8s.io", APIVersion: "v1", Resource: of.name, Namespace: namespace, Verb: "create",
	})
	accessor, err := meta.Accessor(object)
	if err != nil {
		return Verdict{}, err
	}
	rest.FillObjectMetaSystemFields(accessor)
	// As the registry's store does.
	if accessor.GetName() == "" && accessor.GetGenerateName() != "" {
		accessor.SetName(names.SimpleNameGenerator.GenerateName(accessor.GetGenerateName()))
	}
	err = rest.BeforeCreate(of.strategy, ctx, object)
	if err == nil {
		return Verdict{}, nil
	}
	var status *apierrors.StatusError
	if !errors.As(err, &status) || status.ErrStatus.Details == nil {
		return Verdict{}, err
	}
	var verdict Verdict
	for _, cause := range status.ErrStatus.Details.Causes {
		if cause.Field == "" {
			return Verdict{}, fmt.Errorf("%s", cause.Message)
		}
		// Nothing is said of namespaces that nobody knows; and the name that is made from a prefix is as wrong as that.
		if strings.Contains(cause.Message, "could not retrieve namespace") || (cause.Field == "metadata.name" && accessor.GetGenerateName() != "" && written.Metadata.Name == "") {
			continue
		}
		verdict.Paths = append(verdict.Paths, cause.Field)
	}
	verdict.Paths = set(verdict.Paths)
	return verdict, nil
}

func set(paths []string) []string {
	sort.Strings(paths)
	var distinct []string
	for i, path := range paths {
		if i == 0 || path != paths[i-1] {
			distinct = append(distinct, path)
		}
	}
	return distinct
}
