package permit_test

import (
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/projectfiles"
)

// A plain rule for writing covers no file of a project by which this program starts, grants or
// sends something, and the sandbox keeps commands from the same names.
func TestWhatAProjectBringsIsProtected(t *testing.T) {
	names := parse(t, "write").SandboxProtected()
	for _, e := range projectfiles.All() {
		if e.Powers == 0 || e.In != projectfiles.Root && e.In != projectfiles.Ends && e.In != projectfiles.Way {
			continue
		}
		file := strings.ReplaceAll(strings.ReplaceAll(e.Path, "**", "deep/er"), "*", "x")
		for _, folder := range []string{"/w/", "/w/sub/dir/"} {
			if got := parse(t, "write").Decide(writing(folder + file)); got.Verdict != permit.Ask {
				t.Errorf("%s%s: %v (%s), want a question: it %s", folder, file, got.Verdict, got.Why, e.Powers)
			}
		}
		if e.Plain == "" && !slices.ContainsFunc(names, func(name string) bool { return named(file, name) }) {
			t.Errorf("%s is not among the names that a sandbox protects", file)
		}
	}
}

func writing(name string) permit.Request { return file(permit.Write, name) }

// named reports whether a protected name is a part of a path.
func named(file, name string) bool {
	elements := strings.Split(strings.ToLower(file), "/")
	n := strings.Count(name, "/") + 1
	for i := 0; i+n <= len(elements); i++ {
		if same, _ := path.Match(name, strings.Join(elements[i:i+n], "/")); same {
			return true
		}
	}
	return false
}

// The folder of a plugin in the workspace is protected as a whole: its hooks start scripts of it.
// Who works on a plugin is asked only about the files that start or grant something.
func TestTheFolderOfAPluginIsProtected(t *testing.T) {
	inside := parse(t, "write")
	inside.Brought = []string{"/w/tools/plugin"}
	itself := parse(t, "write")
	itself.Brought = []string{"/w"}
	for _, tc := range []struct {
		rules permit.Rules
		path  string
		want  permit.Verdict
	}{
		{inside, "/w/tools/plugin/hooks.json", permit.Ask},
		{inside, "/w/tools/plugin/scripts/check.sh", permit.Ask},
		{inside, "/w/tools/Plugin/x", permit.Ask},
		{inside, "/w/tools/plugin", permit.Ask},
		{inside, "/w/tools/plugins/x", permit.Allow},
		{inside, "/w/tools/x", permit.Allow},
		{itself, "/w/hooks.json", permit.Ask},
		{itself, "/w/hooks/hooks.json", permit.Ask},
		{itself, "/w/agents/a.md", permit.Ask},
		{itself, "/w/skills/s/SKILL.md", permit.Ask},
		{itself, "/w/brew/SKILL.md", permit.Ask},
		{itself, "/w/plugin.json", permit.Ask},
		{itself, "/w/src/main.go", permit.Allow},
		{itself, "/w/docs/hooks.json", permit.Allow},
	} {
		if got := tc.rules.Decide(writing(tc.path)); got.Verdict != tc.want {
			t.Errorf("%s with %v: %v (%s), want %v", tc.path, tc.rules.Brought, got.Verdict, got.Why, tc.want)
		}
	}
	if got := inside.BroughtInside(); !slices.Equal(got, []string{"/w/tools/plugin"}) {
		t.Errorf("the sandbox protects %v", got)
	}
	if got := itself.BroughtInside(); !slices.Contains(got, "/w/hooks.json") || !slices.Contains(got, "/w/agents") || slices.Contains(got, "/w") {
		t.Errorf("the sandbox protects %v", got)
	}
}

// The files that links in the places of such files lead to are protected as those are, in the sandbox
// too. If a link leads to the workspace, or above it, all of the workspace is.
func TestWhereLinksLeadIsProtected(t *testing.T) {
	inside := parse(t, "write")
	inside.Linked = []string{"/w/docs/ag", "/w/config/servers.json", "/elsewhere/sk"}
	itself := parse(t, "write")
	itself.Linked = []string{"/"}
	for _, tc := range []struct {
		rules permit.Rules
		path  string
		want  permit.Verdict
	}{
		{inside, "/w/docs/ag/new.md", permit.Ask},
		{inside, "/w/Docs/AG/x/y", permit.Ask},
		{inside, "/w/docs/ag", permit.Ask},
		{inside, "/w/config/servers.json", permit.Ask},
		{inside, "/w/config/servers.json5", permit.Allow},
		{inside, "/w/docs/a.md", permit.Allow},
		{itself, "/w/main.go", permit.Ask},
	} {
		if got := (permit.Rules{}).Join(tc.rules).Decide(writing(tc.path)); got.Verdict != tc.want {
			t.Errorf("%s with %v: %v (%s), want %v", tc.path, tc.rules.Linked, got.Verdict, got.Why, tc.want)
		}
	}
	if got := inside.BroughtInside(); !slices.Equal(got, []string{"/w/docs/ag", "/w/config/servers.json"}) {
		t.Errorf("the sandbox protects %v", got)
	}
	if got := itself.BroughtInside(); !slices.Equal(got, []string{"/w"}) {
		t.Errorf("the sandbox protects %v", got)
	}
}
