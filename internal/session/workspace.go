package session

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// workspaceFile describes the session in its own folder, for people and programs
// that look there. It is derived from the log: made with the first message, when
// the session gets a name and when it goes to another directory, and never needed.
const workspaceFile = "workspace.yaml"

// Workspace describes the session's folder.
func (s *Session) Workspace(ctx context.Context) (w *wire.Workspace, err error) {
	err = s.do(ctx, func() error {
		sum := s.workspace()
		w = &wire.Workspace{
			ID: sum.ID, Name: sum.Name, UserNamed: sum.UserNamed, Cwd: sum.Cwd, GitRoot: sum.GitRoot,
			Repository: sum.Repository, Branch: sum.Branch, CreatedAt: sum.CreatedAt, UpdatedAt: sum.UpdatedAt,
		}
		return nil
	})
	return w, err
}

func (s *Session) workspace() *wire.WorkspaceSummary {
	created, updated := whole(s.state.Started), whole(s.state.Modified)
	return &wire.WorkspaceSummary{
		ID: s.id, Name: wire.Optional(s.state.Label()), UserNamed: wire.Optional(s.state.Name.User), Cwd: wire.Optional(s.state.Cwd), GitRoot: wire.Optional(s.state.GitRoot),
		Repository: wire.Optional(s.state.Repository), Branch: wire.Optional(s.state.Branch), CreatedAt: &created, UpdatedAt: &updated,
	}
}

// describeWorkspace writes the file anew. It is not synced: whoever finds an old or
// a torn one can do without. A failure harms nobody else.
func (s *Session) describeWorkspace() {
	fsys, name := s.reg.opts.FS, filepath.Join(s.dir, workspaceFile)
	err := writeFile(fsys, name+".tmp", s.workspaceYAML())
	if err == nil {
		err = fsys.Rename(name+".tmp", name)
	}
	if err != nil {
		s.logs.Warn("the session's folder is not described", "file", name, "err", err)
	}
}

func writeFile(fsys vfs.FS, name string, data []byte) error {
	f, err := fsys.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

// workspaceYAML is the description. A JSON string is one of YAML, too.
func (s *Session) workspaceYAML() []byte {
	var b []byte
	line := func(key, value string) {
		if value != "" {
			b = append(wire.AppendString(append(b, key+": "...), value), '\n')
		}
	}
	line("id", s.id)
	line("name", s.state.Label())
	if s.state.Name.User {
		b = append(b, "user_named: true\n"...)
	}
	line("cwd", s.state.Cwd)
	line("git_root", s.state.GitRoot)
	line("repository", s.state.Repository)
	line("branch", s.state.Branch)
	line("created_at", whole(s.state.Started).Format(time.RFC3339))
	return b
}

// describedName reads a session's name from its description, "" if there is none:
// lists read no more of a log than its head, and a name may be given any time.
func describedName(fsys vfs.FS, dir string) string {
	data, err := fsys.ReadFile(filepath.Join(dir, workspaceFile))
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(data)) {
		if value, ok := strings.CutPrefix(line, "name: "); ok {
			var name string
			_ = json.Unmarshal([]byte(value), &name) // torn: the title will do
			return name
		}
	}
	return ""
}
