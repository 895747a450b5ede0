package celoracle

import (
	"math/rand/v2"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	apiservercel "k8s.io/apiserver/pkg/cel"
)

// scalarTypes are the types that expressions are made for; lists, maps and optionals are made of them.
var scalarTypes = []*types.Type{types.BoolType, types.IntType, types.UintType, types.DoubleType, types.StringType,
	types.BytesType, types.DurationType, types.TimestampType, apiservercel.QuantityType, apiservercel.SemverType,
	types.NullType}

// commonTypes are what selectors deal with, more often than with others.
var commonTypes = []*types.Type{types.BoolType, types.IntType, types.StringType, apiservercel.QuantityType,
	apiservercel.SemverType}

// literals are texts of each type, with those at the edges; some do not compile, some fail at run time.
var literals = map[string][]string{
	"bool": {"true", "false"},
	"int": {"0", "1", "2", "-1", "5", "7", "42", "-3", "100", "0x1F", "9223372036854775807", "-9223372036854775808",
		"4294967296", "-0x8000000000000000", "00", "9007199254740993"},
	"uint": {"0u", "3U", "1u", "2u", "5u", "42u", "18446744073709551615u", "0xFFu"},
	"double": {"0.0", "-0.0", ".5", "1e+2", "4.9e-324", "1.0", "-1.5", "2.5", "1e3", "1e-7", "1e21", "9007199254740993.0", "9223372036854775807.0",
		"-9223372036854775808.0", "1.7976931348623157e308", "double('NaN')", "double('Infinity')", "0.1"},
	"string": {`""`, `"a"`, `"fish"`, `"b"`, `'x'`, `"abc abc"`, `"héllo"`, `"世界"`, `"🐟"`, `r"a\b"`, `"a\nb"`, `"\u00e9"`,
		`"""tri"""`, `" trim "`, `"A"`, `"1.2.3"`, `"40Gi"`, `"d.io"`, `"5"`, `"-7"`, `"1.5"`, `"true"`, `"10.0.0.1"`,
		`"10.0.0.0/8"`, `"https://a.b:80/c?d=e#f"`, `"2024-02-29T12:30:00Z"`, `"1h30m"`, `"a,b,c"`, `"NVIDIA A100"`, `"\x00"`},
	"bytes":                     {`b""`, `b"a"`, `B'é'`, `rb"\x"`, `b"""x"""`, `b"\xff"`, `b'fish'`, `b"\377\000"`},
	"google.protobuf.Duration":  {`duration("1h")`, `duration("-1.5s")`, `duration("0s")`, `duration("1h2m3s4ms")`, `duration("5us")`},
	"google.protobuf.Timestamp": {`timestamp("2024-02-29T12:30:15Z")`, `timestamp("1970-01-01T00:00:00Z")`, `timestamp("0001-01-01T00:00:00Z")`, `timestamp("9999-12-31T23:59:59.999Z")`, `timestamp(0)`, `timestamp("2023-06-30T23:00:00.123456789+02:00")`},
	"kubernetes.Quantity":       {`quantity("40Gi")`, `quantity("1")`, `quantity("1500m")`, `quantity("0")`, `quantity("-1")`, `quantity("1e3")`, `quantity("9223372036854775807")`, `quantity("100000000000000000000")`, `quantity("1n")`, `quantity("0.5Ki")`},
	"kubernetes.Semver":         {`semver("1.2.3")`, `semver("0.0.1")`, `semver("1.2.3-alpha.1+b")`, `semver("v1.02", true)`, `semver("550.54.15")`, `semver("1.2.3-2")`},
	"kubernetes.URL":            {`url("https://a.b:80/c?d=e&d=f#g")`, `url("/path only")`, `url("http://[::1]:8080")`, `url("https://u@h/%41")`},
	"kubernetes.NamedFormat":    {`format.dns1123Label()`, `format.uuid()`, `format.uri()`, `format.date()`},
	"net.IP":                    {`ip("10.0.0.1")`, `ip("::1")`, `ip("127.0.0.1")`, `ip("fe80::1")`, `ip("0.0.0.0")`, `ip("2001:db8::1")`, `ip("224.0.0.1")`},
	"net.CIDR":                  {`cidr("10.0.0.0/8")`, `cidr("10.1.2.3/16")`, `cidr("2001:db8::/32")`, `cidr("0.0.0.0/0")`, `cidr("::1/128")`},
	"null_type":                 {"null"},
	"dyn":                       {"dyn(1)", "dyn('a')", "dyn(true)", "dyn([1])", "dyn({'a': 1})", "dyn(null)", "dyn(1.0)", "dyn(1u)", "dyn(b'x')", "dyn(quantity('1'))", "dyn([])", "dyn(semver('1.2.3'))"},
	"type":                      {"int", "string", "type(1.0)", "bool", "list", "map", "type(device)", "null_type", "uint", "double", "bytes", "type", "net.IP", "type(quantity('1'))"},
}

// brokenLiterals are of their type and fail, when compiling or when run.
var brokenLiterals = map[string][]string{
	"int":                       {"9223372036854775808", `int("bad")`, "int(1e20)", "1 / 0"},
	"uint":                      {"18446744073709551616u", "uint(-1)", `uint("x")`},
	"double":                    {"1e999", `double("x")`},
	"string":                    {`"\q"`, `string(b"\xff")`, `"a" + 1`, `"\ud800"`, `"\U00110000"`, `'a`},
	"bool":                      {`bool("maybe")`, "nope", "1 / 0 > 1", "device.nope"},
	"google.protobuf.Duration":  {`duration("1d")`, `duration(device.driver)`},
	"google.protobuf.Timestamp": {`timestamp("now")`, `timestamp(device.driver)`},
	"kubernetes.Quantity":       {`quantity("40GB")`, `quantity("")`, `quantity(device.driver)`},
	"kubernetes.Semver":         {`semver("1.2")`, `semver("v1.2.3")`, `semver("01.2.3")`, `semver(device.driver)`},
	"kubernetes.URL":            {`url("relative")`, `url("ht!tp://x")`},
	"net.IP":                    {`ip("10.0.0.256")`, `ip("::ffff:1.2.3.4")`, `ip("fe80::1%eth0")`, `ip("010.0.0.1")`},
	"net.CIDR":                  {`cidr("10.0.0.0")`, `cidr("10.0.0.0/33")`, `cidr("::ffff:1.2.3.4/100")`},
	"dyn":                       {"undeclared", "dyn(1) / 0", "dyn({}).x", "dyn([])[0]"},
	"bytes":                     {`bytes(1)`},
}

// simplest are what a shrunk expression may become, by its type.
func simplest(kind *types.Type) []string {
	switch {
	case kind == nil:
		return nil
	case kind.Kind() == types.ListKind:
		return []string{"[]", "[1]"}
	case kind.Kind() == types.MapKind:
		return []string{"{}", "{'a': 1}"}
	case isOptional(kind):
		return []string{"optional.none()", "optional.of(1)"}
	}
	all := literals[kind.TypeName()]
	return all[:min(3, len(all))]
}

func pick[T any](random *rand.Rand, all []T) T { return all[random.IntN(len(all))] }

// randomType is one that a variable, an element or a result may have.
func randomType(random *rand.Rand, depth int) *types.Type {
	switch chosen := random.IntN(12); {
	case chosen < 5:
		return pick(random, commonTypes)
	case chosen < 8 || depth <= 0:
		return pick(random, scalarTypes)
	case chosen == 8:
		return types.DynType
	case chosen == 9:
		return cel.OptionalType(randomType(random, depth-1))
	case chosen == 10:
		return types.NewMapType(pick(random, []*types.Type{types.StringType, types.IntType, types.BoolType, types.UintType}),
			randomType(random, depth-1))
	}
	return types.NewListType(randomType(random, depth-1))
}

func isOptional(kind *types.Type) bool {
	return kind.Kind() == types.OpaqueKind && kind.TypeName() == "optional_type"
}
