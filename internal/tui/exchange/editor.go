package exchange

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

// maxEdited bounds the text that comes back from an editor, in bytes.
const maxEdited = 16 << 20

// Edit is a text in a temporary file that only the user can read, while an editor has it open.
type Edit struct {
	// Command is the editor with its arguments, to be run at the terminal. The caller waits for it.
	Command []string

	dir string
}

// NewEdit writes text to a temporary file. The editor is that of the variables VISUAL or EDITOR, which
// may have arguments, or else vi or nano; see [Editor]. Close removes the file.
func NewEdit(text string, getenv func(string) string) (*Edit, error) {
	command, err := Editor(getenv)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "sidestick-edit-") // for the user alone, as are the files that editors put beside ours
	if err != nil {
		return nil, failed("NewEdit", os.TempDir(), err, "set TMPDIR to a folder that can be written")
	}
	e := &Edit{dir: dir}
	e.Command = append(command, e.path())
	if err := os.WriteFile(e.path(), []byte(text), 0o600); err != nil {
		e.Close()
		return nil, failed("NewEdit", dir, err, "set TMPDIR to a folder with room")
	}
	return e, nil
}

func (e *Edit) path() string { return filepath.Join(e.dir, "message.md") }

// Text returns the text as the editor has left it, with line feeds as its line breaks and without
// the one at its end that editors add.
func (e *Edit) Text() (string, error) {
	f, err := os.Open(e.path())
	if err != nil {
		return "", failed("Edit.Text", e.path(), err, "the text in the input box is as it was")
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxEdited+1))
	if err == nil && len(data) > maxEdited {
		err = errors.New("it is larger than 16 MiB")
	}
	if err != nil {
		return "", failed("Edit.Text", e.path(), err, "the text in the input box is as it was")
	}
	text := strings.ReplaceAll(strings.TrimPrefix(string(data), "\ufeff"), "\r\n", "\n")
	return strings.TrimSuffix(text, "\n"), nil
}

// Close removes the file.
func (e *Edit) Close() { _ = os.RemoveAll(e.dir) }

// Editor is the user's editor with its arguments: that of the variables VISUAL or EDITOR; without one, vi as in git, or
// nano.
func Editor(getenv func(string) string) ([]string, error) {
	for _, v := range [...]struct{ name, value string }{{"VISUAL", getenv("VISUAL")}, {"EDITOR", getenv("EDITOR")}} {
		value := strings.TrimSpace(v.value)
		if value == "" {
			continue
		}
		words, ok := split(value, runtime.GOOS == "windows")
		if !ok || len(words) == 0 {
			return nil, failed("NewEdit", v.name, errors.New("a quote is not closed in "+value), "write it as in a shell: EDITOR='code --wait'")
		}
		return words, nil
	}
	for _, usual := range []string{"vi", "nano"} {
		if at, err := exec.LookPath(usual); err == nil {
			return []string{at}, nil
		}
	}
	return nil, failed("NewEdit", "", errors.New("no editor is set"), "set VISUAL or EDITOR, as in: export EDITOR=nano")
}

func failed(op, on string, err error, hint string) error {
	return &fault.Error{Op: "exchange." + op, On: on, Kind: fault.Unavailable, Hint: hint, Err: err}
}
