package config

import (
	"strconv"
	"strings"
)

// Subagents are the settings for sub-agents.
type Subagents struct {
	// Depth, Running and Total are the limits of agent.Limits, 1 to 1,000.
	Depth, Running, Total Setting[int]
	// Models are models for sub-agents by the name of their agent, as "explore=small,task=large". A name may also be
	// that of a family of models, which a file of an agent names, such as haiku.
	Models Setting[string]
	// Families are the models of families by the variables of Claude Code: Models comes before them.
	Families map[string]Setting[string]
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
	s.Families = g.families()
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

// families are the models that the user has chosen for families of models; nil for none. Source: Claude Code's
// documentation of its settings for models.
func (g given) families() (chosen map[string]Setting[string]) {
	for family, s := range map[string]Setting[string]{
		"opus": g.env.get("ANTHROPIC_DEFAULT_OPUS_MODEL"), "sonnet": g.env.get("ANTHROPIC_DEFAULT_SONNET_MODEL"),
		"haiku": g.env.get("ANTHROPIC_DEFAULT_HAIKU_MODEL"), "fable": g.env.get("ANTHROPIC_DEFAULT_FABLE_MODEL"),
	} {
		if s.Value == "" {
			continue
		}
		if chosen == nil {
			chosen = map[string]Setting[string]{}
		}
		chosen[family] = s
	}
	return chosen
}

// ModelsByAgent returns Models and Families as a table; nil if they are empty.
func (s Subagents) ModelsByAgent() map[string]string {
	if s.Models.Value == "" && len(s.Families) == 0 {
		return nil
	}
	table := map[string]string{}
	for family, chosen := range s.Families {
		table[family] = chosen.Value
	}
	if s.Models.Value == "" {
		return table
	}
	for part := range strings.SplitSeq(s.Models.Value, ",") {
		name, model, _ := strings.Cut(part, "=")
		table[strings.TrimSpace(name)] = strings.TrimSpace(model)
	}
	return table
}
