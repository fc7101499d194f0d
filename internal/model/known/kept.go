package known

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// WindowsFile is the name of the file of [Windows] in the home of the program.
const WindowsFile = "windows.json"

const (
	// maxKept bounds the entries of the file; those that were learnt longest ago go first. maxKeptName bounds
	// an address and the name of a model together, in bytes; what is longer is not kept.
	maxKept     = 256
	maxKeptName = 1024
	// maxKeptFile bounds a file that is believed, in bytes: some three times what maxKept entries have. A longer
	// one counts as damaged.
	maxKeptFile = 1 << 20
	// keptFor is how long an entry counts since it was learnt last: servers change.
	keptFor = 30 * 24 * time.Hour
	// refreshed is how much newer an entry has to be to be written although it says the same, so that what is
	// confirmed each day does not end after keptFor.
	refreshed = 24 * time.Hour
	// keptWait bounds the wait for another process that writes the file.
	keptWait = 2 * time.Second
)

// KeptWindow is what calls have shown about the window of a model: what its server has said, and
// what an error of its provider has named. Tokens are those of prompt and answer together.
type KeptWindow struct {
	// Address is a base URL without user and query, Model the name that is sent.
	Address string `json:"address"`
	Model   string `json:"model"`
	// Said is what the server has said, 0 for nothing, Source where, and SaidOn when.
	Said   int64     `json:"said,omitempty"`
	Source string    `json:"source,omitempty"`
	SaidOn time.Time `json:"saidOn,omitzero"`
	// Named is what an error has named, 0 for nothing, and NamedOn when. Against is what the server
	// says since the error: when it says something else, the server has changed, and the error counts no longer.
	Named   int64     `json:"named,omitempty"`
	NamedOn time.Time `json:"namedOn,omitzero"`
	Against int64     `json:"against,omitempty"`
}

// last is when the entry was learnt.
func (k *KeptWindow) last() time.Time {
	if k.SaidOn.After(k.NamedOn) {
		return k.SaidOn
	}
	return k.NamedOn
}

// same reports whether two entries say the same, but for a part of a day.
func (k *KeptWindow) same(o *KeptWindow) bool {
	a, b := *k, *o
	near := a.last().Sub(b.last()).Abs() < refreshed
	a.SaidOn, a.NamedOn, b.SaidOn, b.NamedOn = time.Time{}, time.Time{}, time.Time{}, time.Time{}
	return near && a == b
}

// Windows is a small file, windows.json, with the windows of models that were learnt, for the next process.
// Several processes share it: each change reads it again, under a lock. It has no secret. A damaged file counts as
// empty, and is replaced with the next change. Safe for concurrent use.
type Windows struct {
	fs   vfs.FS
	path string // "": nothing is kept
	log  *slog.Logger

	mu   sync.Mutex // guards the rest; not held while the file is changed
	read bool
	all  []KeptWindow
}

// OpenWindows returns the windows in a home folder, which may not have the file; "" keeps nothing. It reads
// nothing yet. fsys nil is the operating system, and log nil logs nothing.
func OpenWindows(fsys vfs.FS, home string, log *slog.Logger) *Windows {
	w := &Windows{fs: fsys, log: log}
	if fsys == nil {
		w.fs = vfs.OS{}
	}
	if log == nil {
		w.log = slog.New(slog.DiscardHandler)
	}
	if home != "" {
		w.path = filepath.Join(home, WindowsFile)
	}
	return w
}

// Of returns what is kept about a model; the zero value for nothing. The file is read once.
func (w *Windows) Of(address, model string) KeptWindow {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.read && w.path != "" {
		w.read = true
		data, err := w.fs.ReadFile(w.path)
		if err == nil {
			w.all, err = readWindows(data)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			w.log.Warn("the windows of models that earlier processes have learnt are not used, because their file cannot be read", "file", w.path, "err", err)
		}
	}
	if i := at(w.all, address, model); i >= 0 {
		return w.all[i]
	}
	return KeptWindow{}
}

func at(all []KeptWindow, address, model string) int {
	return slices.IndexFunc(all, func(k KeptWindow) bool { return k.Address == address && k.Model == model })
}

// Keep stores an entry in place of that of the same address and model. It waits for the disk, at most two
// seconds for other processes. If a window cannot be stored, the log says so; the next process then learns it again.
func (w *Windows) Keep(k KeptWindow) {
	if w.path == "" || k.Address == "" || strings.ContainsAny(k.Address, "@?") || len(k.Address)+len(k.Model) > maxKeptName || k.Said+k.Named == 0 {
		return
	}
	if now := w.Of(k.Address, k.Model); now.same(&k) {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), keptWait)
	defer cancel()
	var all []KeptWindow
	err := vfs.Change(ctx, w.fs, w.path, func(data []byte) ([]byte, error) {
		var err error
		if all, err = readWindows(data); err != nil {
			w.log.Warn("the file with the windows of models is damaged, and is written anew", "file", w.path, "err", err)
		}
		if i := at(all, k.Address, k.Model); i >= 0 {
			all = slices.Delete(all, i, i+1)
		}
		all = append(all, k)
		slices.SortStableFunc(all, func(a, b KeptWindow) int { return a.last().Compare(b.last()) })
		all = all[max(len(all)-maxKept, 0):]
		text, err := json.MarshalIndent(keptFile{all}, "", "  ")
		return append(text, '\n'), err
	})
	if err != nil {
		w.log.Warn("the window of a model was not kept for the next process", "file", w.path, "err", err)
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.all, w.read = all, true
}

type keptFile struct {
	Windows []KeptWindow `json:"windows"`
}

// readWindows reads the file. Entries that are too old, or impossible, are left out.
func readWindows(data []byte) ([]KeptWindow, error) {
	if len(data) == 0 {
		return nil, nil
	}
	if len(data) > maxKeptFile {
		return nil, errors.New("it is longer than 1 MiB")
	}
	var f keptFile
	if err := json.Unmarshal(data, &f); err != nil {
		return nil, err
	}
	bad := func(n int64) bool { return n < 0 || n > maxTokens }
	now := time.Now()
	return slices.DeleteFunc(f.Windows, func(k KeptWindow) bool {
		return bad(k.Said) || bad(k.Named) || bad(k.Against) || k.Said+k.Named == 0 || k.Address == "" || now.Sub(k.last()) > keptFor || len(k.Source) > 100
	}), nil
}
