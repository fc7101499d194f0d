package mcp

import "testing"

// Files of Claude Code and of Copilot CLI say in two ways that the tools of a server are never deferred.
func TestToolsThatAreNeverDeferred(t *testing.T) {
	for fields, want := range map[string]bool{
		``:                        false,
		`,"deferTools":"auto"`:    false,
		`,"deferTools":"never"`:   true,
		`,"alwaysLoad":false`:     false,
		`,"alwaysLoad":true`:      true,
		`,"deferTools":"at once"`: false,
	} {
		c, err := parse("s", []byte(`{"command":"x"`+fields+`}`))
		if c.preloaded != want || (err != nil) != (fields == `,"deferTools":"at once"`) {
			t.Errorf("%s: %v, %v", fields, c.preloaded, err)
		}
	}
}
