package turn

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// The report of a streamed answer says how fast it came; that of one in a piece, or of one whose
// tokens nobody counted, leaves that out.
func TestHowFastAnAnswerCame(t *testing.T) {
	ms := func(v float64) *float64 { return &v }
	for _, tc := range []struct {
		name        string
		stream      bool
		first       time.Duration
		output      int64
		ttft, token *float64
	}{
		{"streamed", true, 200 * time.Millisecond, 11, ms(200), ms(80)},
		{"of one token", true, 200 * time.Millisecond, 1, ms(200), nil},
		{"nobody counts", true, 200 * time.Millisecond, 0, ms(200), nil},
		{"nothing seen", true, 0, 11, nil, nil},
		{"in one piece", false, 200 * time.Millisecond, 11, nil, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			usage := &wire.AssistantUsage{}
			call := &turn{prompt: Prompt{Whole: !tc.stream}}
			call.timed(usage, &model.Response{FirstDelta: tc.first, Usage: model.Usage{Output: tc.output}}, 1000)
			want := &wire.AssistantUsage{TimeToFirstTokenMs: tc.ttft, OutputTtftMs: tc.ttft, InterTokenLatencyMs: tc.token}
			if diff := cmp.Diff(want, usage); diff != "" {
				t.Errorf("report (-want +got):\n%s", diff)
			}
		})
	}
}

func TestShellInfo(t *testing.T) {
	command := permit.Command{Redirects: true, Paths: []permit.Path{{Name: "/w/a", Real: "/w/b"}}}
	want := &wire.ShellInfo{HasWriteFileRedirection: true, PossiblePaths: []string{"/w/a"}}
	if diff := cmp.Diff(want, shellInfo(&permit.Request{Kind: permit.Shell, Command: command})); diff != "" {
		t.Errorf("a command (-want +got):\n%s", diff)
	}
	for _, q := range []*permit.Request{nil, {Kind: permit.Read}, {Kind: permit.Shell, Command: permit.Command{Input: true}}} {
		if got := shellInfo(q); got != nil {
			t.Errorf("%+v has %+v", q, got)
		}
	}
}
