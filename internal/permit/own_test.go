package permit_test

import (
	"testing"

	"github.com/sidestick-dev/sidestick/internal/permit"
)

// The session may use its own files without an approval, and in plan mode it writes no
// other file, even if everything is allowed.
func TestASessionsOwnFiles(t *testing.T) {
	own := permit.Rules{Own: "/state/s1", Plan: "/state/s1/plan.md", Folders: permit.Folders{Primary: "/work"}}
	planning, bold := own, own
	planning.Planning, planning.All = true, true
	bold.Deny = []permit.Rule{{Kind: permit.Write}, {Kind: permit.Read}}
	file := func(kind permit.Kind, real string) permit.Request {
		return permit.Request{Kind: kind, Path: permit.Path{Name: real, Real: real}}
	}
	for _, tc := range []struct {
		name    string
		rules   permit.Rules
		request permit.Request
		want    permit.Verdict
	}{
		{"a spilled result is read", own, file(permit.Read, "/state/s1/temp/x.txt"), permit.Allow},
		{"another session's is asked about", own, file(permit.Read, "/state/s2/temp/x.txt"), permit.Ask},
		{"a folder with a longer name is another", own, file(permit.Read, "/state/s10/x"), permit.Ask},
		{"a path that leads nowhere is asked about", own, permit.Request{Kind: permit.Read, Path: permit.Path{Name: "/state/s1/x"}}, permit.Ask},
		{"the plan is written", own, file(permit.Write, "/state/s1/plan.md"), permit.Allow},
		{"the log is not", own, file(permit.Write, "/state/s1/events.jsonl"), permit.Ask},
		{"planning writes the plan", planning, file(permit.Write, "/state/s1/plan.md"), permit.Allow},
		{"planning writes nothing else, even under --yolo", planning, file(permit.Write, "/work/a.go"), permit.Deny},
		{"planning reads what may be read", planning, file(permit.Read, "/work/a.go"), permit.Allow},
		{"a deny rule goes before the plan", bold, file(permit.Write, "/state/s1/plan.md"), permit.Deny},
		{"and before the own folder", bold, file(permit.Read, "/state/s1/temp/x.txt"), permit.Deny},
		{"without a folder nothing is one's own", permit.Rules{}, file(permit.Read, "/state/s1/x"), permit.Ask},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := tc.rules.Decide(tc.request); got.Verdict != tc.want || got.Why == "" {
				t.Errorf("Decide(%+v) = %v (%q), want %v with a reason", tc.request, got.Verdict, got.Why, tc.want)
			}
		})
	}
}

// A rule for ./build.sh holds only for that of the primary folder.
func TestRulesForRelativeProgramsStayInTheirFolder(t *testing.T) {
	r := permit.Rules{
		Folders: permit.Folders{Primary: "/w"}, ReadOnly: true,
		Allow: []permit.Rule{{Kind: permit.Shell, Argument: "./build.sh"}, {Kind: permit.Shell, Argument: "/opt/build"}, {Kind: permit.Shell, Argument: "make"}},
	}
	cd := permit.Program{Name: "cd", Words: []string{"cd", "sub"}, ReadOnly: true}
	for _, tc := range []struct {
		dir      string
		programs []permit.Program
		want     permit.Verdict
	}{
		{"/w", []permit.Program{{Name: "./build.sh"}}, permit.Allow},
		{"/w/sub", []permit.Program{{Name: "./build.sh"}}, permit.Ask},
		{"/w", []permit.Program{cd, {Name: "./build.sh"}}, permit.Ask},
		{"/w/sub", []permit.Program{cd, {Name: "/opt/build"}}, permit.Allow},
		{"/w/sub", []permit.Program{cd, {Name: "make"}}, permit.Allow},
	} {
		q := permit.Request{Kind: permit.Shell, Command: permit.Command{Dir: tc.dir, Programs: tc.programs}}
		if d := r.Decide(q); d.Verdict != tc.want {
			t.Errorf("%s %v: %v, %s", tc.dir, tc.programs, d.Verdict, d.Why)
		}
		if tc.want == permit.Ask && r.Covering(q) != nil {
			t.Errorf("%s %v could be approved for the session: %v", tc.dir, tc.programs, r.Covering(q))
		}
	}
}
