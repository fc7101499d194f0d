package sidestick_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// dependencies is the decision that says which modules we import, and what we have written instead.
const dependencies = "docs/decisions/0003-dependencies.md"

// TestTheTableOfModulesIsGoMod compares the table with go.mod: each module that we import has one row, with the version
// that go.mod requires, and arch_test.go says who imports it. A module that is rejected is not used.
func TestTheTableOfModulesIsGoMod(t *testing.T) {
	table := moduleRows(t)
	for _, path := range table.repeated {
		t.Errorf("%s has two rows", path)
	}
	for path, row := range table.rows {
		required := readGoMod(t, row.folder)
		if required[path].version == "" {
			t.Errorf("%s has a row, but %s does not require it", path, filepath.Join(row.folder, "go.mod"))
		}
		for _, v := range row.versions {
			if !slices.ContainsFunc(v.of, func(name string) bool { return required[named(required, name)].version == v.version }) {
				t.Errorf("the row of %s says %s of %s, and go.mod something else", path, v.version, strings.Join(v.of, " and "))
			}
		}
		if v := required[path].version; !strings.Contains(row.text, v) {
			t.Errorf("the row of %s does not say its version, %s", path, v)
		}
	}
	for path, m := range readGoMod(t, ".") {
		if _, has := table.rows[path]; !m.indirect && !has {
			t.Errorf("go.mod requires %s, which has no row", path)
		}
		if imported := slices.ContainsFunc(modules, func(l thirdParty) bool { return l.path == path }); !m.indirect && !imported {
			t.Errorf("go.mod requires %s, and arch_test.go does not say who may import it", path)
		}
	}
	for _, l := range modules {
		if m, has := readGoMod(t, ".")[l.path]; !has || m.indirect {
			t.Errorf("arch_test.go says who may import %s, which go.mod does not require", l.path)
		}
	}
	for _, name := range table.rejected {
		if path := named(readGoMod(t, "."), name); path != "" && !readGoMod(t, ".")[path].indirect {
			t.Errorf("%s is listed as rejected, and go.mod requires %s", name, path)
		}
	}
}

// TestLinesWrittenOurselvesAreMeasured compares the sizes in the same decision with the code. They may be a tenth off,
// so that not every change of the code is one of the decision.
func TestLinesWrittenOurselvesAreMeasured(t *testing.T) {
	for i, item := range strings.Split(writtenOurselves(t), "\n- ")[1:] {
		sizes := regexp.MustCompile("`([^` ]+)`, ([0-9,]+) lines").FindAllStringSubmatch(item, -1)
		if sizes == nil {
			t.Errorf("item %d does not say which package or file it is, and of how many lines: %.60s", i+1, item)
		}
		for _, m := range sizes {
			said, err := strconv.Atoi(strings.ReplaceAll(m[2], ",", ""))
			if err != nil {
				t.Fatal(err)
			}
			if n := linesOf(t, "internal/"+m[1]); said < n-n/10 || said > n+n/10 {
				t.Errorf("%s has %d lines, and the decision says %d", m[1], n, said)
			}
		}
	}
}

// moduleTable is what the decision says of modules.
type moduleTable struct {
	rows     map[string]moduleRow
	repeated []string // modules with two rows
	rejected []string // names in the last column, and in what we have written ourselves
}

// moduleRow is the row of a module.
type moduleRow struct {
	folder   string // of the go.mod that requires it
	text     string // of the cells with the module and its version
	versions []saidVersion
}

// saidVersion is a version that a row says, and the module that it may be of.
type saidVersion struct {
	version string
	of      []string
}

func moduleRows(t *testing.T) moduleTable {
	t.Helper()
	table := moduleTable{rows: map[string]moduleRow{}}
	quoted := regexp.MustCompile("`([^` ]+)`(?: (v[0-9][-.0-9a-z]*))?")
	for line := range strings.Lines(readDecision(t)) {
		cells := strings.Split(line, "|")
		if len(cells) != 8 || !strings.Contains(cells[2], "`") {
			continue
		}
		row := moduleRow{folder: ".", text: cells[2] + cells[3]}
		for _, m := range quoted.FindAllStringSubmatch(cells[5], -1) {
			if _, err := os.Stat(filepath.Join(m[1], "go.mod")); err == nil && strings.Contains(cells[5], "a module of its own") {
				row.folder = m[1]
			}
		}
		var heads []string
		rest := row.text
		for _, m := range quoted.FindAllStringSubmatch(row.text, -1) {
			if m[2] != "" {
				row.versions = append(row.versions, saidVersion{m[2], m[1:2]})
				rest = strings.Replace(rest, m[0], "", 1)
			} else if strings.Contains(cells[2], m[0]) {
				heads = append(heads, m[1])
			}
		}
		for _, v := range regexp.MustCompile(`\bv[0-9]+\.[-.0-9a-z]*[0-9a-z]`).FindAllString(rest, -1) {
			row.versions = append(row.versions, saidVersion{v, heads})
		}
		for _, path := range heads {
			if _, has := table.rows[path]; has {
				table.repeated = append(table.repeated, path)
			}
			table.rows[path] = row
		}
		for _, m := range quoted.FindAllStringSubmatch(cells[6], -1) {
			table.rejected = append(table.rejected, m[1])
		}
	}
	for _, m := range quoted.FindAllStringSubmatch(writtenOurselves(t), -1) {
		table.rejected = append(table.rejected, m[1])
	}
	return table
}

// required is a line of a go.mod.
type required struct {
	version  string
	indirect bool
}

func readGoMod(t *testing.T, folder string) map[string]required {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]required{}
	for _, m := range regexp.MustCompile(`(?m)^(?:\t|require )(\S+) (v\S+)( // indirect)?$`).FindAllStringSubmatch(string(text), -1) {
		all[m[1]] = required{m[2], m[3] != ""}
	}
	return all
}

// named is the module that a name is of: its path, the end of it, or its last word without the version; "" for none.
func named(all map[string]required, name string) string {
	for path := range all {
		bare := regexp.MustCompile(`/v[0-9]+$`).ReplaceAllString(path, "")
		if path == name || strings.HasSuffix(path, "/"+name) || strings.HasSuffix(bare, "/"+name) {
			return path
		}
	}
	return ""
}

func readDecision(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(dependencies)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// writtenOurselves is the list of what we have written in place of a module.
func writtenOurselves(t *testing.T) string {
	t.Helper()
	_, text, found := strings.Cut(readDecision(t), "**Written ourselves.**")
	if !found {
		t.Fatalf("%s does not say what we have written ourselves", dependencies)
	}
	text, _, _ = strings.Cut(text, "\nApart from these")
	return text
}

// linesOf is the number of lines of a file, or of the files of a package without its tests.
func linesOf(t *testing.T, path string) (n int) {
	t.Helper()
	err := filepath.WalkDir(path, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != path:
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		data, err := os.ReadFile(name)
		n += strings.Count(string(data), "\n")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}
