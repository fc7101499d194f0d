package keys

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// Entry says where the key of a provider is. Exactly one field is set.
type Entry struct {
	// Key is the key itself.
	Key string `json:"key,omitempty"`
	// Command is a program and its arguments. It prints the key.
	Command []string `json:"command,omitempty"`
	// Keyring says that the key is in the keyring of the operating system.
	Keyring bool `json:"keyring,omitempty"`
}

// check refuses an entry with no place or with several.
func (e Entry) check() error {
	places := 0
	for _, set := range []bool{e.Key != "", len(e.Command) > 0, e.Keyring} {
		if set {
			places++
		}
	}
	switch {
	case places != 1:
		return errors.New(`it needs exactly one of "key", "command" and "keyring": true`)
	case len(e.Command) > 0 && e.Command[0] == "":
		return errors.New("its command names no program")
	case e.Key != "":
		return CheckKey(e.Key)
	}
	return nil
}

// CheckKey refuses a text that cannot be a key: an HTTP header cannot have it as a value. The
// error does not repeat it.
func CheckKey(key string) error {
	switch {
	case key == "":
		return errors.New("the key is empty")
	case len(key) > MaxKey:
		return fmt.Errorf("the key is longer than %d bytes", MaxKey)
	case strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }):
		return errors.New("the key has a space, a line feed or another character that no key has")
	}
	return nil
}

const (
	// fileVersion is the version of the file that this program writes.
	fileVersion = 1
	// maxFile bounds the file, in bytes.
	maxFile = 1 << 20
)

type keysFile struct {
	Version int              `json:"version"`
	Keys    map[string]Entry `json:"keys"`
}

// Entries returns where the keys of all providers in the file are. Its errors are those of
// [Store.Key]; they show nothing of the file.
func (s *Store) Entries() (map[string]Entry, error) {
	data, err := s.read()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, s.failure(err)
	}
	return s.parse(data)
}

// read reads the file if nobody else can.
func (s *Store) read() ([]byte, error) {
	f, err := s.opts.FS.OpenFile(s.opts.Path, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // nothing was written
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 && runtime.GOOS != "windows" { // which has no such modes
		return nil, &fault.Error{
			Op: op, On: s.opts.Path, Kind: fault.Denied, Err: fmt.Errorf("other users of this machine can read or change it (its mode is %04o)", mode),
			Hint: "chmod 600 " + s.opts.Path + ", and replace the keys in it if others may have read them",
		}
	}
	if vfs.Foreign(info) {
		return nil, &fault.Error{
			Op: op, On: s.opts.Path, Kind: fault.Denied, Err: errors.New("it belongs to another user of this machine"),
			Hint: "chown it to yourself, if the keys and commands in it are yours",
		}
	}
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(data) > maxFile {
		err = s.wrong("it is longer than %d bytes", maxFile)
	}
	return data, err
}

func (s *Store) parse(data []byte) (map[string]Entry, error) {
	var f keysFile
	if json.Unmarshal(data, &f) != nil { // the error could quote a key
		return nil, s.wrong("it is not a file of keys")
	}
	for _, e := range f.Keys {
		s.opts.Secrets.Add(e.Key) // all of them: a tool could print the file
	}
	if f.Version > fileVersion {
		return nil, s.wrong("its version is %d, and this program knows %d: a newer Sidestick wrote it", f.Version, fileVersion)
	}
	for _, name := range slices.Sorted(maps.Keys(f.Keys)) {
		if err := f.Keys[name].check(); err != nil {
			return nil, s.wrong("the entry of %s: %w", name, err)
		}
	}
	return f.Keys, nil
}

func (s *Store) wrong(format string, args ...any) error {
	err := fault.New(fault.Invalid, op, "", "%s: %w", s.opts.Path, fmt.Errorf(format, args...))
	err.Hint = "correct it, or move it away and set the keys again: sidestick keys set"
	return err
}

// failure returns an error of the file as a fault.
func (s *Store) failure(err error) error {
	if known := new(fault.Error); errors.As(err, &known) {
		return err
	}
	return vfs.Failure(op, s.opts.Path, err)
}

// change changes the entries of the file, which is created if necessary, readable for the user
// only.
func (s *Store) change(ctx context.Context, f func(map[string]Entry)) error {
	err := vfs.Change(ctx, s.opts.FS, s.opts.Path, func(now []byte) ([]byte, error) {
		next := keysFile{Version: fileVersion, Keys: map[string]Entry{}}
		if now != nil {
			data, err := s.read() // with its mode
			if err != nil {
				return nil, err
			}
			all, err := s.parse(data)
			if err != nil {
				return nil, err
			}
			maps.Copy(next.Keys, all)
		}
		before := maps.Clone(next.Keys)
		f(next.Keys)
		if maps.EqualFunc(before, next.Keys, Entry.equal) {
			return now, nil
		}
		data, err := json.MarshalIndent(next, "", "  ")
		return append(data, '\n'), err
	})
	if err != nil {
		return s.failure(err)
	}
	return nil
}

func (e Entry) equal(other Entry) bool {
	return e.Key == other.Key && e.Keyring == other.Keyring && slices.Equal(e.Command, other.Command)
}
