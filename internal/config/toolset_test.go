package config

import (
	"strings"
	"testing"
)

func TestToolSet(t *testing.T) {
	for _, tc := range []struct{ flag, variable, want, from string }{
		{"", "", "auto", Default},
		{"", "small", "small", "env SIDESTICK_TOOL_SET"},
		{"full", "small", "full", "flag --tool-set"},
	} {
		got := load(t, Flags{ToolSet: tc.flag}, env{"SIDESTICK_TOOL_SET": tc.variable}).ToolSet
		if got.Value != tc.want || got.From != tc.from {
			t.Errorf("%+v: %+v", tc, got)
		}
	}
	if _, err := Load(Flags{ToolSet: "tiny"}, func(string) string { return "" }, "/"); err == nil || !strings.Contains(err.Error(), "tiny") {
		t.Errorf("a set that does not exist: %v", err)
	}
}
