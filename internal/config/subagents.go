package config

import (
	"strconv"
	"strings"
)

// Subagents are the settings for sub-agents.
type Subagents struct {
	// Depth, Running and Total are the limits of agent.Limits, 1 to 1,000.
	Depth, Running, Total Setting[int]
	// Models are models for sub-agents by the name of their agent, as "explore=small,task=large".
	Models Setting[string]
}

// maxSubagents bounds the limits on sub-agents: each is a model call at least.
const maxSubagents = 1000

// subagents reads the settings for sub-agents. Source of the defaults: package agent.
func (g given) subagents() (s Subagents, err error) {
	for _, limit := range []struct {
		to        *Setting[int]
		given     Setting[string]
		otherwise int
	}{
		{&s.Depth, g.text("subagents.depth", ""), 3},
		{&s.Running, g.text("subagents.running", ""), 16},
		{&s.Total, g.text("subagents.perMessage", ""), 200},
	} {
		if *limit.to = fallback(limit.otherwise); limit.given.Value == "" {
			continue
		}
		n, err := strconv.Atoi(limit.given.Value)
		if err != nil || n < 1 || n > maxSubagents {
			return s, invalid(limit.given.From, "give a number, or leave it out", "%q is not a number from 1 to %d", limit.given.Value, maxSubagents)
		}
		*limit.to = Setting[int]{n, limit.given.From}
	}
	s.Models = g.text("subagents.models", "")
	for part := range strings.SplitSeq(s.Models.Value, ",") {
		name, model, ok := strings.Cut(part, "=")
		if s.Models.Value != "" && (!ok || strings.TrimSpace(name) == "" || strings.TrimSpace(model) == "") {
			return s, invalid(s.Models.From, "give agents and models, such as explore=small,code-review=large", "%q is not AGENT=MODEL", part)
		}
		if err := misnamed(s.Models.From, strings.TrimSpace(model)); err != nil {
			return s, err
		}
	}
	return s, nil
}

// ModelsByAgent returns Models as a table; nil if it is empty.
func (s Subagents) ModelsByAgent() map[string]string {
	if s.Models.Value == "" {
		return nil
	}
	table := map[string]string{}
	for part := range strings.SplitSeq(s.Models.Value, ",") {
		name, model, _ := strings.Cut(part, "=")
		table[strings.TrimSpace(name)] = strings.TrimSpace(model)
	}
	return table
}
