package config

import "slices"

// The words for [Config.ToolSet].
const (
	ToolSetAuto  = "auto"
	ToolSetSmall = "small"
	ToolSetFull  = "full"
)

func toolSets() []string { return []string{ToolSetAuto, ToolSetSmall, ToolSetFull} }

func (c Config) checkToolSet() error {
	if s := c.ToolSet; !slices.Contains(toolSets(), s.Value) {
		return invalid(s.From, "auto, small or full", "there is no tool set %q", s.Value)
	}
	return nil
}
