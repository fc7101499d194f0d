package history

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

const (
	// Most bounds the messages that are kept, the newest ones. The file is cut to them when it has
	// twice as many.
	Most = 2000
	// maxFile is the size in bytes from which on the file is cut too, to its newer half.
	maxFile = 4 << 20
	// maxRead bounds how much of the file is read, in bytes from its end.
	maxRead = 16 << 20
	// Longest bounds a message that is kept, in bytes. Longer ones are not stored.
	Longest = 64 << 10
)

// entry is a message of the user.
type entry struct {
	Text   string `json:"text"`
	Folder string `json:"folder,omitempty"` // "" in files of earlier versions
}

// History is the earlier messages of the user. One goroutine uses it.
type History struct {
	fs      vfs.FS
	path    string
	entries []entry // oldest first
}

// Open reads the history from a file, which need not exist. With an error, the History is empty and
// can be used.
func Open(ctx context.Context, fsys vfs.FS, path string) (*History, error) {
	h := &History{fs: fsys, path: path}
	data, err := h.read()
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		return h, h.failed("Open", err)
	}
	h.entries = parse(data)
	if n := len(h.entries); n >= 2*Most || len(data) >= maxFile {
		err = h.cut(ctx)
	}
	h.entries = newest(h.entries)
	return h, h.failed("Open", err)
}

// newest is the messages within the bound.
func newest(entries []entry) []entry { return entries[max(len(entries)-Most, 0):] }

// read returns the end of the file, from the beginning of a line on.
func (h *History) read() ([]byte, error) {
	f, err := h.fs.OpenFile(h.path, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	from := max(info.Size()-maxRead, 0)
	data, err := io.ReadAll(io.NewSectionReader(f, from, maxRead))
	if from > 0 {
		_, data, _ = bytes.Cut(data, []byte("\n"))
	}
	return data, err
}

// parse returns the messages of a file.
func parse(data []byte) (entries []entry) {
	for row := range bytes.Lines(data) {
		var e entry
		row = bytes.TrimSpace(row)
		var err error
		if bytes.HasPrefix(row, []byte(`"`)) {
			err = json.Unmarshal(row, &e.Text)
		} else {
			err = json.Unmarshal(row, &e)
		}
		if err == nil && e.Text != "" {
			entries = append(entries, e)
		}
	}
	return entries
}

// cut removes the oldest messages from the file. Messages that other processes have added meanwhile stay.
func (h *History) cut(ctx context.Context) error {
	return vfs.Change(ctx, h.fs, h.path, func(now []byte) ([]byte, error) {
		entries := newest(parse(now[max(len(now)-maxRead, 0):]))
		rows := make([][]byte, len(entries))
		size, keep := 0, len(entries)
		for i, e := range slices.Backward(entries) {
			rows[i] = e.row()
			if size += len(rows[i]); size > maxFile/2 {
				break
			}
			keep = i
		}
		return slices.Concat(rows[keep:]...), nil
	})
}

func (e entry) row() []byte {
	b, err := json.Marshal(e)
	if err != nil {
		return nil // cannot happen: it is two strings
	}
	return append(b, '\n')
}

// Lines returns the messages of a folder and those without one, oldest first. "" is the messages
// of all folders.
func (h *History) Lines(folder string) (lines []string) {
	for _, e := range h.entries {
		if folder == "" || e.Folder == "" || e.Folder == folder {
			lines = append(lines, e.Text)
		}
	}
	return lines
}

// Add stores a message as [History.Remember] does, and waits for the file.
func (h *History) Add(ctx context.Context, folder, text string) error {
	if store := h.Remember(folder, text); store != nil {
		return store(ctx)
	}
	return nil
}

// Remember adds a message, unless it begins with a space, repeats the last one of its folder, or is longer
// than [Longest]. The function that it returns, nil if there is nothing to do, puts the message into
// the file; any goroutine may call it, and it may wait for other processes until ctx ends. With an
// error, the message is in [History.Lines] and not in the file.
func (h *History) Remember(folder, text string) (store func(ctx context.Context) error) {
	if strings.TrimSpace(text) == "" || strings.HasPrefix(text, " ") || len(text) > Longest || h.last(folder) == text {
		return nil
	}
	e := entry{text, folder}
	h.entries = append(h.entries, e)
	if len(h.entries) >= 2*Most {
		h.entries = slices.Clone(newest(h.entries))
	}
	return func(ctx context.Context) error { return h.failed("Add", h.store(ctx, e.row())) }
}

// last is the last message of a folder.
func (h *History) last(folder string) string {
	for _, e := range slices.Backward(h.entries) {
		if e.Folder == folder {
			return e.Text
		}
	}
	return ""
}

// store adds a line to the file. The lock keeps a process that cuts the file from losing it.
func (h *History) store(ctx context.Context, row []byte) error {
	if err := h.fs.MkdirAll(filepath.Dir(h.path), 0o700); err != nil {
		return err
	}
	lock, err := vfs.Lock(ctx, h.fs, h.path+".lock")
	if err != nil {
		return err
	}
	defer lock.Close()
	f, err := h.fs.OpenFile(h.path, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	if torn(f) {
		row = append([]byte{'\n'}, row...)
	}
	_, err = f.Write(row)
	return errors.Join(err, f.Close())
}

// torn reports whether a file ends within a line, as after a full disk.
func torn(f vfs.File) bool {
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return false
	}
	var last [1]byte
	_, err = f.ReadAt(last[:], info.Size()-1)
	return err == nil && last[0] != '\n'
}

func (h *History) failed(op string, err error) error {
	if err == nil {
		return nil
	}
	return &fault.Error{
		Op: "history." + op, On: h.path, Kind: fault.Unavailable, Err: err,
		Hint: "messages that you type are not kept until this is repaired",
	}
}
