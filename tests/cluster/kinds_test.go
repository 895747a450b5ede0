package cluster_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// kindRow is one of the table of kinds: group, plural, who keeps it.
var kindRow = regexp.MustCompile(`\{Kind::\w+, "\w+", "([^"]*)",\s*(?:ApiVersions\{[^}]*\}|\w+),\s*"(\w+)",\s*(?:yes|no),\s*KeptBy::(\w+)`)

// watched are the kinds that dray lists and watches, as needs name them; by the table of the core, so that a kind that comes
// to it needs its right here, too.
func watched() string {
	text, err := os.ReadFile(filepath.Join(repository, "include/dray/model/object.h"))
	if err != nil {
		panic(err)
	}
	rows := kindRow.FindAllStringSubmatch(string(text), -1)
	if len(rows) != strings.Count(string(text), "{Kind::") {
		panic("include/dray/model/object.h: rows of the table of kinds have another form")
	}
	var kinds []string
	for _, row := range rows {
		if row[3] != "nobody" {
			kinds = append(kinds, row[1]+"/"+row[2])
		}
	}
	return strings.Join(kinds, " ")
}
