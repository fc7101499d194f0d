//go:build unix

package torture_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
)

// plan is what the model of a session does: it starts ten sub-agents each time, of which two
// start two each, and those four one each. A sub-agent is named after its path: "ab" is the
// second that "a" starts.
type plan struct {
	talk   *talk
	model  *modeltest.Server
	random *rand.Rand
	try    int // how often it was asked to start them
}

// newAgentModel is the model of all sessions, which a plan makes start sub-agents.
func newAgentModel(t *testing.T) *modeltest.Server {
	t.Helper()
	m := modeltest.NewServer(modeltest.Reply{Repeat: true, Text: "Done.", When: func(r *modeltest.Request) bool {
		return !strings.Contains(r.Last().Content, " grow ")
	}})
	t.Cleanup(m.Close)
	return m
}

// step names the task of a sub-agent, or, for "", of the main agent.
func (p *plan) step(path string) string {
	return strings.TrimSpace(fmt.Sprintf("grow %d %s", p.try, path))
}

// under are the sub-agents that one starts; "" is the main agent.
func under(path string) []string {
	switch len(path) {
	case 0, 1:
		return []string{path + "a", path + "b"}
	case 2:
		return []string{path + "a"}
	}
	return nil
}

// prepare adds the answers of the next try.
func (p *plan) prepare() { p.model.Add(p.answers("")...) }

func (p *plan) answers(path string) []modeltest.Reply {
	r := modeltest.Reply{
		Repeat: true, When: modeltest.LastIs(p.talk.mark(p.step(path))), Text: "I work.",
		Delay: time.Duration(p.random.IntN(20)) * time.Millisecond,
	}
	var all []modeltest.Reply
	for _, name := range under(path) {
		r.ToolCalls = append(r.ToolCalls, p.start(name))
		all = append(all, p.answers(name)...)
	}
	if len(path) == 3 {
		r = p.leaf(r, path)
	}
	return append(all, r)
}

// leaf is what a sub-agent does that starts none: it answers, fails, or calls a tool.
func (p *plan) leaf(r modeltest.Reply, path string) modeltest.Reply {
	id := p.id(path) + "-tool"
	switch p.random.IntN(4) {
	case 0:
		r.Status, r.Body = 400, `{"error":{"message":"no"}}`
	case 1:
		r.ToolCalls = []modeltest.ToolCall{{ID: id, Name: "probe", Arguments: `{}`}}
	case 2:
		r.ToolCalls = []modeltest.ToolCall{{ID: id, Name: "left", Arguments: `{}`}}
	}
	return r
}

func (p *plan) id(path string) string { return fmt.Sprintf("%s-%d-%s", p.talk.id, p.try, path) }

// start is the call that starts a sub-agent.
func (p *plan) start(path string) modeltest.ToolCall {
	return taskCall(p.id(path), path, p.talk.prompt(p.step(path)), []string{"sync", "background"}[p.random.IntN(2)])
}

// taskCall is a call of the tool task.
func taskCall(id, name, prompt, mode string) modeltest.ToolCall {
	args, _ := json.Marshal(map[string]string{ // never fails
		"agent_type": "general-purpose", "name": name, "description": "work on " + name, "prompt": prompt, "mode": mode,
	})
	return modeltest.ToolCall{ID: id, Name: "task", Arguments: string(args)}
}
