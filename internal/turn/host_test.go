package turn_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/turn"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// host is a session that only records the calls of its methods.
type host struct {
	tools      map[string]tool.Tool
	answer     permit.Answer
	unfinished []turn.Unfinished
	watches    bool           // [turn.Prompt.WatchCalls]
	goesOn     bool           // the answer to [turn.Repeated.Last]
	failAt     wire.EventType // recording this fails

	mu     sync.Mutex
	turns  int
	events []string
	whole  []string // the events of Record as JSON
	used   []turn.Usage
	failed []string
	passed []string // results that After was given
}

func (h *host) Prompt(context.Context) (turn.Prompt, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	p := turn.Prompt{
		TurnID: fmt.Sprint(h.turns), Tools: map[string]turn.Offer{}, ContextTokens: 1000, BytesPerToken: 4, Unfinished: h.unfinished, WatchCalls: h.watches,
		Request: model.Request{Model: "m", Stream: true, Messages: []model.Message{{Role: model.RoleUser, Content: "hi"}}},
	}
	if len(h.unfinished) > 0 {
		h.turns++
	}
	h.unfinished = nil
	for name, t := range h.tools {
		p.Tools[name] = turn.Offer{Tool: t, Schema: tool.NewSchema(t.Definition().Parameters)}
	}
	return p, nil
}

func (h *host) Record(events ...wire.Data) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, e := range events {
		if e.Type() == h.failAt {
			return fault.New(fault.Unavailable, "log", "", "disk full")
		}
		h.events = append(h.events, describe(e))
		body, err := wire.Marshal(e)
		if err != nil {
			return err
		}
		h.whole = append(h.whole, string(body))
	}
	return nil
}

func (h *host) Begin(string) (string, error) {
	h.mu.Lock()
	id := fmt.Sprint(h.turns)
	h.turns++
	h.mu.Unlock()
	return id, h.Record(&wire.AssistantTurnStart{TurnID: id})
}

func (h *host) note(s string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.events = append(h.events, s)
}

func (h *host) Emit(d wire.Data) { h.note("  " + describe(d)) }

func (h *host) Delta(t wire.EventType, _, text, name string) {
	h.note(strings.TrimRight("  "+string(t)+" "+text+" "+name, " "))
}

func (h *host) Progress(int64, bool) {}

func (h *host) Used(u turn.Usage) { h.used = append(h.used, u) }

func (h *host) CallFailed(c tool.Call, why string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.failed = append(h.failed, c.Name+": "+why)
}

func (h *host) Before(context.Context, tool.Call) turn.Hooked { return turn.Hooked{} }

func (h *host) After(_ context.Context, c tool.Call, res tool.Result) tool.Result {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.passed = append(h.passed, fmt.Sprintf("%s %s %s", c.Name, c.Arguments, res.Outcome))
	return res
}

func (h *host) Repeats(_ context.Context, r turn.Repeated) (bool, error) {
	h.note(fmt.Sprintf("repeats %s %d %v", strings.Join(r.Tools, ","), r.Times, r.Last))
	return !r.Last || h.goesOn, nil
}

func (h *host) Stopping(context.Context) (bool, error) { return false, nil }

func (h *host) Ask(context.Context, *permit.Request, *tool.Call) tool.Permission {
	return tool.Permission{Answer: h.answer}
}

// describe returns an event as one line: its type and the fields that these tests compare.
func describe(d wire.Data) string {
	d = wire.Plain(d)
	switch d := d.(type) {
	case *wire.AssistantMessage:
		return fmt.Sprintf("%s %s (%d calls)", d.Type(), d.Content, len(d.ToolRequests))
	case *wire.ToolStart:
		args, _ := json.Marshal(d.Arguments)
		return fmt.Sprintf("%s %s %s", d.Type(), d.ToolName, args)
	case *wire.ToolComplete:
		switch {
		case d.ShellExecution != nil:
			return fmt.Sprintf("%s %s (%d)", d.Type(), d.Result.Content, d.ShellExecution.ExitCode)
		case d.Success:
			return fmt.Sprintf("%s %s", d.Type(), d.Result.Content)
		}
		return fmt.Sprintf("%s %s: %s", d.Type(), *d.Error.Code, d.Error.Message)
	case *wire.AssistantTurnStart:
		return fmt.Sprintf("%s %s", d.Type(), d.TurnID)
	case *wire.AssistantTurnEnd:
		return fmt.Sprintf("%s %s", d.Type(), d.TurnID)
	case *wire.SessionUsageInfo:
		return fmt.Sprintf("%s %d of %d", d.Type(), d.CurrentTokens, d.TokenLimit)
	}
	return string(d.Type())
}

// models answers one function after the other.
type models []func(ctx context.Context, onDelta func(model.Delta)) (*model.Response, error)

func (m *models) Stream(ctx context.Context, _ model.Request, onDelta func(model.Delta)) (*model.Response, error) {
	next := (*m)[0]
	*m = (*m)[1:]
	return next(ctx, onDelta)
}

func says(r model.Response) func(context.Context, func(model.Delta)) (*model.Response, error) {
	return func(_ context.Context, onDelta func(model.Delta)) (*model.Response, error) {
		if r.Text != "" {
			onDelta(model.Delta{Kind: model.DeltaText, Text: r.Text})
		}
		return &r, nil
	}
}

// fn is a tool made of a function.
type fn struct {
	def tool.Definition
	run func(ctx context.Context, c tool.Call) tool.Result
}

func (f fn) Definition() tool.Definition { return f.def }

func (f fn) Run(ctx context.Context, c tool.Call) tool.Result { return f.run(ctx, c) }

func calls(names ...string) model.Response {
	r := model.Response{}
	for i, n := range names {
		r.ToolCalls = append(r.ToolCalls, model.ToolCall{ID: fmt.Sprint("c", i), Name: n, Arguments: `{"z":1,"a":2}`})
	}
	return r
}
