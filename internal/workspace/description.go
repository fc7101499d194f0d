package workspace

import (
	"context"
	"encoding/json"
	"strings"
	"sync/atomic"
	"time"

	"github.com/sidestick-dev/sidestick/internal/wire"
)

// descriptionName is the file that describes the session for users and programs that look
// into its folder. It is derived from the log and never required. It is written with the
// first message, when the session gets a name, and when its working directory changes.
const descriptionName = "workspace.yaml"

// maxDescription bounds the bytes read of a description.
const maxDescription = 64 << 10

// Description is the content of the file. Empty fields are left out.
type Description struct {
	ID, Name                         string
	UserNamed                        bool // the user chose the name
	Cwd, GitRoot, Repository, Branch string
	Created                          time.Time
}

type pending struct{ atomic.Pointer[Description] }

// Describe notes a new description. It writes nothing and waits for
// nothing: the next [Workspace.Flush] writes it.
func (w *Workspace) Describe(d Description) { w.pending.Store(&d) }

// Described reports whether a description was noted that no [Workspace.Flush] has begun to
// write. It waits for nothing.
func (w *Workspace) Described() bool { return w.pending.Load() != nil }

// Flush writes the description that was noted last, if it has not been written. A
// failure harms nothing but the description. Flush may be called at any time; it waits for
// calls that are writing already.
func (w *Workspace) Flush(ctx context.Context) error {
	w.described.Lock()
	defer w.described.Unlock()
	d := w.pending.Swap(nil)
	if d == nil {
		return nil
	}
	_, err := w.files.Write(ctx, descriptionName, d.yaml(), Derived)
	return w.fail("session", descriptionName, err)
}

// yaml returns the text of a description. A JSON string is a YAML string too.
func (d *Description) yaml() []byte {
	var b []byte
	line := func(key, value string) {
		if value != "" {
			b = append(wire.AppendString(append(b, key+": "...), value), '\n')
		}
	}
	line("id", d.ID)
	line("name", d.Name)
	if d.UserNamed {
		b = append(b, "user_named: true\n"...)
	}
	line("cwd", d.Cwd)
	line("git_root", d.GitRoot)
	line("repository", d.Repository)
	line("branch", d.Branch)
	line("created_at", d.Created.Format(time.RFC3339))
	return b
}

// Name reads the session's name from its description, "" if there is none, and whether the
// user has chosen it. Lists use it because they read only the head of a log, and a session
// can be named at any time.
func (w *Workspace) Name(ctx context.Context) (name string, byUser bool) {
	data, err := w.files.Read(ctx, descriptionName, maxDescription)
	if err != nil {
		return "", false
	}
	for line := range strings.Lines(string(data)) {
		if value, ok := strings.CutPrefix(line, "name: "); ok {
			_ = json.Unmarshal([]byte(value), &name) // if truncated, the title is used
		}
		byUser = byUser || line == "user_named: true\n"
	}
	return name, byUser && name != ""
}
