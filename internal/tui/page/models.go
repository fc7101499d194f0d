package page

import (
	"strings"

	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/tui/keymap"
	"github.com/sidestick-dev/sidestick/internal/tui/list"
	"github.com/sidestick-dev/sidestick/internal/tui/row"
)

// Model is a model that a provider offers. Zero values are not known.
type Model struct {
	Name            string // as `-m` takes it; the ID of its entry
	Title           string // the provider's name for people
	Context, Output int64  // in tokens
	In, Out         string // prices in US dollars for a million tokens; "" if not known
	Images, PDFs    bool
	Reasoning       bool
	Efforts         []string
	Ends            string // when it will be switched off
	Note            string
	Selected        bool
}

// Provider is what one provider offers, or why that is not known.
type Provider struct {
	Name, Address string
	Local         bool // found on this machine, and not configured
	Models        []Model
	Asked         bool   // it has answered or failed
	Err           string // why it has not listed its models
}

// Models lets the user choose a model. [SetModels] fills it, also while providers are being asked.
func Models(keys *keymap.Table) *list.List {
	return list.New(list.Config{
		Title: "Models", Enter: "use", Keys: keys,
		Empty:   "No provider is configured. Set a key, such as ANTHROPIC_API_KEY, or start a server such as ollama; sidestick init helps.",
		Columns: []list.Column{{Right: true}, {Right: true}, {Dim: true}, {Dim: true, Most: 30}},
	})
}

// SetModels makes entries of what the providers offer. The model in use is chosen at first.
func SetModels(l *list.List, providers []Provider) {
	var items []list.Item
	waiting, chosen := 0, ""
	for _, p := range providers {
		group := providerTitle(p)
		switch {
		case !p.Asked:
			waiting++
			continue
		case p.Err != "":
			items = append(items, list.Item{ID: "!" + p.Name, Title: line(p.Err), Group: group, Fixed: true, Style: row.Failure})
		case len(p.Models) == 0:
			items = append(items, list.Item{ID: "!" + p.Name, Title: "it lists no models; /model NAME can still name one", Group: group, Fixed: true, Style: row.Dim})
		}
		for _, m := range p.Models {
			items = append(items, modelItem(m, group))
			if m.Selected {
				chosen = m.Name
			}
		}
	}
	first := len(l.Items()) == 0
	l.Loading = ""
	if waiting > 0 {
		l.Loading = "asking " + count(waiting, "provider", "providers") + "…"
	}
	l.Preview = func(id string, width int) []row.Row { return modelPreview(providers, id, width) }
	l.Set(items)
	if first {
		l.Choose(chosen)
	}
}

func providerTitle(p Provider) string {
	title := line(p.Name)
	if p.Address != "" && p.Address != p.Name {
		title += "  " + line(p.Address)
	}
	if p.Local {
		title += "  found on this machine"
	}
	return title
}

func modelItem(m Model, group string) list.Item {
	return list.Item{
		ID: m.Name, Title: line(m.Name), Group: group, Mark: mark(m.Selected),
		Columns: []string{timeline.ShortCount(m.Context), price(m), strings.Join(abilities(m), " "), line(m.Title)}, Search: m.Note,
	}
}

// price is what a million tokens cost, in and out.
func price(m Model) string {
	if m.In == "" && m.Out == "" {
		return ""
	}
	return "$" + line(m.In) + " / $" + line(m.Out)
}

func abilities(m Model) (can []string) {
	if m.Images {
		can = append(can, "images")
	}
	if m.PDFs {
		can = append(can, "PDFs")
	}
	if m.Reasoning || len(m.Efforts) > 0 {
		can = append(can, "reasoning")
	}
	return can
}

func modelPreview(providers []Provider, id string, width int) []row.Row {
	for _, p := range providers {
		m, ok := find(p.Models, id, func(m Model) string { return m.Name })
		if !ok {
			continue
		}
		rows := row.Of(line(m.Name), row.Bold).Wrap(width, nil)
		output := ""
		if m.Output > 0 {
			output = timeline.Count(m.Output) + " tokens"
		}
		window := ""
		if m.Context > 0 {
			window = timeline.Count(m.Context) + " tokens"
		}
		cost := price(m)
		if cost != "" {
			cost += " for a million tokens, in and out"
		}
		rows = append(rows, facts(width, "name", m.Title, "provider", providerTitle(p), "context", window, "output", output, "price", cost,
			"takes", strings.Join(abilities(m), ", "), "reasoning", strings.Join(m.Efforts, ", "), "ends", m.Ends)...)
		if m.Note != "" {
			rows = append(append(rows, nil), paragraphs(m.Note, row.Plain, width)...)
		}
		return rows
	}
	return nil
}
