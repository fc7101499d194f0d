package config

import (
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

func TestRecordings(t *testing.T) {
	for _, tc := range []struct {
		name  string
		flags TapeFlags
		env   env
		want  string // in the error; "" for none
	}{
		{"a recording", TapeFlags{Record: "a"}, nil, ""},
		{"a replay with its tools", TapeFlags{Replay: "a", Tools: true}, nil, ""},
		{"of the environment", TapeFlags{}, env{"SIDESTICK_REPLAY": "a", "SIDESTICK_REPLAY_TOOLS": "true"}, ""},
		{"both", TapeFlags{Record: "a"}, env{"SIDESTICK_REPLAY": "b"}, "env SIDESTICK_REPLAY: it contradicts flag --record"},
		{"tools of nothing", TapeFlags{Tools: true}, nil, "flag --replay-tools: there is no recording"},
		{"a mistyped variable", TapeFlags{Replay: "a"}, env{"SIDESTICK_REPLAY_TOOLS": "yes"}, `"yes" is neither true nor false`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := Load(Flags{Tape: tc.flags}, tc.env.get, "/home/ann")
			if tc.want == "" && err != nil || tc.want != "" && (fault.KindOf(err) != fault.Invalid || !strings.Contains(err.Error(), tc.want)) {
				t.Errorf("%v, want %q", err, tc.want)
			}
		})
	}
}
