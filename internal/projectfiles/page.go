package projectfiles

import (
	"fmt"
	"strings"
)

// powers are the words for powers, in the order of their bits.
var powers = []struct {
	power Power
	word  string
}{{Starts, "starts"}, {Grants, "grants"}, {Sends, "sends"}, {Speaks, "speaks"}, {Sets, "sets"}, {Secret, "secret"}}

// String returns the words for what a power is, such as "starts, sends"; "text" for none.
func (p Power) String() string {
	var words []string
	for _, one := range powers {
		if p&one.power != 0 {
			words = append(words, one.word)
		}
	}
	if words == nil {
		return "text"
	}
	return strings.Join(words, ", ")
}

// Markdown returns the table for docs/project-files.md.
func Markdown() string {
	var b strings.Builder
	b.WriteString("| Kind | Where | File | Power | Needs trust in | What it is |\n|---|---|---|---|---|---|\n")
	for _, e := range table {
		power := e.Powers.String()
		if e.Powers == 0 && e.Kind != Instructions {
			power = "data"
		}
		fmt.Fprintf(&b, "| %s | %s | `%s` | %s | %s | %s |\n", e.Kind, e.In, e.Path, power, e.Trust, e.Does)
	}
	return b.String()
}
