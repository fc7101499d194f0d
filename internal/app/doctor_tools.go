package app

import (
	"context"
	"fmt"
	"log/slog"
	"regexp"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/app/wiring"
	"github.com/sidestick-dev/sidestick/internal/config"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/lazy"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/session/provider"
	"github.com/sidestick-dev/sidestick/internal/timeline"
)

// checkToolSet says which set of tools a session would get for the configured model, and why.
func (s *survey) checkToolSet(ctx context.Context, client *model.Client, source wiring.Source) cli.Check {
	ctx, cancel := context.WithTimeout(ctx, checkWait)
	defer cancel()
	setting := s.cfg.ToolSet
	facts := provider.ReadFacts(s.o.Sys.FS, cli.Absolute(s.cfg.Home.Value), slog.New(slog.DiscardHandler))
	defer facts.Stop()
	set, err := provider.New(client, facts, provider.Home{Default: source.Provider}).ForeseeToolSet(ctx, setting.Value, "")
	f := cli.Check{About: "tools", Grade: cli.Good, Is: "all"}
	if set.Small {
		f.Is = "the small set"
	}
	switch {
	case err != nil:
		f.Grade, f.Is = cli.Fair, "which set of tools a run gets is not known: "+fault.Message(err)
	case setting.Value != config.ToolSetAuto:
		f.Is += fmt.Sprintf(", because %s says %q", setting.From, setting.Value)
	case set.Window == 0:
		f.Is += ", because the window of the model is not known"
	default:
		f.Is += fmt.Sprintf(", because the window is %s tokens (%s)", timeline.Count(set.Window), timeline.OneLine(set.Source, 100))
	}
	return f
}

// testTool is the tool that the test call offers.
const testTool = "report"

// writtenCall finds a call of the test tool in a text, in the forms that models write: its name in quotation marks, as
// the value of a tag, or before its arguments. Prose about tools has none of these.
var writtenCall = lazy.Value[*regexp.Regexp]{Make: func() *regexp.Regexp {
	return regexp.MustCompile(`"` + testTool + `"|<(?:function|tool|invoke)[^<>]*\b` + testTool + `\b|\b` + testTool + `\s*(?:\[ARGS\]\s*)?[({]|<` + testTool + `>`)
}}

// sentAsText says how the answer to the test call has called the tool, as the end of a sentence.
func sentAsText(resp *model.Response) string {
	looksSo := writtenCall.Get().MatchString(resp.Text)
	switch {
	case len(resp.ToolCalls) > 0 && !resp.CallsInText:
		return "; it calls tools"
	case resp.CallsInText, looksSo:
		said := "; this server passes tool calls as text"
		if resp.CallsInText {
			said += ", which Sidestick reads"
		}
		return said + ": start llama-server with --jinja, or vLLM with --enable-auto-tool-choice --tool-call-parser NAME"
	}
	return "; it did not call the tool that it was offered"
}
