//go:build local

package local

import (
	"fmt"
	"strings"
	"testing"
	"time"

	copilot "github.com/github/copilot-sdk/go"
)

// A conversation of ten prompts grows past the window, and the process is killed before and after that. Each prompt is
// answered or refused by name, each is recorded once, and the session goes on. Window and prompts are a quarter of
// 8,192 and 1,000 tokens, because the server needs minutes for the whole ones.
func TestAWindowIsOutgrownOverARestart(t *testing.T) {
	t.Parallel()
	g := &growing{t: t, m: model(t, modelOptions{Window: 2048, Longest: 30}), home: t.TempDir()}
	g.c = start(t, g.home)
	g.s = create(t, g.c, copilot.SessionConfig{SessionID: "long", Provider: g.m.provider()})
	for range 5 {
		g.ask(filler(250))
	}
	g.restart()
	g.ask(filler(700)) // with which the conversation is longer than the window
	g.restart()
	for range 3 {
		g.ask(filler(250))
	}
	if !g.ask("Say yes.") {
		t.Error("a short prompt was not answered: the session is dead")
	}
	t.Logf("%d of %d prompts were answered", g.answered, g.prompts)
	if g.answered < g.prompts-1 {
		t.Errorf("%d of %d prompts were answered", g.answered, g.prompts)
	}
	g.recordedOnce()
}

// The same with the whole window of 8,192 tokens: ten turns of 1,000 tokens, and the process is killed in the fifth and in the
// ninth, while the model answers. It takes the server many minutes, so it runs only where SIDESTICK_LOCAL_LONG is set.
func TestAWholeWindowIsOutgrown(t *testing.T) {
	if !long() {
		t.Skip("SIDESTICK_LOCAL_LONG is not set: the trial takes many minutes")
	}
	t.Parallel()
	g := &growing{t: t, m: model(t, modelOptions{Longest: 30}), home: t.TempDir()}
	g.c = start(t, g.home)
	g.s = create(t, g.c, copilot.SessionConfig{SessionID: "long", Provider: g.m.provider()})
	for turn := 1; turn <= 10; turn++ {
		began := time.Now()
		ok := turn == 5 || turn == 9
		if ok {
			ok = g.askAndDie(filler(960))
		} else {
			ok = g.ask(filler(960))
		}
		t.Logf("turn %d: answered: %v, after %v; the server has read %d tokens so far", turn, ok, time.Since(began).Round(time.Second), g.m.evaluated())
	}
	if g.answered != g.prompts {
		t.Errorf("%d of %d prompts were answered", g.answered, g.prompts)
	}
	g.recordedOnce()
}

// growing is a session whose process is killed now and then.
type growing struct {
	t                 *testing.T
	m                 *server
	home              string
	c                 *runtime
	s                 *talk
	prompts, answered int
}

// ask sends the next prompt and tells whether it was answered. If not, it must be refused by name.
func (g *growing) ask(text string) (ok bool) {
	g.t.Helper()
	g.prompts++
	answers, errors := len(all[*copilot.AssistantMessageData](g.s)), len(all[*copilot.SessionErrorData](g.s))
	g.s.ask(fmt.Sprintf("Prompt %d. %s", g.prompts, text))
	if len(all[*copilot.AssistantMessageData](g.s)) > answers {
		g.answered++
		return true
	}
	refused := all[*copilot.SessionErrorData](g.s)[errors:]
	if len(refused) == 0 || refused[len(refused)-1].ErrorType != "context_limit" {
		g.t.Errorf("prompt %d was neither answered nor refused by name:\n%s", g.prompts, g.s.told())
	} else {
		g.t.Logf("prompt %d was refused: %s", g.prompts, refused[len(refused)-1].Message)
	}
	return false
}

// askAndDie sends the next prompt, kills the process when the answer begins, and tells whether the next process answers it.
func (g *growing) askAndDie(text string) (ok bool) {
	g.t.Helper()
	g.prompts++
	begun := len(all[*copilot.AssistantMessageDeltaData](g.s))
	g.s.send(fmt.Sprintf("Prompt %d. %s", g.prompts, text))
	await[*copilot.AssistantMessageDeltaData](g.s, begun+1)
	g.restart()
	await[*copilot.SessionIdleData](g.s, 1)
	if len(all[*copilot.AssistantMessageData](g.s)) == 0 {
		g.t.Errorf("prompt %d was not answered after the death of the process:\n%s", g.prompts, g.s.told())
		return false
	}
	g.answered++
	return true
}

// restart kills the process and goes on with the session in another one.
func (g *growing) restart() {
	g.t.Helper()
	g.c.kill()
	g.c = start(g.t, g.home)
	g.s = newTalk(g.t)
	var err error
	if g.s.Session, err = g.c.ResumeSession(soon(g.t), "long", &copilot.ResumeSessionConfig{
		OnEvent: g.s.hear, Streaming: copilot.Bool(true), ContinuePendingWork: copilot.Bool(true), Provider: g.m.provider(), OnPermissionRequest: copilot.PermissionHandler.ApproveAll,
		AvailableTools: []string{}, SystemMessage: &copilot.SystemMessageConfig{Mode: "replace", Content: "You repeat what the user says."},
	}); err != nil {
		g.t.Fatalf("ResumeSession: %v", err)
	}
}

// recordedOnce checks that each prompt is in the log, once.
func (g *growing) recordedOnce() {
	g.t.Helper()
	events, err := g.s.GetEvents(soon(g.t))
	if err != nil {
		g.t.Fatal(err)
	}
	recorded := map[string]int{}
	for _, e := range events {
		if d, ok := e.Data.(*copilot.UserMessageData); ok {
			name, _, _ := strings.Cut(d.Content, ".")
			recorded[name]++
		}
	}
	for i := range g.prompts {
		if name := fmt.Sprintf("Prompt %d", i+1); recorded[name] != 1 {
			g.t.Errorf("%s is recorded %d times", name, recorded[name])
		}
	}
}
