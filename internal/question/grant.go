package question

import (
	"path/filepath"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/session/approval"
	"github.com/sidestick-dev/sidestick/internal/timeline"
)

// granting describes what an approval beyond this call would allow, "" if it cannot be
// given. The text is made from the rules that the answer then carries, so the two agree.
func granting(o approval.Offer) string {
	var parts []string
	for _, r := range o.Rules {
		parts = append(parts, inWords(r, o.Folders))
	}
	return unbroken(strings.Join(parts, ", "))
}

// unbroken is text that the user decides about in one line, in which every space is seen: a path
// may have line feeds.
func unbroken(text string) string {
	return timeline.ExposedPath(text)
}

// inWords describes what a rule allows.
func inWords(r permit.Rule, p permit.Folders) string {
	switch {
	case r.Kind == permit.Shell && r.Argument != "":
		return `any "` + r.Argument + `"`
	case r.Kind == permit.Shell:
		return "every command that can be analysed, in " + reach(p)
	case r.Kind == permit.Read && r.Argument == "":
		return "reading files in " + reach(p)
	case r.Kind == permit.Write && r.Argument == "":
		return "changing files in " + reach(p)
	case r.Kind == permit.Read:
		return "reading " + r.Argument
	case r.Kind == permit.Write:
		return "changing " + r.Argument
	case r.Kind == permit.URL && r.Argument == "":
		return "every address"
	case r.Kind == permit.URL:
		return "addresses at " + r.Argument
	case r.Kind == permit.MCP:
		server, tool := r.ServerTool()
		if tool == "" {
			return "every tool of the MCP server " + server
		}
		return "the tool " + tool + " of the MCP server " + server
	}
	return "the tool " + r.Argument
}

// reach describes the folders that a rule without a path covers.
func reach(p permit.Folders) string {
	folders := p.All()
	switch {
	case p.Anywhere:
		return "every folder"
	case len(folders) == 1:
		return filepath.Base(folders[0]) + string(filepath.Separator)
	}
	return "the allowed folders"
}
