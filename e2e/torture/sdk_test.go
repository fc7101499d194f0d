//go:build unix

package torture_test

import (
	"context"
	"encoding/json"
	"os"
	"sync"
	"testing"
	"time"

	copilot "github.com/github/copilot-sdk/go"

	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
)

// program is a user's program on the official SDK, and what it was told.
type program struct {
	model   *modeltest.Server
	session *copilot.Session // of the last connection; nil if there is none

	mu   sync.Mutex // guards told
	told map[string]string
}

// hear keeps an event that outlives the process.
func (p *program) hear(e copilot.SessionEvent) {
	if e.Ephemeral != nil && *e.Ephemeral {
		return
	}
	text, err := json.Marshal(e)
	if err != nil {
		text = []byte(err.Error())
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.told[e.ID] = string(text)
}

// known is how many events the program was told of.
func (p *program) known() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.told)
}

// with connects the program to a process, for as long as f takes, which must be less than patience.
func (p *program) with(proc *process, f func(ctx context.Context, c *copilot.Client) error) error {
	return p.within(patience, proc, f)
}

func (p *program) within(limit time.Duration, proc *process, f func(ctx context.Context, c *copilot.Client) error) error {
	if proc.addr == "" {
		return errGone
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	go func() { // nobody answers a client that has left
		select {
		case <-proc.ended:
			cancel()
		case <-ctx.Done():
		}
	}()
	c := copilot.NewClient(&copilot.ClientOptions{Connection: copilot.URIConnection{URL: proc.addr}})
	if err := c.Start(ctx); err != nil {
		return err
	}
	defer p.leave(c)
	return f(ctx, c)
}

// leave ends the connection and then the session, whose goodbye to a process that
// is gone would wait for ever.
func (p *program) leave(c *copilot.Client) {
	c.ForceStop()
	if p.session != nil {
		_ = p.session.Disconnect() // there is nobody to say it to
	}
	p.session = nil
}

// work is what the program does: three prompts, a tool call in each.
func (p *program) work(ctx context.Context, c *copilot.Client) error {
	look := copilot.DefineTool("look", "Looks.", func(struct{}, copilot.ToolInvocation) (string, error) { return "a tree", nil })
	var err error
	p.session, err = c.CreateSession(ctx, &copilot.SessionConfig{
		SessionID: "s1", Provider: p.provider(), Streaming: copilot.Bool(true), Tools: []copilot.Tool{look},
		OnPermissionRequest: copilot.PermissionHandler.ApproveAll, OnEvent: p.hear,
	})
	if err != nil {
		return err
	}
	for range 3 {
		if _, err := p.session.SendPromptAndWait(ctx, "Look."); err != nil {
			return err
		}
	}
	return nil
}

func (p *program) provider() *copilot.ProviderConfig {
	return &copilot.ProviderConfig{BaseURL: p.model.URL() + "/v1", ModelID: "test-model"}
}

// missing comes back and counts what the program was told and does not find.
func (p *program) missing(ctx context.Context, c *copilot.Client) (n int, err error) {
	p.session, err = c.ResumeSession(ctx, "s1", &copilot.ResumeSessionConfig{Provider: p.provider()})
	if err != nil {
		return p.known(), err
	}
	events, err := p.session.GetEvents(ctx)
	if err != nil {
		return p.known(), err
	}
	there := map[string]string{}
	for _, e := range events {
		text, err := json.Marshal(e)
		if err != nil {
			return 0, err
		}
		there[e.ID] = string(text)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for id, text := range p.told {
		if there[id] != text {
			n++
		}
	}
	return n, nil
}

// TestKillsThroughTheOfficialSDK is the measurement in which the reference runtime
// lost 975 told events in 100 kills, and sessions killed in their first 100 ms.
func TestKillsThroughTheOfficialSDK(t *testing.T) {
	ops := killed(t, fault{kind: none}).ops
	told, lost, gone := 0, 0, 0
	for i := range sdkKills {
		l := killed(t, fault{after, 1 + i*len(ops)/sdkKills, 0})
		told += l.told
		lost += l.lost
		if l.gone {
			gone++
		}
	}
	t.Logf("%d kills: %d events were told, %d of them lost; %d sessions gone", sdkKills, told, lost, gone)
	if lost > 0 || gone > 0 {
		t.Errorf("%d events lost, %d sessions gone", lost, gone)
	}
}

// loss is what one kill cost.
type loss struct {
	told, lost int
	gone       bool // the program was told of a session that is not there
	ops        []op
}

// killed has the program work on a process with a fault, and come back to another.
func killed(t *testing.T, f fault) (l loss) {
	t.Helper()
	home, err := os.MkdirTemp("", "torture-")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(home) }() // what is left is in the temporary folder
	model := modeltest.NewServer(
		modeltest.Reply{When: modeltest.LastIs("Look."), Repeat: true, ToolCalls: []modeltest.ToolCall{{Name: "look", Arguments: "{}"}}},
		modeltest.Reply{Repeat: true, Text: "A tree it is."},
	)
	defer model.Close()
	p := &program{model: model, told: map[string]string{}}

	first := begun(t, home, f)
	err = p.with(first, p.work)
	if err != nil && !f.kills() {
		t.Errorf("without a fault: %v", err)
	}
	first.kill()
	l.told, l.ops = p.known(), first.ops
	second := begun(t, home, fault{kind: none})
	err = p.with(second, func(ctx context.Context, c *copilot.Client) (err error) {
		l.lost, err = p.missing(ctx, c)
		return err
	})
	second.kill()
	l.gone = err != nil && l.told > 0
	if l.gone || l.lost > 0 {
		t.Errorf("%s: %d of %d events lost: %v", f, l.lost, l.told, err)
	}
	return l
}
