package agents

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// logged is a session whose log has sub-agents.
type logged struct {
	Session
	log state.State
}

func (l *logged) State() *state.State { return &l.log }

func (l *logged) Post(_ context.Context, f func() error) error { return f() }

// begin adds a sub-agent to the log, and its end.
func (l *logged) begin(t *testing.T, id, name, parent string) {
	t.Helper()
	started := &wire.SubagentStarted{AgentName: "explore", ParentID: wire.Optional(parent)}
	for _, data := range []wire.Data{
		wire.WithJSON(started, wire.FieldTask, wire.LaunchedTask{Name: name}), &wire.SubagentCompleted{AgentName: "explore"},
	} {
		body, err := wire.Marshal(data)
		if err != nil {
			t.Fatal(err)
		}
		l.log.Apply(l.log.Seq+1, wire.Event{Header: wire.Header{ID: wire.NewID(), AgentID: id, Type: data.Type()}, Data: body})
	}
}

// Ids are readable, unique, and never longer than their bound. One that a name asks for is not given to a
// sub-agent of another name before.
func TestIDsOfSubAgents(t *testing.T) {
	l := &logged{}
	a := New(Options{Session: l})
	long := strings.Repeat("x", maxAgentID)
	for _, tc := range [][2]string{
		{"step-1", "step-1"},
		{"step-1", "step-1-2"},
		{"step-1", "step-1-3"},
		{"step-2", "step-2"},
		{"", "agent"},
		{"?", "agent-2"},
		{long + "y", long},
		{long, long[:maxAgentID-2] + "-2"},
	} {
		id := a.newID(tc[0])
		if id != tc[1] || len(id) > maxAgentID {
			t.Errorf("%q has the id %q, want %q", tc[0], id, tc[1])
		}
		l.begin(t, id, tc[0], "")
	}
	if b := a.find("step-2"); b == nil || b.task.Name != "step-2" {
		t.Errorf("step-2 is %+v", b)
	}
}

// However many sub-agents the log has, few are in memory: the others are read when somebody asks for them.
func TestSubAgentsInMemoryAreBounded(t *testing.T) {
	l := &logged{}
	a := New(Options{Session: l})
	const all = 2 * maxKnown
	for n := range all {
		parent := ""
		if n%2 == 1 {
			parent = fmt.Sprint("agent-", n-1)
		}
		l.begin(t, fmt.Sprint("agent-", n), fmt.Sprint("name ", n), parent)
	}
	list, err := a.Tools().SubAgents(t.Context())
	if err != nil || len(list) != all || len(a.subs) != 0 {
		t.Errorf("%d of %d are listed, and %d are in memory, %v", len(list), all, len(a.subs), err)
	}
	for n := range all {
		id := fmt.Sprint("agent-", n)
		b := a.find([]string{id, fmt.Sprint("name ", n)}[n%2])
		if b == nil || b.id != id || b.status != tool.AgentCompleted || b.depth() != 1+n%2 {
			t.Fatalf("%s is %+v", id, b)
		}
		if len(a.subs) > maxKnown {
			t.Fatalf("%d are in memory, want %d at most", len(a.subs), maxKnown)
		}
	}
	if list, err = a.Tools().SubAgents(t.Context()); err != nil || len(list) != all {
		t.Errorf("%d of %d are listed, %v", len(list), all, err)
	}
	if b := a.find("agent-x"); b != nil || slices.Contains(a.subs, nil) {
		t.Errorf("an agent that is not there is %+v", b)
	}
}

// A log of another machine may say that two sub-agents have started each other.
func TestSubAgentsInACircle(t *testing.T) {
	l := &logged{}
	a := New(Options{Session: l})
	l.begin(t, "egg", "", "hen")
	l.begin(t, "hen", "", "egg")
	if b := a.find("egg"); b == nil || b.depth() != 2 {
		t.Errorf("egg is %+v", b)
	}
}
