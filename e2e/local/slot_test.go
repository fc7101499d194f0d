//go:build local

package local

import (
	"strings"
	"testing"
	"time"

	copilot "github.com/github/copilot-sdk/go"
)

// filler is text of about n tokens, by the count of this model.
func filler(n int) string {
	const line = "The tide came in at six and the boats went out to the bank. " // 15 tokens
	return strings.Repeat(line, n/15)
}

// In the second turn the server computes only what is new: what Sidestick sends begins with exactly what it has sent
// before. A single byte that differs near the beginning costs people with a slow machine a minute in each turn.
func TestThePrefixIsKept(t *testing.T) {
	t.Parallel()
	m := model(t, modelOptions{Longest: 30})
	s := create(t, start(t, t.TempDir()), copilot.SessionConfig{Provider: m.provider()})
	s.ask(filler(900) + "\nSay yes.")
	first := m.evaluated()
	s.ask("Say it again.")
	second := m.evaluated() - first
	usage := all[*copilot.AssistantUsageData](s)
	if len(usage) != 2 {
		t.Fatalf("the model was called %d times:\n%s", len(usage), s.told())
	}
	prompt, cached := count(usage[1].InputTokens), count(usage[1].CacheReadTokens)
	t.Logf("the server evaluated %d tokens of the first prompt, and %d of the %d of the second", first, second, prompt)
	if first < 800 || prompt < int64(first) {
		t.Errorf("the prompts have %d and %d tokens", first, prompt)
	}
	if second > 120 {
		t.Errorf("the server evaluated %d of the %d tokens of the second prompt: the prefix has changed", second, prompt)
	}
	if cached != prompt-int64(second) {
		t.Errorf("the usage says that %d of %d tokens were kept; the server evaluated %d", cached, prompt, second)
	}
}

// An abort ends the work of the server, which else computes an answer that nobody reads.
func TestAnAbortFreesTheSlot(t *testing.T) {
	t.Parallel()
	m := model(t, modelOptions{Longest: 4000, NeverEnds: true})
	s := create(t, start(t, t.TempDir()), copilot.SessionConfig{
		Provider:      m.provider(),
		SystemMessage: &copilot.SystemMessageConfig{Mode: "replace", Content: "You tell long stories."},
	})
	s.send("Tell the story of a boat.")
	await[*copilot.AssistantMessageDeltaData](s, 3)
	if !m.busy() {
		t.Fatal("the server does not work on the answer that is under way")
	}
	if err := s.Abort(soon(t)); err != nil {
		t.Fatal(err)
	}
	await[*copilot.SessionIdleData](s, 1)
	aborted := time.Now()
	for m.busy() {
		if time.Since(aborted) > 10*time.Second { // the answer takes 40 s on an idle machine, the abort 0.5 s
			t.Fatal("the server still works on an answer that was aborted")
		}
		// Each question to the server is a wait: it answers between two tokens.
	}
	t.Logf("the slot was free %v after the abort", time.Since(aborted).Round(time.Millisecond))
}

// Four sessions of one process call a server that has one slot. It answers one after the other, and nobody fails.
func TestFourSessionsOnOneSlot(t *testing.T) {
	t.Parallel()
	m := model(t, modelOptions{Longest: 40})
	c := start(t, t.TempDir())
	var sessions []*talk
	for range 4 {
		sessions = append(sessions, create(t, c, copilot.SessionConfig{Provider: m.provider()}))
	}
	for i, s := range sessions {
		s.send([]string{"Name a boat.", "Name a port.", "Name a bird.", "Name a wind."}[i])
	}
	for i, s := range sessions {
		await[*copilot.SessionIdleData](s, 1)
		if answers := all[*copilot.AssistantMessageData](s); len(answers) != 1 || answers[0].Content == "" {
			t.Errorf("session %d: there are %d answers:\n%s", i+1, len(answers), s.told())
		}
		if errors := all[*copilot.SessionErrorData](s); len(errors) > 0 {
			t.Errorf("session %d: %s", i+1, s.told())
		}
	}
}
