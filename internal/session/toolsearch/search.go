package toolsearch

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/invisible"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/session/offer"
	"github.com/sidestick-dev/sidestick/internal/tool"
)

const (
	results     = 5  // of a search that names no limit
	mostResults = 20 // of one that does
	mostNamed   = 64 // of one by names
	maxSummary  = 300
	maxServers  = 40   // that the description names
	maxNames    = 3000 // bytes of the names of tools in the description
	selecting   = "select:"
)

// The strategies of tool_search.activated.
const (
	byWords = "bm25"
	byNames = "select"
)

// offered is the search tool as it is offered while tools are deferred. One that a client brings is offered as it is.
func offered(search *offer.Tool, deferred []*offer.Tool, sheets *offer.Sheets) *offer.Tool {
	if search.Definition.Origin != tool.Builtin {
		return search
	}
	d := search.Definition
	d.Description += "\n\n" + listing(deferred)
	return sheets.Tool(&finder{d, deferred})
}

// finder is the tool tool_search_tool with the tools that it finds.
type finder struct {
	definition tool.Definition
	deferred   []*offer.Tool
}

// Definition implements [tool.Tool].
func (f *finder) Definition() tool.Definition { return f.definition }

// Run implements [tool.Tool].
func (f *finder) Run(_ context.Context, c tool.Call) tool.Result {
	q, bad := tool.ReadToolQuery(c)
	if bad != nil {
		return *bad
	}
	if list, ok := strings.CutPrefix(strings.TrimSpace(q.Query), selecting); ok {
		return f.selected(list)
	}
	fits := rank(f.deferred, q.Query, min(cmp.Or(max(q.Limit, 0), results), mostResults))
	if len(fits) == 0 {
		return tool.Result{Outcome: tool.Success, Text: "No tool has one of these words. Search with other words, such as synonyms. " + listing(f.deferred)}
	}
	return found(byWords, fits, "")
}

// selected finds tools by their names.
func (f *finder) selected(list string) tool.Result {
	var fits []*offer.Tool
	var missing []string
	for name := range strings.SplitSeq(list, ",") {
		if name = strings.TrimSpace(name); name == "" || len(fits)+len(missing) == mostNamed {
			continue
		}
		i := slices.IndexFunc(f.deferred, func(t *offer.Tool) bool { return called(t, name) })
		if i >= 0 {
			fits = append(fits, f.deferred[i])
			continue
		}
		text := fault.Bounded(name)
		var similar []string
		for _, t := range rank(f.deferred, name, mostSimilar) {
			similar = append(similar, model.WireName(t.Definition.Name))
		}
		if len(similar) > 0 {
			text += " (similar: " + strings.Join(similar, ", ") + ")"
		}
		missing = append(missing, text)
	}
	note := ""
	if len(missing) > 0 {
		note = "No deferred tools have these names: " + strings.Join(missing, "; ") + "."
	}
	if len(fits) == 0 {
		return tool.Result{Outcome: tool.Failure, Text: cmp.Or(note, "Name tools after "+selecting+", with commas between them.")}
	}
	return found(byNames, fits, note)
}

// found is the result of a search.
func found(by string, fits []*offer.Tool, note string) tool.Result {
	r := tool.Result{Outcome: tool.Success, Found: tool.Found{By: by}}
	lines := []string{"These tools can be called now:"}
	for _, t := range fits {
		d := &t.Definition
		r.Found.Names = append(r.Found.Names, d.Name)
		lines = append(lines, "- "+model.WireName(d.Name)+": "+summary(d.Description))
	}
	if note != "" {
		lines = append(lines, note)
	}
	r.Text = strings.Join(lines, "\n")
	return r
}

// summary is the beginning of a description, in one line.
func summary(text string) string {
	text = strings.Join(strings.Fields(invisible.Show(bounded(text))), " ")
	if runes := []rune(text); len(runes) > maxSummary {
		return string(runes[:maxSummary-1]) + "…"
	}
	return text
}

// listing says how many tools each source has, and names some of them.
func listing(deferred []*offer.Tool) string {
	var order []string
	of := map[string][]*offer.Tool{}
	for _, t := range deferred {
		from := "the client"
		if s := t.Definition.Server; s != "" {
			from = "MCP server " + fault.Bounded(s)
		}
		if of[from] == nil {
			order = append(order, from)
		}
		of[from] = append(of[from], t)
	}
	lines := []string{fmt.Sprintf("%d tools can be found:", len(deferred))}
	for i, from := range order {
		if i == maxServers {
			lines = append(lines, fmt.Sprintf("- %d more sources", len(order)-i))
			break
		}
		lines = append(lines, fmt.Sprintf("- %s, %d: %s", from, len(of[from]), some(of[from], maxNames/min(len(order), maxServers))))
	}
	return strings.Join(lines, "\n")
}

// some are the names of the first tools, of at most some bytes.
func some(tools []*offer.Tool, bytes int) string {
	text := ""
	for i, t := range tools {
		name := model.WireName(t.Definition.Name)
		if i > 0 && len(text)+len(name) > bytes {
			return text + ", …"
		}
		if i > 0 {
			text += ", "
		}
		text += name
	}
	return text
}
