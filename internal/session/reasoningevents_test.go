package session_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/session/registry"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// amongVendors runs a test with a session on the model of a vendor.
func amongVendors(t *testing.T, answers func(n int, r *asked) said, f func(d *desk, v *vendors)) {
	t.Helper()
	v := &vendors{t: t, answers: answers}
	bubble(t, &desk{fs: vfs.NewMem(), calls: v, opts: registry.Options{Named: vendorNamed}}, func(d *desk) { f(d, v) })
}

// looks answers each message with a call of "look" and, once that has a result, with a text.
func looks(n int, r *asked) said {
	for i := len(r.parts) - 1; i >= 0 && !r.parts[i].model; i-- {
		if strings.Contains(r.parts[i].json, "seen it") {
			return said{text: "It is there."}
		}
	}
	return said{text: "I look.", calls: []model.ToolCall{{ID: fmt.Sprint("call_", n), Name: "look", Arguments: `{"q": "<it>"}`}}}
}

// ask sends a message that is answered by looks, and gives the call its result.
func (s *seat) ask(prompt string) {
	s.d.t.Helper()
	s.send(prompt)
	s.answer(`"result":"seen it"`)
	s.until("session.idle")
}

// Clients see the same of reasoning in every dialect: pieces as they arrive, then the whole before
// the message, and how many tokens it was. The effort that they choose arrives at the model.
func TestReasoningInEveryDialect(t *testing.T) {
	for _, v := range theVendors() {
		t.Run(v.name, func(t *testing.T) {
			amongVendors(t, looks, func(d *desk, models *vendors) {
				cfg := tools("look")
				cfg.Model, cfg.ReasoningEffort = v.id(), "low"
				s := d.create(cfg)
				if err := s.s.Settings().SetReasoningEffort(context.Background(), "high"); err != nil {
					t.Fatal(err)
				}
				s.ask("Look.")
				if body := models.request(0).body; !strings.Contains(body, v.effort) {
					t.Errorf("the request does not ask for %s:\n%s", v.effort, body)
				}
				checkReasoning(t, s.told, thought(0))
				first := last(t, s.told[:len(s.told)/2], "assistant.message")
				if got := field(first, "reasoningText"); got != thought(0) {
					t.Errorf("reasoningText is %q", got)
				}
				if got := field(first, "encryptedContent"); v.name == "responses" && got != sign(0) {
					t.Errorf("encryptedContent is %q", got)
				}
				if got := string(first.Data); v.sealed != strings.Contains(got, `"reasoningOpaque":`) && v.dialect != "gemini" {
					t.Errorf("the opaque part is missing, or too much: %s", got)
				}
			})
		})
	}
}

// checkReasoning checks the events of the first reasoning of a run.
func checkReasoning(t *testing.T, events []wire.Event, want string) {
	t.Helper()
	text, id, deltas := "", "", 0
	for _, e := range events {
		switch e.Type {
		case "assistant.reasoning_delta":
			text, id = text+field(e, "deltaContent"), field(e, "reasoningId")
			deltas++
		case "assistant.reasoning":
			if got := field(e, "content"); got != want || text != want {
				t.Errorf("the reasoning is %q, its pieces are %q, want %q", got, text, want)
			}
			if field(e, "reasoningId") != id || deltas != 2 {
				t.Errorf("%d pieces of %s, the whole is %s", deltas, id, field(e, "reasoningId"))
			}
		case "assistant.message":
			if deltas == 0 {
				t.Error("the message comes before its reasoning")
			}
		case "assistant.usage":
			if n := field(e, "reasoningTokens"); n != "7" {
				t.Errorf("%s tokens of reasoning, want 7", n)
			}
			return
		}
	}
	t.Error("no report of what the call cost")
}

// A model that does not take an effort, or a provider that has no choice of summaries, is named in
// a warning, once, and answers all the same.
func TestAnEffortThatAModelDoesNotTake(t *testing.T) {
	for name, tc := range map[string]struct {
		model, effort, summary string
		want                   string // in the warning; "" for none
		sent                   string // not in the request
	}{
		"taken":                     {"anthropic:claude-opus-5-5", "max", "", "", "no request has this"},
		"taken by Claude since 4.7": {"anthropic:claude-opus-5-5", "xhigh", "", "", "no request has this"},
		"another word is sent":      {"gemini:gemini-4-argon", "xhigh", "", `The model gemini:gemini-4-argon has no reasoning effort "xhigh". It was asked for "high", the nearest that it has.`, `"xhigh"`},
		"Claude cannot stop":        {"anthropic:claude-opus-5-5", "none", "", `The model anthropic:claude-opus-5-5 does not take the reasoning effort "none"`, `"effort"`},
		"an older Claude":           {"anthropic:claude-sonnet-4-5", "much", "", `does not take the reasoning effort "much"`, `"budget_tokens"`},
		"Gemini cannot stop":        {"gemini:gemini-3.8-flash", "none", "", `does not take the reasoning effort "none"`, "thinkingLevel"},
		"no thinker":                {"gemini:gemma-4", "high", "", `does not take the reasoning effort "high"`, "thinkingLevel"},
		"no summaries":              {"plain:kimi-k3", "high", "detailed", "The provider of the model plain:kimi-k3 has no choice of summaries, so reasoningSummary has no effect.", `"summary":`},
		"not among the known ones":  {"responses:gpt-6-sol", "minimal", "", `The reasoning effort "minimal" was sent to the model responses:gpt-6-sol, of which only these are known: none, low, medium, high, xhigh, max.`, "no request has this"},
		"summaries where there are": {"responses:gpt-6-sol", "high", "detailed", "", "no request has this"},
	} {
		amongVendors(t, looks, func(d *desk, models *vendors) {
			cfg := tools("look")
			cfg.Model, cfg.ReasoningEffort, cfg.ReasoningSummary = tc.model, tc.effort, tc.summary
			s := d.create(cfg)
			s.ask("Look.")
			s.ask("Look again.")
			var warnings []string
			for _, e := range s.told {
				if e.Type == "session.warning" && field(e, "warningType") == "reasoning" {
					warnings = append(warnings, field(e, "message"))
				}
			}
			if tc.want == "" && len(warnings) > 0 || tc.want != "" && (len(warnings) != 1 || !strings.Contains(warnings[0], tc.want)) {
				t.Errorf("%s: the warnings are %q, want %q once", name, warnings, tc.want)
			}
			if body := models.request(0).body; strings.Contains(body, tc.sent) {
				t.Errorf("%s: %s was sent: %s", name, tc.sent, body)
			}
		})
	}
}

// A provider that refuses an effort is asked once; each session that wants it is warned, and
// answered.
func TestARefusedEffortIsAWarning(t *testing.T) {
	models := &vendors{t: t, answers: looks, refuses: `"reasoning_effort"`}
	bubble(t, &desk{fs: vfs.NewMem(), calls: models, opts: registry.Options{Named: vendorNamed}}, func(d *desk) {
		for i, id := range []string{"s1", "s2"} {
			cfg := tools("look")
			cfg.SessionID, cfg.Model, cfg.ReasoningEffort = id, "plain:kimi-k3", "high"
			s := d.create(cfg)
			s.ask("Look.")
			if n := count(s.told, "session.warning"); n != 1 || count(s.told, "session.error") > 0 {
				t.Errorf("%s: %d warnings in\n%s", id, n, types(s.told))
			}
			if got := field(last(t, s.told, "session.warning"), "message"); !strings.Contains(got, `does not take the reasoning effort "high"`) {
				t.Errorf("%s: the warning is %q", id, got)
			}
			if want := []int{3, 5}[i]; len(models.requests) != want {
				t.Errorf("%d requests, want %d", len(models.requests), want)
			}
		}
	})
}
