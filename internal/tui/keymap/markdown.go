package keymap

import (
	"fmt"
	"strings"
)

// Markdown is the table of keys for docs/terminal.md, under a heading for each group.
func (t *Table) Markdown() string {
	var b strings.Builder
	group := ""
	for _, a := range t.actions {
		if a.Group != group {
			group = a.Group
			fmt.Fprintf(&b, "\n### %s\n\n| Key | What it does | Command | Name |\n|---|---|---|---|\n", group)
		}
		fmt.Fprintf(&b, "| %s | %s | %s | `%s` |\n", cells(labels(a.Keys))+a.when(), strings.ReplaceAll(a.Help, "|", `\|`), cells([]string{a.Command}), a.Name)
	}
	return strings.TrimPrefix(b.String(), "\n")
}

// when is what a key needs that works only sometimes.
func (a *Action) when() string {
	if a.Focus == Empty {
		return " (empty box)"
	}
	return ""
}

func labels(keys []string) []string {
	out := make([]string, len(keys))
	for i, k := range keys {
		out[i] = Label(k)
	}
	return out
}

// cells is texts as code, separated by commas.
func cells(texts []string) string {
	var out []string
	for _, t := range texts {
		if t != "" {
			out = append(out, "`"+t+"`")
		}
	}
	return strings.Join(out, ", ")
}
