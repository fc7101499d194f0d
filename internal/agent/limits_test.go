package agent_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/agent"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

func TestLimitsOfAClientAreOnlyStricter(t *testing.T) {
	own := agent.Limits{Running: 4}
	for _, tc := range []struct {
		client agent.Overrides
		want   agent.Limits
	}{
		{agent.Overrides{}, agent.Limits{Depth: 3, Running: 4, Total: 200}},
		{agent.Overrides{Depth: 1, Running: 2}, agent.Limits{Depth: 1, Running: 2, Total: 200}},
		{agent.Overrides{Depth: 9, Running: 9}, agent.Limits{Depth: 3, Running: 4, Total: 200}},
	} {
		if got := tc.client.Within(own); got != tc.want {
			t.Errorf("%+v within %+v is %+v, want %+v", tc.client, own, got, tc.want)
		}
	}
}

func TestOverridesOfAClient(t *testing.T) {
	model, effort, yes, most := "small", "low", true, int32(2)
	sent := &wire.SubagentSettings{DisabledSubagents: []string{"task"}, MaxConcurrency: &most}
	sent.Agents = map[string]wire.SubagentEntry{"explore": {Model: &model, EffortLevel: &effort, AutoInvoke: &yes}}
	want := agent.Overrides{
		Agents: map[string]agent.Override{"explore": {Model: "small", ReasoningEffort: "low"}}, Disabled: []string{"task"}, Running: 2,
		Ignored: []string{"explore.autoInvoke"},
	}
	if diff := cmp.Diff(want, agent.OverridesOf(sent)); diff != "" {
		t.Errorf("the overrides (-want +got):\n%s", diff)
	}
	if got := agent.OverridesOf(nil); got.Agents != nil || got.Running != 0 {
		t.Errorf("no settings are %+v", got)
	}
}

// Custom agents come before those of files, and both before built-in ones; a client can exclude
// built-in agents and select custom ones.
func TestTheAgentsOfASession(t *testing.T) {
	var r agent.Roster
	if err := r.Configure(wire.Config{
		CustomAgents: []wire.CustomAgent{{Name: "guide", Prompt: "client"}}, ExcludedAgents: []string{"code-review", "task"},
		DefaultAgent: &wire.DefaultAgent{ExcludedTools: []string{"bash"}},
	}, nil); err != nil {
		t.Fatal(err)
	}
	files := []agent.Definition{{Name: "guide", Prompt: "file"}, {Name: "explore", Prompt: "own"}, {Name: "mender", Prompt: "file"}}
	var names []string
	for _, d := range r.All(files) {
		names = append(names, d.Name+" "+d.Prompt[:3])
	}
	if diff := cmp.Diff([]string{"general-purpose You", "guide cli", "explore own", "mender fil"}, names); diff != "" {
		t.Errorf("the agents (-want +got):\n%s", diff)
	}
	if r.Select("general-purpose", files) || r.Main.Name != "" {
		t.Error("a built-in agent is selected")
	}
	r.SetPrompt("mender", "other")
	if d, ok := r.Find("mender", files); !ok || d.Prompt != "other" {
		t.Errorf("Find = %+v, %v", d, ok)
	}
	if !r.Select("mender", files) || r.Main.Prompt != "other" || len(r.Main.ExcludedTools) != 1 {
		t.Errorf("the main agent is %+v", r.Main)
	}
	r.SetPrompt("mender", "third")
	if r.Main.Prompt != "third" {
		t.Errorf("the main agent's prompt is %q", r.Main.Prompt)
	}
	if r.Deselect(); r.Main.Name != "" || len(r.Main.ExcludedTools) != 1 {
		t.Errorf("the main agent is %+v", r.Main)
	}
}
