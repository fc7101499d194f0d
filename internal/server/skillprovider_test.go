package server_test

import (
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// givesSkills has a client answer skillProvider.list and skillProvider.read with what answer returns, the rest of a
// JSON-RPC message; "" is no answer. calls returns the calls since the last time, one a line.
func (c *peer) givesSkills(answer func(method string) string) (calls func() string) {
	var mu sync.Mutex
	var all []string
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked = func(m message) {
		var call struct{ ID, Params json.RawMessage }
		if !strings.HasPrefix(m.method, "skillProvider.") || json.Unmarshal(m.raw, &call) != nil {
			return
		}
		mu.Lock()
		all = append(all, m.method+" "+string(call.Params))
		text := answer(m.method)
		mu.Unlock()
		if text != "" {
			c.send(`{"jsonrpc":"2.0","id":` + string(call.ID) + `,` + text + `}`)
		}
	}
	return func() string {
		mu.Lock()
		defer mu.Unlock()
		text := strings.Join(all, "\n")
		all = nil
		return text
	}
}

// badTexts are answers to skillProvider.read that have no skill, with what is said about them.
var badTexts = map[string]string{
	``:                           "the client has not answered skillProvider.read within 30s",
	`"result":{"markdown":null}`: "the client has no such skill",
	`"result":{"markdown":7}`:    "the answer cannot be read",
	`"error":{"code":-32603,"message":"Skill provider readSkill failed"}`: "Skill provider readSkill failed",
	`"result":{"markdown":"` + strings.Repeat("x", 1<<20+1) + `"}`:        "it has more than 1024 KiB",
}

// badLists are the same to skillProvider.list.
var badLists = map[string]string{
	``:                      "the client has not answered skillProvider.list within 30s",
	`"result":{}`:           "the client has answered without a list of skills",
	`"result":null`:         "the client has answered without a list of skills",
	`"result":{"skills":7}`: "the answer cannot be read",
	`"error":{"code":-32603,"message":"No skill provider for session: s1"}`:                 "No skill provider for session: s1",
	`"result":{"skills":[{"name":"a","description":"` + strings.Repeat("x", 1<<20) + `"}]}`: "the list of skills has more than 1024 KiB",
}

// The skills of a client are asked for over its connection, and a client that cannot give them holds up a session for
// some seconds at most.
func TestTheSkillsOfAClient(t *testing.T) {
	inBubble(t, setup{}, func(t *testing.T, p *process) {
		c := p.connect()
		list, read := `"result":{"skills":[{"name":"greet","description":"Greets.","argumentHint":"NAME","directory":"/srv/greet"}]}`, `"result":{"markdown":"Say hello."}`
		calls := c.givesSkills(func(method string) string {
			if method == "skillProvider.list" {
				return list
			}
			return read
		})
		c.call("session.create", `{"sessionId":"s1","hasSkillProvider":true}`)
		got := string(c.call("session.skills.list", `{"sessionId":"s1"}`))
		for _, want := range []string{`"name":"greet"`, `"description":"Greets."`, `"argumentHint":"NAME"`, `"source":"sdk"`, `"path":"/srv/greet/SKILL.md"`} {
			if !strings.Contains(got, want) {
				t.Errorf("session.skills.list answers %s, want %s", got, want)
			}
		}
		if got, want := calls(), `skillProvider.list {"sessionId":"s1"}`; got != want {
			t.Errorf("the client was asked %s, want %s", got, want)
		}
		invoke := func() string {
			return string(c.answer(c.request("session.commands.invoke", `{"sessionId":"s1","name":"greet","input":"Ann"}`)).raw)
		}
		if got, want := invoke(), `Follow the skill \"greet\", which is in /srv/greet/SKILL.md:\n\nSay hello.\n\nThe user's request: Ann`; !strings.Contains(got, want) {
			t.Errorf("the command answers %s, want %s", got, want)
		}
		if got, want := calls(), `skillProvider.read {"name":"greet","sessionId":"s1"}`; got != want {
			t.Errorf("the client was asked %s, want %s", got, want)
		}
		for answer, want := range badTexts {
			_ = calls() // the answer before has been given
			read = answer
			if got := invoke(); !strings.Contains(got, `the skill \"greet\" cannot be read: `) || !strings.Contains(got, want) {
				t.Errorf("after %.80s, the command answers %s, want %s", answer, got, want)
			}
		}
		for answer, want := range badLists {
			_ = calls()
			list = answer
			got := string(c.call("session.skills.reload", `{"sessionId":"s1"}`))
			if !strings.Contains(got, "The skills of the client are not there: ") || !strings.Contains(got, want) {
				t.Errorf("after %.80s, session.skills.reload answers %s, want %s", answer, got, want)
			}
		}
		if !strings.Contains(string(c.call("session.skills.list", `{"sessionId":"s1"}`)), `"skills":[]`) {
			t.Error("a skill of the client is left")
		}
		_ = calls()
		list = `"result":{"skills":[{"name":"greet","description":"Greets."}]}`
		c.call("session.skills.reload", `{"sessionId":"s1"}`)
		other := p.connect()
		other.call("session.resume", `{"sessionId":"s1"}`)
		c.conn.Close()
		synctest.Wait()
		got = string(other.call("session.skills.reload", `{"sessionId":"s1"}`))
		if want := "The skills of the client are not there: the client that answers skillProvider.list has left."; !strings.Contains(got, want) {
			t.Errorf("after the client has left, session.skills.reload answers %s, want %s", got, want)
		}
	})
}

// A client that is asked for its skills may call other methods of the session before it answers. Those that would wait
// for its answer are refused.
func TestAClientCallsBeforeItListsItsSkills(t *testing.T) {
	for _, method := range []string{"session.skills.list", "session.skills.reload", "session.skills.ensureLoaded", "session.agent.list", "session.agent.reload"} {
		t.Run(method, func(t *testing.T) {
			inBubble(t, setup{}, func(t *testing.T, p *process) {
				c := p.connect()
				c.givesSkills(func(string) string { return "" })
				c.call("session.create", `{"sessionId":"s1","hasSkillProvider":true}`)
				begin := time.Now()
				c.request(method, `{"sessionId":"s1"}`)
				synctest.Wait()
				c.call("session.send", `{"sessionId":"s1","prompt":"go"}`)
				c.call("session.abort", `{"sessionId":"s1"}`)
				c.event("s1", "session.idle", 1)
				if took := time.Since(begin); took != 0 {
					t.Errorf("session.send and session.abort took %v", took)
				}
				m := c.answer(c.request("session.skills.reload", `{"sessionId":"s1"}`))
				if took := time.Since(begin); took != 2*time.Second || !strings.Contains(m.failure.Message, "a search waits for the client that gives skills") {
					t.Errorf("session.skills.reload answers %s after %v", m.raw, took)
				}
			})
		})
	}
}

// Of two clients that give skills, those of the one that attached last are used until it leaves. A client that resumes
// goes on to give its skills, unless it says that it has none.
func TestTwoClientsGiveSkills(t *testing.T) {
	inBubble(t, setup{}, func(t *testing.T, p *process) {
		gives := func(name string) *peer {
			c := p.connect()
			c.givesSkills(func(string) string { return `"result":{"skills":[{"name":"` + name + `"}]}` })
			return c
		}
		a, b := gives("of-a"), gives("of-b")
		used := func(want string) {
			t.Helper()
			synctest.Wait()
			if got := string(a.call("session.skills.list", `{"sessionId":"s1"}`)); strings.Contains(got, `"of-a"`) != (want == "a") || strings.Contains(got, `"of-b"`) != (want == "b") {
				t.Errorf("the skills are %s, want those of %q", got, want)
			}
		}
		a.call("session.create", `{"sessionId":"s1","hasSkillProvider":true}`)
		used("a")
		b.call("session.resume", `{"sessionId":"s1"}`)
		used("a")
		b.call("session.resume", `{"sessionId":"s1","hasSkillProvider":true}`)
		if m := a.event("s1", "session.warning", 1); !strings.Contains(string(m.raw), "Two clients give skills to this session.") {
			t.Errorf("the warning is %s", m.raw)
		}
		used("b")
		b.call("session.resume", `{"sessionId":"s1"}`)
		used("b")
		a.call("session.resume", `{"sessionId":"s1","hasSkillProvider":true}`)
		used("a")
		a.call("session.resume", `{"sessionId":"s1","hasSkillProvider":false}`)
		used("b")
		b.conn.Close()
		synctest.Wait()
		a.call("session.resume", `{"sessionId":"s1","hasSkillProvider":true}`)
		b = gives("of-b")
		b.call("session.resume", `{"sessionId":"s1","hasSkillProvider":true}`)
		used("b")
		b.conn.Close()
		used("a")
		a.call("session.resume", `{"sessionId":"s1","hasSkillProvider":false}`)
		used("")
	})
}

// Others are told no more than 4 KiB of an error of the client.
func TestALongErrorAboutSkillsIsCut(t *testing.T) {
	inBubble(t, setup{}, func(t *testing.T, p *process) {
		c := p.connect()
		const long = 500_000
		fails := "skillProvider.read"
		c.givesSkills(func(method string) string {
			if method == fails {
				return `"error":{"code":-32603,"message":"` + strings.Repeat("x", long) + `"}`
			}
			return `"result":{"skills":[{"name":"greet"}]}`
		})
		c.call("session.create", `{"sessionId":"s1","hasSkillProvider":true}`)
		if m := c.answer(c.request("session.commands.invoke", `{"sessionId":"s1","name":"greet"}`)); len(m.raw) > 5<<10 || m.failure.Message == "" {
			t.Errorf("the command answers %d bytes", len(m.raw))
		}
		fails = "skillProvider.list"
		if got := c.call("session.skills.reload", `{"sessionId":"s1"}`); len(got) > 5<<10 {
			t.Errorf("session.skills.reload answers %d bytes", len(got))
		}
		if m := c.event("s1", "session.warning", 1); len(m.raw) > 5<<10 {
			t.Errorf("the warning has %d bytes", len(m.raw))
		}
	})
}
