package chat

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/app/entry"
	"github.com/sidestick-dev/sidestick/internal/app/show"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/terminal"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// formats are the values of --output-format.
var formats = []string{"text", "json", "stream-json", "events"}

// inputLinesFormat is the value of --input-format for messages in lines.
const inputLinesFormat = "stream-json"

// begin finds the format of the output, before anything can fail.
func (r *runner) begin() error {
	r.began, r.Once = time.Now(), true
	switch {
	case r.format != "" && !slices.Contains(formats, r.format):
		return cli.NewUsageError(fmt.Errorf("there is no output format %q; --output-format takes %s", r.format, strings.Join(formats, ", ")))
	case r.json && r.format != "" && r.format != "events":
		return cli.NewUsageError(fmt.Errorf("--json is --output-format events, and contradicts --output-format %s: give one of them", r.format))
	case r.json:
		r.format = "events"
	case r.input != "" && r.input != "text" && r.input != inputLinesFormat:
		return cli.NewUsageError(fmt.Errorf("there is no input format %q; --input-format takes text, stream-json", r.input))
	case r.input == inputLinesFormat && r.format != "json" && r.format != "stream-json":
		return cli.NewUsageError(errors.New("--input-format stream-json needs --output-format stream-json or json, which print a result after each answer"))
	}
	if r.format == "json" || r.format == "stream-json" {
		r.script = show.NewScript(r.Sys, r.format == "stream-json")
	}
	return nil
}

// printer prints in the format of the flags.
func (r *runner) printer() show.Printer {
	switch {
	case r.script != nil:
		return r.script
	case r.format == "events":
		return &show.JSON{Out: r.Sys.Stdout}
	}
	sys := r.Sys
	if r.form != nil { // only what fits goes out, at the end
		sys.Stdout = io.Discard
	}
	r.text = show.NewOneAnswer(sys, r.verbose)
	return r.text
}

// opened notes the session for the result.
func (r *runner) opened(ctx context.Context, t *conversation) error {
	if r.script == nil {
		return nil
	}
	s, err := t.client.Session().Snapshot(ctx)
	if err != nil {
		return err
	}
	r.result.Session = s.SessionID
	if s.SelectedModel != nil {
		r.result.Model = *s.SelectedModel
	}
	r.result.Mode = string(s.CurrentMode)
	return r.script.Init(r.result.Session, r.result.Model, r.result.Mode, s.WorkingDirectory)
}

// denials notes requests that no user could answer, for the result.
func (r *runner) denials(list []timeline.Request, rules permit.Rules, b permit.Sandboxing) {
	for _, q := range list {
		r.result.Denials = append(r.result.Denials, show.ResultDenial{
			Kind: q.Kind, Title: q.Title(rules.Folders.Primary), Call: q.ToolCallID, Hint: allowing(q, rules, b).String(),
		})
	}
}

// ending warns of the commands in the background that end with the run.
func (r *runner) ending(ctx context.Context, t *conversation) error {
	for _, i := range entry.EndingCommands(ctx, t.client.Session()) {
		text := entry.EndedText(i, "run")
		r.result.Ended = append(r.result.Ended, show.EndedCommand{Shell: i.Shell, Command: i.Text})
		if err := r.warn(text); err != nil {
			return err
		}
	}
	return nil
}

// warn prints a warning that no event holds.
func (r *runner) warn(text string) error {
	if r.script != nil {
		return r.script.Warn(text)
	}
	_, err := fmt.Fprintln(r.Sys.Stderr, cli.ForScreen(r.Sys.Stderr, "warning: "+text))
	return err
}

// ended prints what follows a run, and returns its error.
func (r *runner) ended(t *conversation, err error) error {
	if err == nil && len(t.unmet.denied) > 0 {
		err = unmetError(t.unmet, r.script == nil)
	}
	err = r.keepAnswer(t, r.overCost(t, err))
	if r.form != nil && r.text != nil && r.result.Structured != nil {
		err = errors.Join(cli.Print(r.Sys.Stdout, string(r.result.Structured)+"\n"), err)
	}
	if r.script != nil {
		r.learn(t)
		return err
	}
	if r.text != nil {
		err = errors.Join(r.text.End(), err)
	}
	hint(r.Options, func() string { return t.shortID(context.Background()) }, t.took)
	return err
}

// overCost is err, or that the run is over because of --max-cost: its last call has exceeded the amount, or its answer was cut
// off there.
func (r *runner) overCost(t *conversation, err error) error {
	if t.Cost == nil {
		return err
	}
	rest, cut := t.Cost.Rest()
	var incomplete cli.IncompleteError
	switch {
	case rest < 0 && err == nil:
		t.Exhausted = fmt.Sprintf("The last call has exceeded --max-cost by %s; the answer is complete", timeline.Dollars(-rest))
	case cut && t.Finish == string(model.FinishLength) && errors.As(err, &incomplete):
		t.Exhausted = "The answer was cut off, because no more was left of --max-cost"
	default:
		return err
	}
	return errors.New(t.Exhausted)
}

// unmetError ends a run whose answer needed calls that were denied. hinted says that a hint has named them.
func unmetError(u unmet, hinted bool) error {
	why := cmp.Or(u.why, "nobody could be asked")
	err := error(cli.DeniedError{Text: fmt.Sprintf("%s was denied, because %s", timeline.OneLine(u.denied[0].Title(""), 2*terminal.Columns), why)})
	if hinted {
		err = cli.Reported(err)
	}
	return err
}

// learn takes over what the run has used.
func (r *runner) learn(t *conversation) {
	r.result.Result = t.reply.String()
	r.result.Turns, r.result.Usage = t.took.turns, show.Usage{In: t.took.in, Out: t.took.out, Cached: t.took.cached, Written: t.took.written}
	if t.took.unpriced == 0 && t.took.turns > 0 {
		cost := t.took.cost
		r.result.Cost = &cost
	}
	if f := t.Failure; f != nil {
		r.result.Error = &show.ResultError{Type: f.Type}
	}
	r.result.FinishReason = t.Finish
	if t.Finish == "" && t.Idle && !t.Aborted && t.Failure == nil && t.Exhausted == "" {
		r.result.FinishReason = "stop"
	}
	if t.Exhausted != "" {
		r.result.Outcome = "exhausted"
	}
}

// reported ends a run for a program: it prints the result, with the error in it, and nothing is printed to
// stderr. In other formats the error is printed there.
func (r *runner) reported(err error) error {
	if r.script == nil || cli.ExitCode(err) == cli.ExitUnread {
		return err
	}
	if !r.printed {
		if printing := r.print(err); printing != nil {
			return printing
		}
	}
	return cli.Reported(err)
}

// print prints the result of a run that has ended with err.
func (r *runner) print(err error) error {
	code := cli.ExitCode(err)
	r.result.ExitCode, r.result.Millis = code, time.Since(r.began).Milliseconds()
	r.result.Subtype, r.result.IsError = "success", err != nil
	if err != nil {
		r.result.Subtype = "error"
		r.fail(err, code)
	} else {
		r.result.Outcome, r.result.Error = "done", nil
	}
	return r.script.End(r.result)
}

// fail fills in why the run has failed.
func (r *runner) fail(err error, code int) {
	if r.result.Error == nil {
		r.result.Error = &show.ResultError{}
		if code == cli.ExitIncomplete {
			r.result.Error.Type = wire.WarningIncomplete
			if incomplete, ok := errors.AsType[cli.IncompleteError](err); ok && incomplete.Type != "" {
				r.result.Error.Type = incomplete.Type
			}
		}
	}
	r.result.Error.Message = r.Secrets.Redact(cli.Message(err))
	switch code {
	case cli.ExitUsage:
		r.result.Outcome = "usage"
	case cli.ExitAborted:
		r.result.Outcome = "aborted"
	case cli.ExitDenied:
		r.result.Outcome = "denied"
	case cli.ExitIncomplete:
		r.result.Outcome = "incomplete"
	default:
		if r.result.Outcome == "" {
			r.result.Outcome = "failed"
		}
	}
	if r.result.Error.Type == "" && r.result.Outcome != "failed" { // a failure without a type has no other name
		r.result.Error.Type = r.result.Outcome
	}
}
