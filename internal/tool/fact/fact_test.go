package fact_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/tool/fact"
)

// Every row says what a tool does and what becomes of it in a replay, and no two rows have one name.
func TestRowsSayWhatTheyMust(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range fact.All() {
		for _, name := range []string{f.Name, f.Windows} {
			if name != "" && seen[name] {
				t.Errorf("two rows have the name %s", name)
			}
			seen[name] = true
		}
		if f.Does == fact.Unknown {
			t.Errorf("the row of %s does not say what the tool does", f.Name)
		}
		if f.Foreign {
			continue
		}
		if f.Taping == fact.Unsaid {
			t.Errorf("the row of %s does not say whether a recording has its results: with Live, a replay runs the tool", f.Name)
		}
		if f.Rule != "" && !slices.Contains([]string{"shell", "read", "write", "url"}, f.Rule) {
			t.Errorf("the rule %q of %s is none", f.Rule, f.Name)
		}
		if f.Rule == "" && len(f.Skills) > 0 {
			t.Errorf("skills name %s for a rule that it does not have", f.Name)
		}
	}
}

// What a tool needs permission for, a replay must not do; what it needs none for is the session's own.
func TestWhatActsIsRecorded(t *testing.T) {
	for _, f := range fact.All() {
		if acts := !f.Trusted; !f.Foreign && acts != (f.Taping == fact.Recorded) {
			t.Errorf("%s: it is trusted to act without permission: %v, and recorded: %v; one of them is wrong", f.Name, f.Trusted, f.Taping == fact.Recorded)
		}
		if f.Trusted && f.Rule != "" {
			t.Errorf("%s never asks, so that no rule covers it, but it has the rule %q", f.Name, f.Rule)
		}
	}
}

func TestOf(t *testing.T) {
	if f := fact.Of("read_powershell"); f.Name != fact.ReadBash {
		t.Errorf("read_powershell is %q, want the row of %s", f.Name, fact.ReadBash)
	}
	for _, name := range []string{"", "deploy"} {
		if f := fact.Of(name); f.Name != "" || f.Does != fact.Unknown {
			t.Errorf("a tool %q is known: %+v", name, f)
		}
	}
	if d := cmp.Diff([]string{fact.View, fact.Edit, fact.Create}, fact.Names(fact.Read, fact.Write)); d != "" {
		t.Errorf("the tools that read and write files are others:\n%s", d)
	}
}

// Other packages name a tool by the constants of this one: a list of names elsewhere is one that a new tool is missing
// in. Only names that are no other words are looked for.
func TestToolsAreNamedHereOnly(t *testing.T) {
	names := map[string]bool{}
	for _, f := range fact.All() {
		if strings.Contains(f.Name, "_") && f.Name != fact.Confirmation { // which is the type of a warning, too
			names[strconv.Quote(f.Name)] = true
		}
	}
	scripts := []string{"../../app/demo", "../../testing/modeltest"} // what a model says, as data
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || path == "../../tool/fact" || slices.Contains(scripts, path)):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if l, ok := n.(*ast.BasicLit); ok && names[l.Value] {
				t.Errorf("%s has the name %s: use the constant of package fact, or better a field of its row", set.Position(l.Pos()), l.Value)
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
