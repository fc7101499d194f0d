package command

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

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

// usage shows what the session has cost.
func (c *Commands) usage(ctx context.Context, _ string) (wire.CommandResult, error) {
	u, err := c.session.Usage(ctx)
	if err != nil {
		return nil, err
	}
	var calls int64
	list := []string{}
	for _, name := range slices.Sorted(maps.Keys(u.ModelMetrics)) {
		m := u.ModelMetrics[name]
		calls += m.Requests.Count
		list = append(list, fmt.Sprintf("%s: calls: %d, tokens in: %d, tokens out: %d", timeline.OneLine(name, widest), m.Requests.Count, m.Usage.InputTokens, m.Usage.OutputTokens))
	}
	changes, err := c.changes(ctx)
	return rows(append([]string{
		fmt.Sprintf("Requests: %d to models, for %d messages of users", calls, u.TotalUserRequests), "Changes: " + changes,
	}, list...), err)
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
