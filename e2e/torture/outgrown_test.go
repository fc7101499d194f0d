//go:build unix

package torture_test

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	copilot "github.com/github/copilot-sdk/go"

	"github.com/sidestick-dev/sidestick/internal/model/modeltest"
)

const (
	longTurns    = 100
	localWindow  = 8192 // tokens
	turnsAtOnce  = 10   // of a process, which is killed in the last one
	turnBytes    = 2000 // of a prompt, and of its answer: together about 1,000 tokens
	tooLongAt    = 25   // the turn whose prompt is longer than the window
	tokenBytes   = 4
	lifePatience = time.Minute
)

// prompted finds the prompts of this test in a message.
var prompted = regexp.MustCompile(`prompt-(\d+)\.`)

// newestPrompt is the last prompt that the last message of a request has.
func newestPrompt(r *modeltest.Request) string {
	all := prompted.FindAllString(r.Last().Content, -1)
	if len(all) == 0 {
		return ""
	}
	return all[len(all)-1]
}

func wantsSummary(r *modeltest.Request) bool {
	return strings.HasPrefix(r.Last().Content, "Please create a detailed summary")
}

// localModel is a model of a local server: each prompt has its own answer, and every third summary runs until it
// is cut off.
func localModel(turns int) *modeltest.Server {
	var summaries atomic.Int64
	replies := []modeltest.Reply{
		{When: func(r *modeltest.Request) bool { return wantsSummary(r) && summaries.Add(1)%3 == 0 }, Repeat: true, Text: "and so on", Finish: "length"},
		{When: wantsSummary, Repeat: true, Text: "<overview>" + strings.Repeat("So it was. ", 150) + "</overview>"},
	}
	for n := range turns {
		replies = append(replies, modeltest.Reply{
			When: func(r *modeltest.Request) bool { return newestPrompt(r) == promptName(n) }, Repeat: true,
			Text: fmt.Sprintf("answer-%d. ", n) + strings.Repeat("yes ", turnBytes/4), Piece: 200,
		})
	}
	m := modeltest.NewServer(replies...)
	m.SetWindow(localWindow, tokenBytes)
	return m
}

func promptName(n int) string { return fmt.Sprintf("prompt-%d.", n) }

func promptOf(n int) string {
	size := turnBytes
	if n == tooLongAt {
		size = 2 * localWindow * tokenBytes
	}
	return promptName(n) + strings.Repeat(" word", size/5)
}

// outgrowing is a program on the official SDK whose conversation outgrows the window of its model.
type outgrowing struct {
	*program
	said  int          // prompts, of which the last one may not have an answer
	after atomic.Int64 // the server dies with this event from now on; 0: not
	die   func()
}

func (o *outgrowing) hear(copilot.SessionEvent) {
	if o.after.Load() > 0 && o.after.Add(-1) == 0 {
		o.die()
	}
}

func (o *outgrowing) enter(ctx context.Context, c *copilot.Client) (err error) {
	tools := []string{"view", "grep"}
	if o.said == 0 {
		o.session, err = c.CreateSession(ctx, &copilot.SessionConfig{
			SessionID: "s1", Provider: o.provider(), Streaming: copilot.Bool(true), AvailableTools: tools,
			OnPermissionRequest: copilot.PermissionHandler.ApproveAll, OnEvent: o.hear,
		})
		return err
	}
	o.session, err = c.ResumeSession(ctx, "s1", &copilot.ResumeSessionConfig{
		Provider: o.provider(), Streaming: copilot.Bool(true), AvailableTools: tools, ContinuePendingWork: copilot.Bool(true),
		OnPermissionRequest: copilot.PermissionHandler.ApproveAll, OnEvent: o.hear,
	})
	return err
}

// rest waits until the last prompt has its end, and sends it again if the log does not have it: then the server
// had not accepted it when it died.
func (o *outgrowing) rest(ctx context.Context) error {
	for {
		events, err := o.session.GetEvents(ctx)
		if err != nil {
			return err
		}
		ends := endsOf(events)
		switch end, there := ends[promptName(o.said-1)]; {
		case !there:
			_, err := o.session.SendPromptAndWait(ctx, promptOf(o.said-1))
			return err
		case end != "":
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s has neither an answer nor an error", promptName(o.said-1))
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// endsOf returns how each prompt of a log has ended: with its answer, or with the type of its error.
func endsOf(events []copilot.SessionEvent) map[string]string {
	ends, open := map[string]string{}, ""
	for _, e := range events {
		switch d := e.Data.(type) {
		case *copilot.UserMessageData:
			if open = prompted.FindString(d.Content); ends[open] != "" {
				ends[open] += " and asked again"
			} else {
				ends[open] = ""
			}
		case *copilot.AssistantMessageData:
			answer, _, _ := strings.Cut(d.Content, " ")
			ends[open] += answer
		case *copilot.SessionErrorData:
			ends[open] += d.ErrorType
		}
	}
	return ends
}

// life is ten turns, in the last of which the server dies.
func (o *outgrowing) life(proc *process, deadly bool) func(ctx context.Context, c *copilot.Client) error {
	return func(ctx context.Context, c *copilot.Client) error {
		if err := o.enter(ctx, c); err != nil {
			return err
		}
		if o.said > 0 {
			if err := o.rest(ctx); err != nil {
				return err
			}
		}
		for n := 1; n <= turnsAtOnce; n++ {
			o.said++
			if deadly && n == turnsAtOnce {
				o.after.Store(1 + int64(o.said*7/turnsAtOnce)%13)
			}
			_, err := o.session.SendPromptAndWait(ctx, promptOf(o.said-1))
			if err != nil && o.said-1 != tooLongAt && o.after.Load() == 0 && !(deadly && n == turnsAtOnce) {
				return fmt.Errorf("%s: %w", promptName(o.said-1), err)
			}
		}
		if deadly {
			o.die() // if the turn had fewer events
			<-proc.ended
		}
		return nil
	}
}

// A conversation outgrows the window of a local server many times over, while every process is killed in its tenth turn:
// each prompt is recorded once, and answered once, or refused by name if it alone is too long.
func TestAConversationOutgrowsItsWindow(t *testing.T) {
	home, err := os.MkdirTemp("", "torture-")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(home) }() // what is left is in the temporary folder
	model := localModel(longTurns)
	defer model.Close()
	o := &outgrowing{program: &program{model: model, told: map[string]string{}}}
	for life := range longTurns / turnsAtOnce {
		proc := begun(t, home, fault{kind: none})
		o.die = func() { _ = proc.cmd.Process.Kill() } // it may have ended
		deadly := life < longTurns/turnsAtOnce-1
		if err := o.within(lifePatience, proc, o.life(proc, deadly)); err != nil {
			t.Errorf("process %d: %v", life+1, err)
		}
		if !deadly {
			o.check(t, proc)
		}
		proc.kill()
	}
}

// check reads the log, and what the model was asked.
func (o *outgrowing) check(t *testing.T, proc *process) {
	t.Helper()
	err := o.with(proc, func(ctx context.Context, c *copilot.Client) error {
		if err := o.enter(ctx, c); err != nil {
			return err
		}
		events, err := o.session.GetEvents(ctx)
		ends, warned := endsOf(events), 0
		for n := range longTurns {
			want := fmt.Sprintf("answer-%d.", n)
			if n == tooLongAt {
				want = "context_limit"
			}
			if got := ends[promptName(n)]; got != want {
				t.Errorf("%s ended with %q, want %q", promptName(n), got, want)
			}
		}
		for _, e := range events {
			if _, ok := e.Data.(*copilot.SessionWarningData); ok {
				warned++
			}
		}
		refused := 0
		for _, r := range o.model.Requests() {
			if o.model.Counted(&r) >= localWindow {
				refused++
			}
		}
		t.Logf("%d prompts, %d model calls, of which %d were refused as too long; %d warnings", len(ends), len(o.model.Requests()), refused, warned)
		if most := 3 * longTurns / turnsAtOnce; refused > most {
			t.Errorf("%d calls were refused, want at most %d: a few in each process", refused, most)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
