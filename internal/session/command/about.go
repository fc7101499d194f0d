package command

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/export"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// rows is the result of a command that shows rows.
func rows(list []string, err error) (wire.CommandResult, error) {
	if err != nil {
		return nil, err
	}
	return &wire.CommandText{Text: strings.Join(list, "\n") + "\n"}, nil
}

// pair is a row of a name and a text.
func pair(name, text string) string { return "  " + timeline.Pad(name, 14) + text }

// widest bounds a text of a user or of a file in a row, in columns.
const widest = 200

// window shows what fills the window of the model.
func (c *Commands) window(ctx context.Context, _ string) (wire.CommandResult, error) {
	parts, of, err := c.session.Window(ctx)
	list := []string{}
	for _, p := range parts {
		list = append(list, "  "+p)
	}
	return rows(append(list, "  of "+of+", estimated; /compact summarizes the conversation"), err)
}

// usage shows what the session has used since it was opened: money and tokens, in all and for each model.
func (c *Commands) usage(ctx context.Context, _ string) (wire.CommandResult, error) {
	u, err := c.session.Usage(ctx)
	if err != nil {
		return nil, err
	}
	changes, err := c.changes(ctx)
	if err != nil {
		return nil, err
	}
	var calls int64
	var models, unpriced []string
	for _, name := range slices.Sorted(maps.Keys(u.ModelMetrics)) {
		m, shown := u.ModelMetrics[name], timeline.OneLine(name, widest)
		calls += m.Requests.Count
		if m.Requests.Cost == 0 {
			unpriced = append(unpriced, shown)
		}
		models = append(append(models, shown), used(m)...)
	}
	cost := timeline.Dollars(u.TotalPremiumRequestCost)
	switch {
	case u.TotalPremiumRequestCost == 0:
		cost = "not known: no model that was called has a known price"
	case len(unpriced) > 0:
		cost += ", without " + strings.Join(unpriced, ", ") + ": the price is not known"
	}
	list := []string{"Since the session was opened:", pair("model calls", fmt.Sprintf("%s, for %s", timeline.Count(calls), timeline.Plural(int(u.TotalUserRequests), "message")))}
	if calls > 0 {
		list = append(list, pair("cost", cost))
	}
	if credits := wire.OrZero(u.TotalNanoAiu); credits > 0 {
		list = append(list, pair("AI credits", fmt.Sprintf("%.2f", credits/1e9)+", in all processes"))
	}
	return rows(append(append(list, pair("changes", changes)), models...), nil)
}

// used are the rows about one model.
func used(m wire.UsageModel) []string {
	if m.Usage.InputTokens+m.Usage.OutputTokens == 0 {
		return []string{pair("calls", timeline.Count(m.Requests.Count)+"; the provider does not count tokens")}
	}
	in := timeline.Count(m.Usage.InputTokens)
	if m.Usage.CacheReadTokens > 0 {
		in += ", " + timeline.Count(m.Usage.CacheReadTokens) + " of them from the cache"
	}
	if m.Usage.CacheWriteTokens > 0 {
		in += "; " + timeline.Count(m.Usage.CacheWriteTokens) + " written to the cache"
	}
	out := timeline.Count(m.Usage.OutputTokens)
	if n := wire.OrZero(m.Usage.ReasoningTokens); n > 0 {
		out += ", " + timeline.Count(n) + " of them reasoning"
	}
	list := []string{pair("calls", timeline.Count(m.Requests.Count)), pair("tokens in", in), pair("tokens out", out)}
	if m.Requests.Cost > 0 {
		list = append(list, pair("cost", timeline.Dollars(m.Requests.Cost)))
	}
	return list
}

// changes counts what tools have changed.
func (c *Commands) changes(ctx context.Context) (string, error) {
	files, unknown, err := c.session.Changed(ctx)
	if unknown != "" || err != nil {
		return "not known: " + unknown, err
	}
	var added, removed int64
	for _, f := range files {
		added += f.LinesAdded
		removed += f.LinesRemoved
	}
	return fmt.Sprintf("%d files, +%d -%d lines", len(files), added, removed), nil
}

// rename gives the session another title; without one it says which it has.
func (c *Commands) rename(ctx context.Context, title string) (wire.CommandResult, error) {
	if err := c.session.SetName(ctx, title); err != nil {
		return nil, err
	}
	return said("the session is now called: %s", timeline.OneLine(title, widest)), nil
}

// cwd shows the working directory, or changes it.
func (c *Commands) cwd(ctx context.Context, dir string) (wire.CommandResult, error) {
	if dir == "" {
		at, err := c.session.Cwd(ctx)
		return rows([]string{timeline.ExposedPath(at)}, err)
	}
	at, err := c.session.SetWorkingDirectory(ctx, dir)
	if err != nil {
		return nil, err
	}
	return said("the session now works in %s", timeline.ExposedPath(at)), nil
}

// status shows where messages go, and what the session works with.
func (c *Commands) status(ctx context.Context, _ string) (wire.CommandResult, error) {
	model, window, err := c.session.Destination(ctx)
	if err != nil {
		return nil, err
	}
	title, err := c.session.Name(ctx)
	if err != nil {
		return nil, err
	}
	cwd, err := c.session.Cwd(ctx)
	if err != nil {
		return nil, err
	}
	servers, err := serverStates(ctx, c.session.Servers())
	if err != nil {
		return nil, err
	}
	mode, err := c.session.Mode(ctx)
	if err != nil {
		return nil, err
	}
	box, err := c.session.Permissions().Sandbox(ctx)
	sandbox := "off"
	if box.On {
		sandbox = strings.TrimSuffix("on; "+box.Why, "; ")
	}
	list := []string{}
	for _, row := range [][2]string{
		{"model", timeline.OneLine(model, 4*widest)},
		{"window", window},
		{"mode", string(mode)},
		{"folder", timeline.ExposedPath(cwd)},
		{"sandbox", sandbox},
		{"servers", servers},
		{"title", timeline.OneLine(title, widest)},
		{"session", c.id},
	} {
		if row[1] != "" {
			list = append(list, "  "+timeline.Pad(row[0], 9)+row[1])
		}
	}
	return rows(list, err)
}

// serverStates says how many MCP servers the session has, and how many are in each state.
func serverStates(ctx context.Context, servers Servers) (string, error) {
	got, err := servers.List(ctx)
	if err != nil || len(got.Servers) == 0 {
		return "none", err
	}
	counts := map[string]int{}
	for _, m := range got.Servers {
		counts[string(m.Status)]++
	}
	text := ""
	for _, state := range slices.Sorted(maps.Keys(counts)) {
		text += fmt.Sprintf("%d %s, ", counts[state], timeline.OneLine(state, 20))
	}
	return text + "/mcp lists them", nil
}

// share shows the session as a text in a format.
func (c *Commands) share(ctx context.Context, format string) (wire.CommandResult, error) {
	format = cmp.Or(format, export.Formats[0])
	if !slices.Contains(export.Formats, format) {
		return nil, c.invalid("share", format, strings.Join(export.Formats, " or "))
	}
	var text strings.Builder
	err := c.session.Export(ctx, format, &text)
	return &wire.CommandText{Text: text.String(), Markdown: wire.Optional(format == export.Formats[0])}, err
}

// sandbox shows whether commands run in a sandbox. Only the user at a terminal changes that by a command: programs send
// their configuration.
func (c *Commands) sandbox(ctx context.Context, arg string) (wire.CommandResult, error) {
	if arg != "" && arg != "status" {
		return nil, c.invalid("sandbox", arg, "status; other arguments work only in sidestick chat, and programs send sandboxConfig with session.options.update")
	}
	s, err := c.session.Permissions().Sandbox(ctx)
	if err != nil {
		return nil, err
	}
	list := []string{"the sandbox is off: commands run outside of it, after a yes or by a rule"}
	if s.On {
		list = []string{"the sandbox is on", pair("reading", yes(s.ReadOnly)), pair("writing", yes(s.Workspace && !s.NoWrites))}
	}
	if s.Why != "" {
		list = append(list, pair("why", timeline.OneLine(s.Why, 4*widest)))
	}
	return rows(list, nil)
}

// yes says whether commands of a kind run in the sandbox.
func yes(works bool) string {
	if works {
		return "commands run in it"
	}
	return "commands do not run in it"
}
