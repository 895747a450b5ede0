// Package celoracle holds dray's CEL against k8s.io/dynamic-resource-allocation/cel and cel-go: the conformance suite
// of cel-spec, and generated expressions on generated devices.
package celoracle

import (
	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/checker"
	resourceapi "k8s.io/api/resource/v1"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/apiserver/pkg/cel/library"
	dracel "k8s.io/dynamic-resource-allocation/cel"
)

// kubernetes is one of the two environments in which Kubernetes compiles selectors.
type kubernetes struct {
	env     *cel.Env
	envType environment.Type
	device  *apiservercel.DeclType
	// attribute is the type of one attribute's value within device.
	attribute *apiservercel.DeclType
}

// features are the gates as 1.37 has them by default.
var features = dracel.Features{EnableConsumableCapacity: true}

// newKubernetes takes the environment out of Kubernetes' own compiler.
func newKubernetes(envType environment.Type, features dracel.Features) *kubernetes {
	compiled := dracel.GetCompiler(features).CompileCELExpression("true", dracel.Options{EnvType: &envType})
	if compiled.Error != nil {
		panic(compiled.Error)
	}
	device, attribute := deviceType(envType, features)
	return &kubernetes{env: compiled.Environment, envType: envType, device: device, attribute: attribute}
}

// deviceType is the declaration of `device` with its sizes, which the compiler keeps to itself; estimates of whole
// selectors are compared with its own, so that a difference shows.
func deviceType(envType environment.Type, features dracel.Features) (device, attribute *apiservercel.DeclType) {
	sized := func(in *apiservercel.DeclType, size uint64) *apiservercel.DeclType {
		out := *in
		out.MaxElements = int64(size)
		return &out
	}
	domain := sized(apiservercel.StringType, resourceapi.DeviceMaxDomainLength)
	id := sized(apiservercel.StringType, resourceapi.DeviceMaxIDLength)
	attribute = sized(apiservercel.DynType,
		max(resourceapi.DeviceAttributeMaxValueLength, resourceapi.ResourceSliceMaxAttributeValuesPerDevice))
	if envType == environment.NewExpressions && !features.EnableListTypeAttributes {
		attribute = sized(apiservercel.AnyType, resourceapi.DeviceAttributeMaxValueLength)
	}
	byDomain := func(value *apiservercel.DeclType) *apiservercel.DeclType {
		const most = resourceapi.ResourceSliceMaxAttributesAndCapacitiesPerDevice
		return apiservercel.NewMapType(domain, apiservercel.NewMapType(id, value, most), most)
	}
	fields := map[string]*apiservercel.DeclField{}
	for name, declared := range map[string]*apiservercel.DeclType{
		"driver":                   sized(apiservercel.StringType, resourceapi.DriverNameMaxLength),
		"allowMultipleAllocations": sized(apiservercel.BoolType, 1),
		"attributes":               byDomain(attribute),
		"capacity":                 byDomain(apiservercel.QuantityDeclType),
	} {
		fields[name] = apiservercel.NewDeclField(name, declared, true, nil, nil)
	}
	return apiservercel.NewObjectType("kubernetes.DRADevice", fields), attribute
}

// EstimateSize walks the declaration along the node's path, as compile.go of the DRA package does.
func (k *kubernetes) EstimateSize(element checker.AstNode) *checker.SizeEstimate {
	path := element.Path()
	if len(path) == 0 || path[0] != "device" {
		return nil
	}
	at := k.device
	for _, name := range path[1:] {
		switch {
		case name == "@items" || name == "@values":
			at = at.ElemType
		case name == "@keys":
			at = at.KeyType
		case at.Fields[name] != nil:
			at = at.Fields[name].Type
		case at.ElemType == k.attribute:
			at = at.ElemType
		default:
			return nil
		}
		if at == nil {
			return nil
		}
	}
	return &checker.SizeEstimate{Max: uint64(at.MaxElements)}
}

// EstimateCallCost leaves all calls to the library.
func (k *kubernetes) EstimateCallCost(string, string, *checker.AstNode, []checker.AstNode) *checker.CallEstimate {
	return nil
}

// compiled is an expression of any type.
type compiled struct {
	errorText, errorType string // if it does not compile
	program              cel.Program
	outputType           string
	maxCost              uint64
}

// compile is CompileCELExpression for any type of result.
func (k *kubernetes) compile(env *cel.Env, expression string) compiled {
	tree, issues := env.Compile(expression)
	if issues != nil {
		return compiled{errorText: "compilation failed: " + issues.String(), errorType: "RuleInvalid"}
	}
	program, err := env.Program(tree, cel.CostLimit(resourceapi.CELSelectorExpressionMaxCost),
		cel.InterruptCheckFrequency(celconfig.CheckFrequency))
	if err != nil {
		return compiled{errorText: "program instantiation failed: " + err.Error(), errorType: "InternalError"}
	}
	estimate, err := env.EstimateCost(tree, &library.CostEstimator{SizeEstimator: k})
	if err != nil {
		return compiled{errorText: "cost estimation failed: " + err.Error(), errorType: "InternalError"}
	}
	return compiled{program: program, outputType: tree.OutputType().String(), maxCost: estimate.Max}
}

// tell adds to a case what compiling gave; whether there is a program.
func (c compiled) tell(one map[string]any) bool {
	if c.program == nil {
		one["compile_error"], one["error_type"] = c.errorText, c.errorType
		return false
	}
	one["type"], one["max_cost"] = c.outputType, c.maxCost
	return true
}
