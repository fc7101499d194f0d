package serve

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
)

// Flags and variables that have no effect are passed on to the warning of the sessions.
func TestIgnoredAtTheStart(t *testing.T) {
	for _, tc := range []struct {
		args []string
		otel string
		want []string
	}{
		{[]string{"--headless", "--stdio", "--no-auto-update"}, "", nil},
		{[]string{"--plugin-dir", "testdata/none", "--remote"}, "", []string{"--remote", "--plugin-dir"}},
		{[]string{"--ui-server"}, "true", []string{"--ui-server", "COPILOT_OTEL_ENABLED"}},
		{nil, "false", nil},
	} {
		s := &Server{Options: &cli.Options{Sys: cli.System{Getenv: func(name string) string {
			if name == "COPILOT_OTEL_ENABLED" {
				return tc.otel
			}
			return ""
		}}}}
		cmd := &cobra.Command{}
		s.RootFlags(cmd)
		if err := cmd.ParseFlags(tc.args); err != nil {
			t.Errorf("%q: %v", tc.args, err)
		}
		var got []string
		for _, i := range s.ignored() {
			got = append(got, i.Field)
		}
		if slices.Sort(got); !slices.Equal(got, slices.Sorted(slices.Values(tc.want))) {
			t.Errorf("%q (-want +got):\n%s", tc.args, cmp.Diff(tc.want, got))
		}
	}
}
