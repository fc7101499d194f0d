package approval

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/sandbox"
	"github.com/sidestick-dev/sidestick/internal/session/state"
)

// A server of a project runs in the sandbox, with no network but the hosts of its grant. Where no sandbox works it
// does not start without the grant --outside; and that does not help where the sandbox is required.
func TestWhereAServerOfAProjectRuns(t *testing.T) {
	for _, tc := range []struct {
		name     string
		settings SandboxSettings
		works    bool
		granted  ServerGrant
		inside   bool
		fails    string
	}{
		{name: "inside", settings: SandboxSettings{Sandboxing: permit.Sandboxing{On: true}}, works: true, inside: true},
		{name: "inside although servers of the user are free", settings: SandboxSettings{Sandboxing: permit.Sandboxing{On: true}, FreeServers: true}, works: true, inside: true},
		{name: "granted outside", settings: SandboxSettings{Sandboxing: permit.Sandboxing{On: true}}, works: true, granted: ServerGrant{Outside: true}},
		{name: "no sandbox works", settings: SandboxSettings{Sandboxing: permit.Sandboxing{On: true}}, fails: "sidestick mcp grant s --outside"},
		{name: "no sandbox works, granted outside", settings: SandboxSettings{Sandboxing: permit.Sandboxing{On: true}}, granted: ServerGrant{Outside: true}},
		{name: "no sandbox works, one is required", settings: SandboxSettings{Sandboxing: permit.Sandboxing{On: true, Required: true}}, granted: ServerGrant{Outside: true}, fails: "must run in a sandbox"},
		{name: "the user has switched it off", works: true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tc.settings.Network = &sandbox.Network{Allow: []string{"*"}, Deny: []string{"bad.example"}}
			p := newPolicy(&permit.Rules{}, "", &state.State{}, &vouched{now: &sessionGrants{}})
			p.sandbox = tc.settings
			d := disk{primary: "/work", cwd: "/work", works: Works{ReadOnly: tc.works, Workspace: tc.works, Why: "nothing works"}}
			tc.granted.Server, tc.granted.Hosts, tc.granted.Folders = "s", []string{"good.example"}, []string{"/notes"}
			got, err := p.forProjectServer(d, tc.granted)
			if (got != nil) != tc.inside || (err != nil) != (tc.fails != "") {
				t.Fatalf("forProjectServer = %+v, %v", got, err)
			}
			if err != nil && !strings.Contains(fault.Message(err), tc.fails) {
				t.Errorf("%v, want %q", err, tc.fails)
			}
			if got == nil {
				return
			}
			if diff := cmp.Diff(sandbox.Network{Allow: []string{"good.example"}, Deny: []string{"bad.example"}}, got.Network); diff != "" {
				t.Errorf("network (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff([]string{"/notes"}, got.Write); diff != "" || got.Mode != sandbox.WorkspaceWrite {
				t.Errorf("%s, writes (-want +got):\n%s", got.Mode, diff)
			}
		})
	}
}
