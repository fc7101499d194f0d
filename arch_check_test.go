package sidestick_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The paragraphs that go with a failure.
const (
	layerRule = `A package imports only packages of lower layers, and none of its own layer. Two exceptions:
a package may import the package that it is a part of ("under" in the table), and every package may import fault. Tests may
also import the test helpers of their own layer, and the parts of their own package; nothing but tests and test helpers
imports test helpers. Move the code to a lower layer that
both packages can import, or pass the needed value as a parameter. The table is in arch_test.go.`

	roomRule = `Add a line with the layer of the package to arch_test.go, with the reason why the code does
not fit into an existing package.`

	moduleRule = `Only one package imports a module, so that only one package changes when the module is
replaced. Test modules are for tests and their helpers. The table is in arch_test.go; the reasons are in
docs/decisions/0003-dependencies.md.`
)

// listed is what go list says of one package.
type listed struct {
	ImportPath                         string
	Imports, TestImports, XTestImports []string
}

// room returns the package's path in the table of packages.
func (p listed) room() string {
	return strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, strings.TrimSuffix(module, "/")), "/")
}

// listPackages asks the go command for every package of the module. With -e it does not fail
// for compile errors, which are reported elsewhere.
func listPackages(t *testing.T) []listed {
	t.Helper()
	out, err := exec.Command("go", "list", "-e", "-json=ImportPath,Imports,TestImports,XTestImports", "./...").Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		t.Fatalf("go list: %v\n%s", err, exit.Stderr)
	}
	if err != nil {
		t.Fatal(err)
	}
	var all []listed
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		err := dec.Decode(&p)
		if err == io.EOF {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

// watchSources opens every directory of the module. go test repeats an old
// result unless a file that the test itself opened has changed, and it cannot
// see what go list reads.
func watchSources(t *testing.T) {
	t.Helper()
	err := filepath.WalkDir(".", func(_ string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() && d.Name() == ".git" {
			return filepath.SkipDir
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// check returns the broken rules, one paragraph each.
func check(all []listed) []string {
	var broken []string
	for _, p := range all {
		from, known := findRoom(p.room())
		if !known {
			broken = append(broken, fmt.Sprintf("%s is not in the table of packages.\n%s", p.room(), roomRule))
			continue
		}
		for _, path := range p.Imports {
			broken = append(broken, checkImport(from, path, from.helper)...)
		}
		for _, path := range slices.Concat(p.TestImports, p.XTestImports) {
			broken = append(broken, checkImport(from, path, true)...)
		}
	}
	return broken
}

// checkImport returns the rules that are broken if from imports path.
func checkImport(from room, path string, test bool) []string {
	target := listed{ImportPath: path}
	to, known := findRoom(target.room())
	switch {
	case isStandard(path):
		return nil
	case strings.HasPrefix(path+"/", module):
		if !known || mayImport(from, to, test) {
			return nil // an unknown package is reported where it is listed
		}
		return []string{fmt.Sprintf("%s (layer %d) imports %s (layer %d).\n%s",
			from.path, from.layer, to.path, to.layer, layerRule)}
	case !mayUse(from, path, test):
		return []string{fmt.Sprintf("%s imports %s.\n%s", from.path, path, moduleRule)}
	}
	return nil
}

func mayImport(from, to room, test bool) bool {
	switch {
	case to.helper && !test && from.path != to.product:
		return false
	case to.layer < from.layer, to.all:
		return true
	case from.under != "" && from.under == to.path:
		return true
	case test && from.path == to.path: // a package and its own black-box test
		return true
	case test && to.under != "" && (to.under == from.path || to.under == from.under):
		return true
	}
	return test && to.helper && to.layer == from.layer
}

func mayUse(from room, path string, test bool) bool {
	for _, m := range modules {
		if strings.HasPrefix(path+"/", m.path+"/") {
			in := func(room string) bool {
				return room == from.path || m.parts && strings.HasPrefix(from.path, room+"/")
			}
			return test || m.in != "" && in(m.in) || slices.ContainsFunc(m.also, in) || from.helper && m.helper == from.path
		}
	}
	return false
}

// isStandard says whether a path is of the standard library: only a module's
// begins with a domain.
func isStandard(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return !strings.Contains(first, ".")
}

func findRoom(path string) (room, bool) {
	i := slices.IndexFunc(rooms, func(r room) bool { return r.path == path })
	if i < 0 {
		return room{}, false
	}
	return rooms[i], true
}

func TestCheckFindsWhatIsWrong(t *testing.T) {
	const (
		nothing  = ""
		cobra    = "github.com/spf13/cobra"
		cmp      = "github.com/google/go-cmp/cmp"
		sdk      = "github.com/github/copilot-sdk/go"
		internal = module + "internal/"
	)
	for _, tc := range []struct {
		name, from, imports string
		test                bool
		want                string
	}{
		{"down is fine", "internal/turn", internal + "eventlog", false, nothing},
		{"up is not", "internal/turn", internal + "session", false, "internal/turn (layer 4) imports internal/session (layer 6)."},
		{"up is not for a test either", "internal/turn", internal + "session", true, "internal/turn (layer 4) imports internal/session (layer 6)."},
		{"nor is a sibling", "internal/permit", internal + "config", false, "internal/permit (layer 1) imports internal/config (layer 1)."},
		{"nor a sibling at the bottom", "internal/jsonrpc", internal + "wire", false, "internal/jsonrpc (layer 0) imports internal/wire (layer 0)."},
		{"everybody may import fault", "internal/jsonrpc", internal + "fault", false, nothing},
		{"but fault nobody beside it", "internal/fault", internal + "obs", false, "internal/fault (layer 0) imports internal/obs (layer 0)."},
		{"a part may import its package", "internal/testing/modeltest", internal + "model", false, nothing},
		{"a package may not import its part", "internal/model", internal + "testing/modeltest", false, "internal/model (layer 2) imports internal/testing/modeltest (layer 2)."},
		{"but its test may import a helper", "internal/model", internal + "testing/modeltest", true, nothing},
		{"and its test may import a part", "internal/model", internal + "model/chat", true, nothing},
		{"as may that of another part", "internal/testing/modeltest", internal + "model/chat", true, nothing},
		{"a part may not import another", "internal/model/extensions", internal + "model/chat", false, "internal/model/extensions (layer 2) imports internal/model/chat (layer 2)."},
		{"the product may not import a helper of tests", "internal/app/chat", internal + "testing/modeltest", false, "internal/app/chat (layer 11) imports internal/testing/modeltest (layer 2)."},
		{"but the demo has a scripted model", "internal/app/demo", internal + "testing/modeltest", false, nothing},
		{"a black-box test imports its own", "internal/permit", internal + "permit", true, nothing},
		{"a package without a line", "internal/util", "fmt", false, "internal/util is not in the table of packages."},
		{"the standard library is free", "internal/fault", "net/http", false, nothing},
		{"a module in its package", "internal/app", cobra, false, nothing},
		{"a module in a part of its package", "internal/app/chat", cobra, false, nothing},
		{"a module in another package", "internal/server", cobra, false, "internal/server imports github.com/spf13/cobra."},
		{"a package below a module", "internal/wire", sdk + "/rpc", false, nothing},
		{"the SDK elsewhere", "internal/server", sdk + "/rpc", false, "internal/server imports github.com/github/copilot-sdk/go/rpc."},
		{"the SDK as a test's client", "internal/app", sdk, true, nothing},
		{"a test module in a test", "internal/app", cmp, true, nothing},
		{"a test module outside", "internal/app", cmp, false, "internal/app imports github.com/google/go-cmp/cmp."},
		{"a test module in a test helper", "internal/testing/logtest", cmp, false, nothing},
		{"a module with a like beginning", "internal/app", cobra + "x", false, "internal/app imports github.com/spf13/cobrax."},
		{"an unknown module, even in a test", "internal/app", "example.com/x", true, "internal/app imports example.com/x."},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := listed{ImportPath: module + tc.from}
			if tc.test {
				p.XTestImports = []string{tc.imports}
			} else {
				p.Imports = []string{tc.imports}
			}
			got, _, _ := strings.Cut(strings.Join(check([]listed{p}), "\n"), "\n")
			if got != tc.want {
				t.Errorf("check = %q, want %q", got, tc.want)
			}
		})
	}
}
