package initcmd

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/config"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/terminal"
	"github.com/sidestick-dev/sidestick/internal/timeline"
)

// listed is how many models are shown; the others can be typed.
const listed = 12

// model asks which model of a provider to use.
func (g *guide) model(ctx context.Context, from Offer) (string, error) {
	if len(from.Models) == 1 {
		return from.Models[0], nil
	}
	for i, m := range from.Models[:min(listed, len(from.Models))] {
		g.row(number(i+1), timeline.ExposedLine(m, 2*terminal.Columns))
	}
	question := "Which model?"
	if more := len(from.Models) - listed; more > 0 {
		question = fmt.Sprintf("Which model? A number, or a name or a part of it (%d more)", more)
	}
	for {
		answer, err := g.line(ctx, question+" [1]")
		if err != nil {
			return "", err
		}
		found := matching(from.Models, answer)
		switch {
		case len(found) == 1:
			return found[0], nil
		case len(found) == 0:
			g.say("%s has no model %q.", from.Name, timeline.OneLine(answer, terminal.Columns/2))
		default:
			g.say("%d models have that in their names: %s", len(found), strings.Join(found[:min(listed, len(found))], ", "))
		}
	}
}

// matching are the models that an answer can mean: that of a number, that of a name, or those with
// a part of it.
func matching(models []string, answer string) (found []string) {
	if answer == "" {
		return models[:1]
	}
	if n, err := strconv.Atoi(answer); err == nil && n >= 1 && n <= min(listed, len(models)) {
		return models[n-1 : n]
	}
	for _, m := range models {
		if m == answer || strings.HasSuffix(m, ":"+answer) || strings.HasSuffix(m, "#"+answer) {
			return []string{m}
		}
		if strings.Contains(strings.ToLower(m), strings.ToLower(answer)) {
			found = append(found, m)
		}
	}
	return slices.Compact(found)
}

// try calls the model once if the user agrees. It reports whether the choice is to be written.
func (g *guide) try(ctx context.Context, from Offer, model string) (write bool, err error) {
	cost := " It costs a few tokens."
	if from.Local {
		cost = ""
	}
	call, err := g.agree(ctx, "Call "+timeline.ExposedLine(model, terminal.Columns/2)+" once, to see that it works?"+cost, true)
	if err != nil || !call {
		return err == nil, err
	}
	before := g.Flags.Model
	g.Flags.Model = model
	cfg, err := g.Config()
	g.Flags.Model = before
	if err != nil {
		return false, err
	}
	if from.BaseURL != "" {
		cfg.BaseURL = config.Setting[string]{Value: from.BaseURL, From: "your answer"}
	}
	result, err := g.Call(ctx, g.Options, cfg)
	if err == nil {
		g.say("%s.", g.Secrets.Redact(result))
		return true, nil
	}
	if ctx.Err() != nil {
		return false, cli.ErrAborted
	}
	g.say("%s", g.Secrets.Redact(fault.Message(err)))
	if write, err = g.agree(ctx, "Write the settings file all the same?", false); err == nil && !write {
		g.say("Nothing is written.")
	}
	return write, err
}

// set writes one setting.
func (g *guide) set(ctx context.Context, key, value string) error {
	k, _ := config.FindKey(key)
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	_, err = g.editor.Set(ctx, false, k, text, func(config.File) error { return nil })
	if err != nil && fault.KindOf(err) == fault.NotFound { // it has this value
		return nil
	}
	return err
}
