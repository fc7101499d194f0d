package config_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/config"
)

func TestSettingsOfSubAgents(t *testing.T) {
	load := func(vars map[string]string) (config.Config, error) {
		return config.Load(config.Flags{}, func(name string) string { return vars[name] }, "/home/u")
	}
	cfg, err := load(nil)
	if s := cfg.Subagents; err != nil || s.Depth.Value != 3 || s.Running.Value != 16 || s.Total.Value != 200 || s.ModelsByAgent() != nil {
		t.Errorf("the defaults are %+v, %v", s, err)
	}
	cfg, err = load(map[string]string{"SIDESTICK_MAX_SUBAGENTS": "4", "SIDESTICK_AGENT_MODELS": "explore = small, task=large"})
	if err != nil || cfg.Subagents.Running != (config.Setting[int]{Value: 4, From: "env SIDESTICK_MAX_SUBAGENTS"}) {
		t.Errorf("the settings are %+v, %v", cfg.Subagents, err)
	}
	if diff := cmp.Diff(map[string]string{"explore": "small", "task": "large"}, cfg.Subagents.ModelsByAgent()); diff != "" {
		t.Errorf("the models (-want +got):\n%s", diff)
	}
	for _, vars := range []map[string]string{
		{"SIDESTICK_MAX_SUBAGENTS": "0"},
		{"SIDESTICK_SUBAGENT_DEPTH": "many"},
		{"SIDESTICK_SUBAGENTS_PER_MESSAGE": "1001"},
		{"SIDESTICK_AGENT_MODELS": "explore"},
		{"SIDESTICK_AGENT_MODELS": "=small"},
	} {
		if _, err := load(vars); err == nil {
			t.Errorf("%v is accepted", vars)
		}
	}
}
