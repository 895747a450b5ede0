package celoracle

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

// Texts that the functions of the library read: quantities, versions, addresses, patterns, formats. Mostly right, now
// and then with something out of place; a fixed list has only the mistakes that somebody thought of.

// texts makes one text of a kind.
type texts func(random *rand.Rand) string

// textOf is what a function's argument is read as: by the function's name and the argument's index.
var textOf = map[string]map[int]texts{
	"quantity": {0: quantityText}, "isQuantity": {0: quantityText}, "semver": {0: semverText}, "isSemver": {0: semverText},
	"ip": {0: addressText}, "isIP": {0: addressText}, "ip.isCanonical": {0: addressText}, "cidr": {0: prefixText},
	"isCIDR": {0: prefixText}, "containsIP": {1: addressText}, "containsCIDR": {1: prefixText}, "url": {0: urlText},
	"isURL": {0: urlText}, "duration": {0: durationText}, "timestamp": {0: timestampText}, "int": {0: numberText},
	"uint": {0: numberText}, "double": {0: numberText}, "bool": {0: truthText}, "bytes": {0: wordText},
	"matches": {0: wordText, 1: patternText}, "find": {0: wordText, 1: patternText}, "findAll": {0: wordText, 1: patternText},
	"format": {0: formatText}, "format.named": {0: formatNameText}, "validate": {1: namedText}, "replace": {0: wordText, 1: shortText},
	"split": {0: wordText, 1: shortText}, "indexOf": {0: wordText, 1: shortText}, "lastIndexOf": {0: wordText, 1: shortText},
	"contains": {0: wordText, 1: shortText}, "startsWith": {0: wordText, 1: shortText}, "endsWith": {0: wordText, 1: shortText},
	"substring": {0: wordText}, "charAt": {0: wordText}, "lowerAscii": {0: wordText}, "upperAscii": {0: wordText},
	"trim": {0: blankText}, "strings.quote": {0: wordText}, "join": {1: shortText},
	"getFullYear": {1: zoneText}, "getMonth": {1: zoneText}, "getDayOfYear": {1: zoneText}, "getDayOfMonth": {1: zoneText},
	"getDate": {1: zoneText}, "getDayOfWeek": {1: zoneText}, "getHours": {1: zoneText}, "getMinutes": {1: zoneText},
	"getSeconds": {1: zoneText}, "getMilliseconds": {1: zoneText},
}

// some repeats a part from `least` to `most` times.
func some(random *rand.Rand, least, most int, part func() string) string {
	var text strings.Builder
	for range least + random.IntN(most-least+1) {
		text.WriteString(part())
	}
	return text.String()
}

// sometimes is a part in one of so many texts.
func sometimes(random *rand.Rand, of int, part string) string {
	if random.IntN(of) == 0 {
		return part
	}
	return ""
}

// blemished is a text with, in one of eight, a character taken out, doubled or replaced.
func blemished(random *rand.Rand, text string) string {
	runes := []rune(text)
	if len(runes) == 0 || random.IntN(8) != 0 {
		return text
	}
	at := random.IntN(len(runes))
	other := pick(random, []string{"", string(runes[at]) + string(runes[at]), " ", ".", "-", "+", ":", "/", "%", "é", "0", "x", "\x00", "٣"})
	return string(runes[:at]) + other + string(runes[at+1:])
}

func digits(random *rand.Rand, most int) string {
	return pick(random, []string{"0", "1", "5", "10", some(random, 1, most, func() string { return strconv.Itoa(random.IntN(10)) })})
}

func quantityText(random *rand.Rand) string {
	text := pick(random, []string{"", "", "", "-", "+"}) + digits(random, 21)
	if random.IntN(3) == 0 {
		text += "." + digits(random, 12)
	}
	suffix := pick(random, []string{"", "", "n", "u", "m", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei",
		"e" + digits(random, 2), "E-" + digits(random, 2), "e+3", "K", "kB", "e", "i", "µ"})
	return blemished(random, text+suffix)
}

func semverText(random *rand.Rand) string {
	part := func() string {
		return pick(random, []string{"0", "1", "2", "10", "01", "18446744073709551616", digits(random, 6)})
	}
	text := sometimes(random, 6, "v") + part() + "." + part() + "." + part()
	switch random.IntN(12) {
	case 0:
		text = text[:strings.LastIndex(text, ".")]
	case 1:
		text += "." + part()
	}
	label := func() string {
		return pick(random, []string{"alpha", "beta", "1", "0", "007", "x-y", "rc1", "", "A", "9z"})
	}
	for _, begin := range []string{"-", "+"} {
		if random.IntN(3) == 0 {
			text += begin + label() + some(random, 0, 2, func() string { return "." + label() })
		}
	}
	return blemished(random, text)
}

func addressText(random *rand.Rand) string {
	octet := func() string {
		return pick(random, []string{"0", "1", "10", "127", "169", "172", "192", "224", "254", "255", "256", "01", ""})
	}
	four := octet() + "." + octet() + "." + octet() + "." + octet()
	group := func() string {
		return pick(random, []string{"0", "1", "db8", "2001", "fe80", "fd00", "ff02", "FFFF", "00", "12345", "g"})
	}
	switch random.IntN(8) {
	case 0, 1, 2:
		return blemished(random, four)
	case 3:
		return blemished(random, "::"+some(random, 0, 2, func() string { return group() + ":" })+four)
	case 4:
		return blemished(random, some(random, 7, 7, func() string { return group() + ":" })+group())
	case 5:
		return pick(random, []string{"10.0.0.1", "127.0.0.1", "169.254.1.1", "224.0.0.1", "192.168.1.1", "::1", "::", "fe80::1", "ff02::1", "2001:db8::1", "::ffff:10.0.0.1", "fe80::1%eth0"})
	}
	return blemished(random, some(random, 0, 3, func() string { return group() + ":" })+":"+
		some(random, 0, 3, func() string { return group() + ":" })+group()+sometimes(random, 10, "%eth0"))
}

func prefixText(random *rand.Rand) string {
	return blemished(random, addressText(random)+"/"+pick(random, []string{"0", "1", "8", "9", "16", "24", "31", "32", "33", "64", "127", "128", "129", "08", "-1", "+8", ""}))
}

func urlText(random *rand.Rand) string {
	scheme := pick(random, []string{"http://", "https://", "https://", "ftp://", "//", "/", "", "mailto:", "HTTP://", "a+b.c-d://", "1a://", ":", "file:///"})
	user := sometimes(random, 5, pick(random, []string{"u@", "u:p@", ":@", "u%40x@", "u v@", "%zz@"}))
	host := pick(random, []string{"a.b", "example.com", "EXAMPLE.com", "[::1]", "[fe80::1%25eth0]", "10.0.0.1", "", "a b", "a%20b", "[::1", "::1", "é.de", "a_b", "a<b"})
	port := sometimes(random, 3, pick(random, []string{":80", ":", ":abc", ":0", ":65536", ":-1", "::"}))
	path := pick(random, []string{"", "/", "/a/b", "/a%2Fb", "/%41", "/%zz", "/a b", "/../x", "//x", "*", "/é", "/a;b", "/:x"})
	query := sometimes(random, 2, "?"+pick(random, []string{"", "a=1", "a=1&a=2&b", "a=%20+", "a;b", "%zz=1", "=x", "&&", "a=b=c", "é=ü", "a=?"}))
	fragment := sometimes(random, 4, "#"+pick(random, []string{"", "f", "a%20b", "%zz", "#"}))
	return blemished(random, scheme+user+host+port+path+query+fragment)
}

func durationText(random *rand.Rand) string {
	part := func() string {
		return digits(random, 8) + sometimes(random, 4, "."+digits(random, 10)) + pick(random, []string{"h", "m", "s", "s", "ms", "us", "µs", "μs", "ns", "d", ""})
	}
	return blemished(random, pick(random, []string{"", "", "", "-", "+"})+some(random, 1, 3, part))
}

func timestampText(random *rand.Rand) string {
	date := pick(random, []string{"2024-02-29", "2023-02-29", "0001-01-01", "9999-12-31", "0000-01-01", "1970-01-01", "2023-13-01", "2023-06-31", "2023-6-1", "10000-01-01"})
	clock := pick(random, []string{"00:00:00", "12:30:15", "23:59:59", "24:00:00", "23:59:60", "1:2:3", "12:30", "12:60:00"})
	fraction := sometimes(random, 3, pick(random, []string{".5", ".123456789", ".1234567891", ".", ",5", ".000"}))
	zone := pick(random, []string{"Z", "Z", "Z", "+02:00", "-23:59", "+24:00", "+2:00", "z", "", "+0200", "-00:00"})
	return blemished(random, date+pick(random, []string{"T", "T", "T", "T", "t", " "})+clock+fraction+zone)
}

func numberText(random *rand.Rand) string {
	return pick(random, []string{
		blemished(random, pick(random, []string{"", "-", "+"})+digits(random, 20)),
		blemished(random, pick(random, []string{"", "-"})+digits(random, 17)+"."+digits(random, 17)+sometimes(random, 3, pick(random, []string{"e5", "E-7", "e+400", "e-400", "e"}))),
		pick(random, []string{"NaN", "nan", "Inf", "inf", "-Infinity", "+infinity", "infinit", "0x1F", "0x1p-2", "1_000", "0b1", "0o7", ".5", "5.", "1e5", " 1", "9223372036854775807", "9223372036854775808", "-9223372036854775808", "18446744073709551615", "18446744073709551616", "1e309", "4.9e-324", ""})})
}

func truthText(random *rand.Rand) string {
	return blemished(random, pick(random, []string{"true", "false", "True", "FALSE", "t", "f", "T", "1", "0", "yes", "tRue", ""}))
}

var letters = []string{"a", "b", "A", "fish", "1", " ", ",", ".", "-", "é", "世", "🐟", "\n", "\\", "\"", "NVIDIA", "K", "ſ", "ß", "İ", "_", "\t"}

func wordText(random *rand.Rand) string {
	return some(random, 0, 6, func() string { return pick(random, letters) })
}

func shortText(random *rand.Rand) string {
	return some(random, 0, 2, func() string { return pick(random, letters[:12]) })
}

func blankText(random *rand.Rand) string {
	blank := func() string {
		return pick(random, []string{" ", "\t", "\u00a0", "\u2003", "\u200b", "\u0085", "\ufeff", "\v", "\f", "\u180e", "\u2028"})
	}
	return some(random, 0, 3, blank) + wordText(random) + some(random, 0, 3, blank)
}

// patternText is a regular expression in Go's syntax.
func patternText(random *rand.Rand) string { return blemished(random, pattern(random, 2)) }

func pattern(random *rand.Rand, depth int) string {
	atom := func() string {
		switch chosen := random.IntN(14); {
		case chosen < 5:
			return pick(random, []string{"a", "b", "A", "fish", "1", "é", "世", " ", ",", "NVIDIA", "k", "s"})
		case chosen < 7:
			return pick(random, []string{".", `\d`, `\D`, `\w`, `\W`, `\s`, `\S`, `\pL`, `\p{Lu}`, `\PN`, `\p{Greek}`, `\p{^Lu}`, `[[:alpha:]]`, `[[:^digit:]]`, `\x41`, `\x{1F41F}`, `\Qa.b\E`, `\n`, `\\`, `\.`, `\pX`, `\q`, `\8`, `\C`})
		case chosen < 8:
			return pick(random, []string{"^", "$", `\b`, `\B`, `\A`, `\z`, `\Z`})
		case chosen < 10:
			inside := func() string {
				return pick(random, []string{"a", "b", "a-z", "A-F", "0-9", `\d`, `\W`, "é", "-", "^", "]", "z-a", "[:alpha:]", "[:nope:]", `\pL`, `\n`, `\-`, "&&"})
			}
			return "[" + sometimes(random, 4, "^") + some(random, 1, 3, inside) + "]"
		case depth > 0:
			return "(" + pick(random, []string{"", "", "?:", "?i:", "?P<n>", "?<m>", "?s-m:", "?U:", "?=", "?P<n", "?i", "?z:", "?P=n"}) + pattern(random, depth-1) + ")"
		}
		return pick(random, []string{"x", "(?i)", "(", ")", "[", "a|b", "()"})
	}
	piece := func() string {
		return atom() + pick(random, []string{"", "", "", "", "*", "+", "?", "*?", "+?", "??", "{2}", "{1,3}", "{0,}", "{2,1}", "{1001}", "{,2}", "**", "{", "{1,3}?"})
	}
	text := some(random, 0, 4, piece)
	if random.IntN(4) == 0 {
		text += "|" + some(random, 0, 2, piece)
	}
	return text
}

func formatText(random *rand.Rand) string {
	clause := func() string {
		return pick(random, []string{"%s", "%s", "%d", "%f", "%e", "%b", "%x", "%X", "%o", "%%", "%." + digits(random, 2) + "f",
			"%." + digits(random, 2) + "e", "%.f", "%z", "%5d", "%-s", "%.2s", "%.3d", "% d", "%"})
	}
	return some(random, 0, 3, func() string { return pick(random, []string{"", "a", " ", "é: ", "{}"}) + clause() }) + sometimes(random, 3, " end")
}

var formatNames = []string{"dns1123Label", "dns1123Subdomain", "dns1035Label", "qualifiedName", "dns1123LabelPrefix",
	"dns1123SubdomainPrefix", "dns1035LabelPrefix", "labelValue", "uri", "uuid", "byte", "date", "datetime"}

func formatNameText(random *rand.Rand) string { return blemished(random, pick(random, formatNames)) }

func namedText(random *rand.Rand) string {
	return pick(random, []string{urlText(random), timestampText(random), wordText(random), blemished(random, pick(random, []string{
		"123e4567-e89b-12d3-a456-426614174000", "123E4567E89B12D3A456426614174000", "aGVsbG8=", "aGVsbG8", "_-8=", "2024-02-29", "2024-02-30",
		"my-label", "-x", "x-", "My.Sub.domain", "my.sub-domain", "a..b", "example.com/name", "example.com/", "/name", "a/b/c", "my_value",
		strings.Repeat("a", 63), strings.Repeat("a", 64), strings.Repeat("a.", 126) + "ab", strings.Repeat("a.", 127), "1a", "a1-", ""}))})
}

func zoneText(random *rand.Rand) string {
	offset := fmt.Sprintf("%s%s:%s", pick(random, []string{"", "+", "-"}), pick(random, []string{"0", "2", "02", "14", "99", "", "x"}), pick(random, []string{"00", "30", "99", "5", "", "y"}))
	return pick(random, []string{offset, offset, blemished(random, pick(random, []string{"UTC", "America/New_York", "Europe/Berlin",
		"Asia/Kathmandu", "Australia/Lord_Howe", "Africa/Casablanca", "America/St_Johns", "Pacific/Apia", "EST5EDT", "Mars", "../x", "/etc", ""}))})
}

// quoted gives a text as a literal of CEL, in one of its forms.
func quoted(random *rand.Rand, text string) string {
	if random.IntN(6) == 0 && !strings.ContainsAny(text, "\"\\\n\r\x00") {
		return `r"` + text + `"`
	}
	mark := pick(random, []string{`"`, `"`, `"`, `'`, `"""`, `'''`})
	var out strings.Builder
	for _, r := range text {
		switch {
		case r == '\\', r == '"', r == '\'':
			out.WriteString("\\" + string(r))
		case r == '\n' && len(mark) == 3 && random.IntN(2) == 0:
			out.WriteRune(r)
		case r == '\n':
			out.WriteString(`\n`)
		case r == '\r' || r == 0 || r < 0x100 && random.IntN(20) == 0:
			fmt.Fprintf(&out, pick(random, []string{`\x%02x`, `\X%02X`, `\%03o`, `\u%04x`, `\U%08x`}), r)
		case random.IntN(40) == 0:
			fmt.Fprintf(&out, `\U%08x`, r)
		default:
			out.WriteRune(r)
		}
	}
	return mark + out.String() + mark
}
