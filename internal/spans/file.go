package spans

import (
	"log/slog"
	"os"
	"path/filepath"
	"sync"

	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// Options configures [New]. Path is required.
type Options struct {
	Path string
	FS   vfs.FS // default: that of the operating system
	// Source is the name of the instrumentation. Default "sidestick".
	Source string
	// Content also writes what is said: messages, arguments and results.
	Content bool
	Version string // of this program
	// Logger gets one warning if the file cannot be written. Default: none.
	Logger *slog.Logger
}

// File is the file of all sessions of a process. It is opened with the first span, and
// continued if it exists. It is safe for concurrent use.
type File struct {
	opts Options

	mu     sync.Mutex // guards the rest; held while a line is written
	file   vfs.File
	failed bool // nothing more is written
}

// New returns a file. It opens nothing yet.
func New(opts Options) *File {
	if opts.Source == "" {
		opts.Source = "sidestick"
	}
	if opts.FS == nil {
		opts.FS = vfs.OS{}
	}
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.DiscardHandler)
	}
	return &File{opts: opts}
}

// write appends a line. If that fails, nothing more is written, and the sessions go on.
func (f *File) write(line []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.failed {
		return
	}
	err := f.open()
	if err == nil {
		_, err = f.file.Write(append(line, '\n'))
	}
	if err != nil {
		f.failed = true
		f.opts.Logger.Warn("no more spans are written", "path", f.opts.Path, "err", err)
	}
}

func (f *File) open() (err error) {
	if f.file != nil {
		return nil
	}
	if err := f.opts.FS.MkdirAll(filepath.Dir(f.opts.Path), 0o700); err != nil {
		return err
	}
	f.file, err = f.opts.FS.OpenFile(f.opts.Path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	return err
}

// Close closes the file. Spans that end later are not written.
func (f *File) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.failed = true
	if f.file == nil {
		return nil
	}
	file := f.file
	f.file = nil
	return file.Close()
}
