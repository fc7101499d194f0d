package projectfiles_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/projectfiles"
)

type onDisk struct{}

func (onDisk) ReadDir(name string) ([]fs.DirEntry, error) { return os.ReadDir(name) }
func (onDisk) Stat(name string) (fs.FileInfo, error)      { return os.Stat(name) }

// A command names a script in any spelling that a shell takes; a spelling that only the run decides is said.
func TestAScriptIsFoundInEverySpellingOfAShell(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{"scripts/guard.sh", "scripts/other.sh", "s13.sh", ".hidden.sh", "data.txt"} {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	resolve := func(path string) string { return path }
	for command, want := range map[string][]string{
		`bash "${CLAUDE_PROJECT_DIR:-.}/scripts/guard.sh"`: {"scripts/guard.sh"},
		`bash ${CLAUDE_PROJECT_DIR:-.}/scripts/guard.sh`:   {"scripts/guard.sh"},
		`bash "$CLAUDE_PROJECT_DIR"/scripts/guard.sh`:      {"scripts/guard.sh"},
		`bash scripts/g*.sh`:                               {"scripts/guard.sh"},
		`bash s*/g[a-z]*.s?`:                               {"scripts/guard.sh"},
		`bash scripts/{guard,other}.sh`:                    {"scripts/guard.sh", "scripts/other.sh"},
		`bash ${X:-scripts}/guard.sh`:                      {"scripts/guard.sh", "?"},
		`bash 's'13.sh`:                                    {"s13.sh"},
		`bash s1\3.s\h`:                                    {"s13.sh"},
		`sh -c "bash 's'13.sh"`:                            {"s13.sh"},
		`cd scripts && bash 'gua'rd.sh`:                    {"scripts/guard.sh"},
		`bash $(echo s13.sh)`:                              {"s13.sh", "?"},
		`bash scripts/$NAME.sh`:                            {"scripts/guard.sh", "scripts/other.sh", "?"},
		`bash "$1"`:                                        {"?"},
		`echo "$1" >dat'a'.txt`:                            nil,
		`ls | tee dat'a'.txt`:                              nil,
		`cat $HOME/x`:                                      nil,
		`bash '*.sh'`:                                      nil,
		"bash 's'13.sh\n(":                                 {"s13.sh"},
	} {
		files, unknown := projectfiles.Scripts(onDisk{}, resolve, folder, nil, command)
		var got []string
		for _, file := range files {
			rel, _ := filepath.Rel(folder, file)
			got = append(got, filepath.ToSlash(rel))
		}
		if len(unknown) > 0 {
			got = append(got, "?")
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q (%q), want %q", command, got, unknown, want)
		}
	}
}
