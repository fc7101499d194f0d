//go:build unix

package torture_test

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	copilot "github.com/github/copilot-sdk/go"

	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
)

const (
	longTurns    = 100
	localWindow  = 8192 // tokens
	turnsAtOnce  = 10   // of a process, which is killed in the last one
	turnBytes    = 2000 // of a prompt, and of its answer: together 1,000 tokens
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

// words is a text of at least that many bytes which does not repeat itself: the answers of a model that do are cut off.
func words(n, bytes int) string {
	var b strings.Builder
	for i := 0; b.Len() < bytes; i++ {
		fmt.Fprintf(&b, "%d-%d ", n, i*i*7919%10_007)
	}
	return b.String()
}

// localModel is a model of a local server: each prompt has its own answer, and two of three summaries run until they
// are cut off. It calls asked with the number of each prompt that it is asked, before it answers.
func localModel(turns int, asked func(n int)) *modeltest.Server {
	var summaries atomic.Int64
	replies := []modeltest.Reply{
		{When: func(r *modeltest.Request) bool { return wantsSummary(r) && summaries.Add(1)%3 != 0 }, Repeat: true, Text: "and so on", Finish: "length"},
		{When: wantsSummary, Repeat: true, Text: "<overview>" + strings.Repeat("So it was. ", 150) + "</overview>"},
	}
	for n := range turns {
		replies = append(replies, modeltest.Reply{
			When: func(r *modeltest.Request) bool {
				mine := newestPrompt(r) == promptName(n)
				if mine {
					asked(n)
				}
				return mine
			},
			Repeat: true, Text: fmt.Sprintf("answer-%d. ", n) + words(n, turnBytes), Piece: 200, Gap: gapOf(n),
		})
	}
	m := modeltest.NewServer(replies...)
	m.SetWindow(localWindow, tokenBytes)
	return m
}

// gapOf is the time between two pieces of an answer: so long that a process dies before the next one, in the turns in
// which one dies, and none in the others.
func gapOf(n int) time.Duration {
	if n%turnsAtOnce == turnsAtOnce-1 {
		return 20 * time.Millisecond
	}
	return 0
}

func promptName(n int) string { return fmt.Sprintf("prompt-%d.", n) }

func promptOf(n int) string {
	size := turnBytes
	if n == tooLongAt {
		size = 2 * localWindow * tokenBytes
	}
	return promptName(n) + " " + words(n, size)
}

// outgrowing is a program on the official SDK whose conversation outgrows the window of its model.
type outgrowing struct {
	*program
	said int // prompts, of which the last one may not have an answer
	// after is with which piece of an answer from now on the server dies; 0: not. atOnce is the prompt, counted from 1,
	// with whose request it dies; 0: none.
	after, atOnce atomic.Int64
	kill          atomic.Pointer[func()] // of the process that runs
}

func (o *outgrowing) hear(e copilot.SessionEvent) {
	if _, piece := e.Data.(*copilot.AssistantMessageDeltaData); piece && o.after.Load() > 0 && o.after.Add(-1) == 0 {
		(*o.kill.Load())()
	}
}

// asked hears of each request.
func (o *outgrowing) asked(n int) {
	if o.atOnce.CompareAndSwap(int64(n+1), 0) {
		(*o.kill.Load())()
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

// endsOf returns how each prompt of a log has ended: with its answer, or with the type of its error. One that is recorded
// twice has its name before that.
func endsOf(events []copilot.SessionEvent) map[string]string {
	ends, open := map[string]string{}, ""
	for _, e := range events {
		switch d := e.Data.(type) {
		case *copilot.UserMessageData:
			open = prompted.FindString(d.Content)
			if _, twice := ends[open]; twice {
				ends[open] += " and again " + open
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

// life is ten turns, in the last of which the server dies: when its model is asked, or when a piece of the answer has come.
func (o *outgrowing) life(proc *process) func(ctx context.Context, c *copilot.Client) error {
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
			last := n == turnsAtOnce
			if life := int64(o.said / turnsAtOnce); last && life%2 == 0 {
				o.atOnce.Store(int64(o.said))
			} else if last {
				o.after.Store(life)
			}
			_, err := o.session.SendPromptAndWait(ctx, promptOf(o.said-1))
			if err != nil && o.said-1 != tooLongAt && !last {
				return fmt.Errorf("%s: %w", promptName(o.said-1), err)
			}
			if err == nil && last {
				return fmt.Errorf("%s was answered, and the server did not die", promptName(o.said-1))
			}
		}
		<-proc.ended
		return nil
	}
}

// A conversation of 100 turns of 1,000 tokens outgrows the window of a local server many times over, while every process is
// killed in its tenth turn: each prompt is recorded once, and answered once, or refused by name if it alone is too long.
func TestAConversationOutgrowsItsWindow(t *testing.T) {
	home, err := os.MkdirTemp("", "torture-")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(home) }() // what is left is in the temporary folder
	o := &outgrowing{program: &program{told: map[string]string{}}}
	o.model = localModel(longTurns, o.asked)
	defer o.model.Close()
	run := func(f func(proc *process) error) {
		proc := begun(t, home, fault{kind: none})
		defer proc.kill()
		kill := func() { _ = proc.cmd.Process.Kill() } // it may have ended
		o.kill.Store(&kill)
		if err := f(proc); err != nil {
			t.Error(err)
		}
	}
	for life := range longTurns / turnsAtOnce {
		run(func(proc *process) error {
			if err := o.within(lifePatience, proc, o.life(proc)); err != nil {
				return fmt.Errorf("process %d: %w", life+1, err)
			}
			if s := proc.cmd.ProcessState.Sys().(syscall.WaitStatus); s.Signal() != syscall.SIGKILL {
				return fmt.Errorf("process %d has ended with %v", life+1, proc.cmd.ProcessState)
			}
			return nil
		})
	}
	run(func(proc *process) error {
		return o.with(proc, func(ctx context.Context, c *copilot.Client) error { return o.check(ctx, t, c) })
	})
}

// check reads the log, and what the model was asked.
func (o *outgrowing) check(ctx context.Context, t *testing.T, c *copilot.Client) error {
	if err := o.enter(ctx, c); err != nil {
		return err
	}
	if err := o.rest(ctx); err != nil {
		return err
	}
	events, err := o.session.GetEvents(ctx)
	if err != nil {
		return err
	}
	ends, bytes, warned := endsOf(events), 0, 0
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
		switch d := e.Data.(type) {
		case *copilot.SessionWarningData:
			if d.WarningType == "context_left_out" {
				warned++
			}
		case *copilot.UserMessageData:
			if prompted.FindString(d.Content) != promptName(tooLongAt) {
				bytes += len(d.Content)
			}
		case *copilot.AssistantMessageData:
			bytes += len(d.Content)
		}
	}
	if tokens := bytes / tokenBytes; tokens < (longTurns-1)*1000 {
		t.Errorf("the conversation has %d tokens, want 1,000 for each turn", tokens)
	}
	asked, refused := o.requests()
	for n := turnsAtOnce - 1; n < longTurns; n += turnsAtOnce {
		if asked[promptName(n)] < 2 {
			t.Errorf("the process did not die while the model was asked for %s: %d requests", promptName(n), asked[promptName(n)])
		}
	}
	if warned == 0 {
		t.Error("no request has left anything out, although summaries have failed")
	}
	t.Logf("%d prompts, with %d tokens but for the longest; %d model calls, of which %d were refused as too long; %d warnings of what is left out",
		len(ends), bytes/tokenBytes, len(o.model.Requests()), refused, warned)
	if most := 3 * longTurns / turnsAtOnce; refused > most {
		t.Errorf("%d calls were refused, want at most %d: a few in each process", refused, most)
	}
	return nil
}

// requests counts how often the model was asked for each prompt, and the requests that were refused as too long.
func (o *outgrowing) requests() (asked map[string]int, refused int) {
	asked = map[string]int{}
	for _, r := range o.model.Requests() {
		if o.model.Counted(&r) >= localWindow {
			refused++
		} else if !wantsSummary(&r) {
			asked[newestPrompt(&r)]++
		}
	}
	return asked, refused
}
