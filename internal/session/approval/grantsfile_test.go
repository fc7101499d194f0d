package approval

import (
	"errors"
	"io/fs"
	"strings"
	"syscall"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

const grantsPath = "/home/permissions.json"

// holding is a disk on which the file of grants has the given content.
func holding(t *testing.T, content string) *vfs.Mem {
	t.Helper()
	disk := vfs.NewMem()
	if err := vfs.MkdirAllSync(disk, "/home", 0o700); err != nil {
		t.Fatal(err)
	}
	if err := vfs.WriteFileAtomic(disk, grantsPath, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return disk
}

// A file that is not what this program writes is reported in words of JSON, and stays as it is.
func TestADamagedFileOfGrantsIsReportedAndKept(t *testing.T) {
	for content, want := range map[string]string{
		"":                               "it is not JSON",
		"{":                              "it is not JSON",
		"null":                           "it is a JSON null, want an object",
		" null\n":                        "it is a JSON null, want an object",
		"[]":                             "it is a JSON array, want an object",
		`""`:                             "it is a JSON string, want an object",
		"3":                              "it is a JSON number, want an object",
		`{"locations":[]}`:               "locations is a JSON array, want an object",
		`{"trustedFolders":"/w"}`:        "trustedFolders is a JSON string, want an array",
		`{"version":2,"addresses":[""]}`: "a newer Sidestick wrote it",
	} {
		disk := holding(t, content)
		g := OpenGrants(disk, grantsPath)
		_, reading := g.read()
		_, checking := g.Check()
		for _, err := range []error{reading, checking, g.Trust("/w", nil)} {
			if err == nil || !strings.Contains(err.Error(), want) || (strings.Contains(err.Error(), "repair the file") == strings.Contains(content, "version")) ||
				strings.Contains(err.Error(), "grantsFile") || fault.KindOf(err) != fault.Invalid {
				t.Errorf("%q: %v, want an error with %q", content, err, want)
			}
		}
		if now, err := disk.ReadFile(grantsPath); string(now) != content {
			t.Errorf("%q was overwritten with %q, %v", content, now, err)
		}
	}
}

// The advice is for the cause: a file that cannot be opened is not damaged.
func TestAFileOfGrantsThatCannotBeOpenedIsNotCalledDamaged(t *testing.T) {
	for cause, want := range map[error]string{
		fs.ErrPermission: "let this user read and write it",
		syscall.EMFILE:   "raise the limit",
		syscall.EIO:      "check the disk",
	} {
		failing := vfs.Fail(holding(t, "{}"), func(op vfs.Op) error {
			if op.Path == grantsPath {
				return cause
			}
			return nil
		})
		g := OpenGrants(failing, grantsPath)
		_, reading := g.read()
		for _, err := range []error{reading, g.Trust("/w", nil)} {
			if !errors.Is(err, cause) || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "repair") {
				t.Errorf("%v: %v, want advice with %q", cause, err, want)
			}
		}
	}
}

func TestALocationThatIsNullHasNoApprovals(t *testing.T) {
	g := OpenGrants(holding(t, `{"version":1,"locations":{"/w":null}}`), grantsPath)
	if err := g.Trust("/w", nil); err != nil {
		t.Error(err)
	}
	if b, err := g.read(); err != nil || len(b.Locations) != 0 {
		t.Errorf("%v, %v", b.Locations, err)
	}
}

func TestCheckNamesStoredRulesThatCouldNeverMatch(t *testing.T) {
	g := OpenGrants(holding(t, `{"locations":{"/w":{"rules":[{"kind":"shell","argument":"git status"},{"kind":"Shell"},{"kind":"write","argument":"\"a\""}]}}}`), grantsPath)
	odd, err := g.Check()
	if err != nil || len(odd) != 2 || !strings.Contains(odd[0], `/w: rule Shell: there is no kind of rule`) || !strings.Contains(odd[1], "quotes") {
		t.Errorf("Check = %q, %v", odd, err)
	}
}
