package celoracle

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/blang/semver/v4"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"k8s.io/apimachinery/pkg/api/resource"
	apiservercel "k8s.io/apiserver/pkg/cel"
)

// typed is a value in the form of the case files: one key, which is its kind.
func typed(value ref.Val) any {
	one := func(kind string, inner any) any { return map[string]any{kind: inner} }
	text := func() string { return fmt.Sprint(value.ConvertToType(types.StringType).Value()) }
	switch v := value.(type) {
	case types.Null:
		return one("null", nil)
	case types.Bool:
		return one("bool", bool(v))
	case types.Int:
		return one("int", strconv.FormatInt(int64(v), 10))
	case types.Uint:
		return one("uint", strconv.FormatUint(uint64(v), 10))
	case types.Double:
		return one("double", doubleText(float64(v)))
	case types.String:
		if !utf8.ValidString(string(v)) {
			return one("string_b64", base64.StdEncoding.EncodeToString([]byte(v)))
		}
		return one("string", string(v))
	case types.Bytes:
		return one("bytes", base64.StdEncoding.EncodeToString(v))
	case types.Duration:
		return one("duration", text())
	case types.Timestamp:
		return one("timestamp", text())
	case *types.Optional:
		if !v.HasValue() {
			return one("optional", nil)
		}
		return one("optional", typed(v.GetValue()))
	case *types.Type:
		return one("type", v.TypeName())
	case apiservercel.Quantity:
		return one("quantity", decimalText(v.Quantity))
	case apiservercel.Semver:
		return one("semver", v.String())
	case apiservercel.IP:
		return one("ip", v.String())
	case apiservercel.CIDR:
		return one("cidr", v.String())
	case apiservercel.URL:
		return one("url", v.String())
	case apiservercel.Format:
		return one("format", v.Name)
	case *apiservercel.Format:
		return one("format", v.Name)
	case traits.Mapper:
		return one("map", entries(v))
	case traits.Lister:
		return one("list", items(v))
	}
	return native(value)
}

// native is for values that keep their Go type: attributes of a device.
func native(value ref.Val) any {
	switch v := value.Value().(type) {
	case semver.Version:
		return map[string]any{"semver": v.String()}
	case *resource.Quantity:
		return map[string]any{"quantity": decimalText(v)}
	}
	return map[string]any{"opaque": value.Type().TypeName()}
}

func items(list traits.Lister) []any {
	all := []any{}
	for i := range int64(list.Size().(types.Int)) {
		all = append(all, typed(list.Get(types.Int(i))))
	}
	return all
}

// entries are sorted by the JSON of the key: Go's order of a map is no order.
func entries(mapped traits.Mapper) [][2]any {
	all := [][2]any{}
	for it := mapped.Iterator(); it.HasNext() == types.True; {
		key := it.Next()
		all = append(all, [2]any{typed(key), typed(mapped.Get(key))})
	}
	sort.Slice(all, func(i, j int) bool {
		a, _ := json.Marshal(all[i][0])
		b, _ := json.Marshal(all[j][0])
		return string(a) < string(b)
	})
	return all
}

func doubleText(value float64) string {
	switch {
	case math.IsNaN(value):
		return "NaN"
	case math.IsInf(value, 1):
		return "Infinity"
	case math.IsInf(value, -1):
		return "-Infinity"
	}
	return strconv.FormatFloat(value, 'g', -1, 64)
}

// decimalText is the exact amount: `42949672960`, `1.5`; beyond 60 digits `<digits>e<exponent>`.
func decimalText(quantity *resource.Quantity) string {
	copied := quantity.DeepCopy()
	amount := copied.AsDec()
	if amount.Sign() == 0 {
		return "0"
	}
	digits, minus := amount.UnscaledBig().String(), ""
	if rest, negative := strings.CutPrefix(digits, "-"); negative {
		digits, minus = rest, "-"
	}
	exponent := -int(amount.Scale())
	short := strings.TrimRight(digits, "0")
	exponent += len(digits) - len(short)
	digits = short
	if max(len(digits), len(digits)+exponent) > 60 {
		return minus + digits + "e" + strconv.Itoa(exponent)
	}
	if exponent >= 0 {
		return minus + digits + strings.Repeat("0", exponent)
	}
	if places := -exponent; len(digits) <= places {
		digits = strings.Repeat("0", places+1-len(digits)) + digits
	}
	point := len(digits) + exponent
	return minus + digits[:point] + "." + digits[point:]
}
