package session_test

import (
	"context"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/anthropic"
	"github.com/sidestick-dev/sidestick/internal/model/responses"
	"github.com/sidestick-dev/sidestick/internal/session/provider"
	"github.com/sidestick-dev/sidestick/internal/session/registry"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

func (s *seat) switchTo(model string) {
	s.d.t.Helper()
	if err := s.s.Settings().SwitchModel(context.Background(), wire.ModelSwitch{ModelID: model}); err != nil {
		s.d.t.Fatalf("SwitchModel(%q): %v", model, err)
	}
}

// A session changes its provider between messages, while a tool runs, and when it is resumed. The
// next provider reads all that was said, with the calls and their results, and nothing of the
// reasoning of another; the first one gets its own back.
func TestASessionChangesItsProvider(t *testing.T) {
	for _, from := range theVendors() {
		for _, to := range theVendors() {
			if from.name == to.name {
				continue
			}
			t.Run(from.name+" to "+to.name, func(t *testing.T) {
				amongVendors(t, looks, func(d *desk, models *vendors) {
					cfg := tools("look")
					cfg.Model = from.id()
					s := d.create(cfg)
					s.ask("One.") // requests 0 and 1
					s.switchTo(to.id())
					s.send("Two.") // 2
					s.until("external_tool.requested")
					s.switchTo(from.id())
					s.reply(field(s.told[len(s.told)-1], "requestId"), `"result":"seen it"`)
					s.until("session.idle") // 3, by the first again
					d.stop()
					d.start(d.opts)
					cfg.Model = to.id()
					s = d.resume(cfg)
					s.ask("Three.") // 4 and 5
					for i, v := range []vendor{from, from, to, from, to, to} {
						if got := models.request(i).vendor.name; got != v.name {
							t.Errorf("request %d went to %s, want %s", i, got, v.name)
						}
					}
					checkSwitched(t, models, from, to)
				})
			})
		}
	}
}

func checkSwitched(t *testing.T, models *vendors, from, to vendor) {
	t.Helper()
	for i, texts := range map[int][]string{
		2: {"One.", "I look.", `"look"`, "seen it", "It is there.", "Two."},
		4: {"One.", "Two.", "Three.", "It is there."},
	} {
		for _, text := range texts {
			if !strings.Contains(models.request(i).body, text) {
				t.Errorf("%s does not read %s:\n%s", to.name, text, models.request(i).body)
			}
		}
	}
	of := map[int]vendor{0: from, 1: from, 2: to, 3: from, 4: to, 5: to}
	for i := range 6 {
		r := models.request(i)
		for n := range i {
			own := of[n].name == r.vendor.name
			if got := strings.Contains(r.body, sign(n)) || strings.Contains(r.body, strings.Trim(thought(n), ".")); got && !own {
				t.Errorf("request %d to %s has the reasoning %d of %s:\n%s", i, r.vendor.name, n, of[n].name, r.body)
			}
			if !own || of[n].name == "plain" {
				continue
			}
			if !strings.Contains(r.body, sign(n)) {
				t.Errorf("request %d to %s misses its own reasoning %d:\n%s", i, r.vendor.name, n, r.body)
			}
		}
	}
	if strings.Count(models.request(5).body, "seen it") != 3 {
		t.Errorf("results are missing:\n%s", models.request(5).body)
	}
}

// A client registers providers of its own, each with its dialect, and switches between their
// models.
func TestAClientSwitchesBetweenNamedProviders(t *testing.T) {
	amongVendors(t, looks, func(d *desk, models *vendors) {
		cfg := tools("look")
		cfg.Providers = []wire.NamedProvider{
			{Name: "a", Provider: wire.Provider{BaseURL: "http://anthropic.test", Type: "anthropic", APIKey: "k"}},
			{Name: "r", Provider: wire.Provider{BaseURL: "http://responses.test/v1", WireAPI: "responses", APIKey: "k"}},
			{Name: "c", Provider: wire.Provider{BaseURL: "http://plain.test/v1", APIKey: "k"}},
		}
		cfg.Models = []wire.ProviderModel{{Provider: "a", ID: "claude-opus-5-5"}, {Provider: "r", ID: "gpt-6-sol"}, {Provider: "c", ID: "kimi-k3"}}
		cfg.Model = "a/claude-opus-5-5"
		s := d.create(cfg)
		want := []string{"anthropic", "responses", "plain", "anthropic"}
		for i, name := range []string{"", "r/gpt-6-sol", "c/kimi-k3", "a/claude-opus-5-5"} {
			if name != "" {
				s.switchTo(name)
			}
			s.ask("Look.")
			if got := models.request(2 * i).vendor.name; got != want[i] {
				t.Errorf("message %d went to %s, want %s", i, got, want[i])
			}
		}
		if got := models.signs(-1); len(got) != 3 || got[0] != sign(0) {
			t.Errorf("the first provider gets the reasoning %v back", got)
		}
	})
}

// Summaries are made without reasoning: in the request for one there is none that is opaque, and
// neither the summary nor what later requests have of it quotes any.
func TestASummaryQuotesNoReasoning(t *testing.T) {
	for _, v := range theVendors() {
		amongVendors(t, talking, func(d *desk, models *vendors) {
			cfg := tools("look")
			cfg.Model = v.id()
			s := d.create(cfg)
			s.ask("One.")
			s.ask("Two.")
			done, err := s.s.Compaction().Run(context.Background(), "")
			if err != nil {
				t.Fatal(err)
			}
			request := len(models.requests) - 1
			if signs := models.signs(request); len(signs) > 0 && v.sealed {
				t.Errorf("%s: the request for a summary has the reasoning %v", v.name, signs)
			}
			s.ask("Three.")
			texts := map[string]string{"the summary": *done.SummaryContent, "the next request": models.request(request + 1).body}
			for _, e := range d.stored("s1") {
				if e.Type == "session.compaction_complete" {
					texts["the event"] = string(e.Data)
				}
			}
			for where, text := range texts {
				for n := range request {
					if strings.Contains(text, strings.Trim(thought(n), ".")[:9]) || strings.Contains(text, sign(n)) {
						t.Errorf("%s: %s quotes reasoning: %s", v.name, where, text)
					}
				}
			}
		})
	}
}

// A key is in no event, and reasoning goes only to the account that it came from.
func TestReasoningStaysWithItsAccount(t *testing.T) {
	for _, dialect := range []string{anthropic.Name, responses.Name} {
		key := "the-key-of-one"
		named := func(name string) (provider.Provider, bool) {
			p, ok := vendorNamed(name)
			p.Endpoint.APIKey = key
			return p, ok
		}
		models := &vendors{t: t, answers: looks}
		bubble(t, &desk{fs: vfs.NewMem(), calls: models, opts: registry.Options{Named: named}}, func(d *desk) {
			cfg := tools("look")
			for _, v := range theVendors() {
				if v.dialect == dialect {
					cfg.Model = v.id()
				}
			}
			d.create(cfg).ask("One.")
			for i, tc := range []struct {
				key  string
				want int // pieces of reasoning in the next request
			}{{"the-key-of-one", 2}, {"the-key-of-two", 0}, {"the-key-of-one", 4}} {
				d.stop()
				d.start(d.opts)
				key = tc.key
				before := len(models.requests)
				d.resume(cfg).ask("Again.")
				if got := models.signs(before); len(got) != tc.want {
					t.Errorf("%s, resume %d: %d pieces go back, want %d", dialect, i, len(got), tc.want)
				}
			}
			for _, e := range d.stored("s1") {
				if strings.Contains(string(e.Data), "the-key-of") {
					t.Errorf("a key is in %s", e.Data)
				}
			}
		})
	}
}

// The threads of sub-agents have reasoning of their own, which goes back to them alone.
func TestReasoningOfSubAgents(t *testing.T) {
	answers := func(n int, r *asked) said {
		switch {
		case strings.Contains(r.body, "do find it"):
			if r.vendor.name == "responses" {
				return looks(n, r)
			}
			return said{text: "Done."}
		case n == 0:
			c := taskCall("c1", "scout", "find it", "sync")
			return said{text: "I ask.", calls: []model.ToolCall{{ID: c.ID, Name: c.Name, Arguments: c.Arguments}}}
		}
		return said{text: "Done."}
	}
	models := &vendors{t: t, answers: answers}
	bubble(t, &desk{fs: vfs.NewMem(), calls: models, tools: delegating, opts: registry.Options{Named: vendorNamed}}, func(d *desk) {
		cfg := tools("look")
		cfg.Model = "anthropic:claude-opus-5-5"
		cfg.CustomAgents = []wire.CustomAgent{{Name: "scout", Description: "finds things", Prompt: "Be quick.", Tools: []string{"look"}, Model: "responses:gpt-6-sol"}}
		s := d.create(cfg)
		s.ask("Look.") // 0: the main agent, 1 and 2: the sub-agent, 3: the main agent
		for i, want := range []string{"anthropic ", "responses ", "responses " + sign(1), "anthropic " + sign(0)} {
			if got := models.request(i).vendor.name + " " + strings.Join(models.signs(i), " "); got != want {
				t.Errorf("request %d is %q, want %q", i, got, want)
			}
		}
	})
}
