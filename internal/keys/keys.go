package keys

import (
	"context"
	"errors"
	"sync"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/obs"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// op names the operation in errors.
const op = "keys"

// MaxKey bounds a key, in bytes. The longest known ones are signed tokens of some kilobytes.
const MaxKey = 16 << 10

// Options configures [Open].
type Options struct {
	FS   vfs.FS // default the operating system
	Path string // of the file; it may not exist
	// Environ returns the environment of commands. Default: an empty one.
	Environ func() []string
	// Secrets gets to know every key that is found. Optional.
	Secrets *obs.Redactor
	// Ring is the keyring. Default that of the operating system.
	Ring Ring
	// NoRing says why no keyring is to be used; "" for no reason.
	NoRing string
}

// Store finds the keys of providers. It is safe for concurrent use.
type Store struct {
	opts Options
	ctx  context.Context // ends with Close
	end  context.CancelFunc
	runs sync.WaitGroup // every goroutine that asks a keyring or a command

	mu    sync.Mutex // guards asked
	asked map[string]*asked
}

// File is the name of the file in the home folder.
const File = "keys.json"

// Open returns the keys that the file of o names. It reads nothing. Call [Store.Close].
func Open(o Options) *Store {
	if o.FS == nil {
		o.FS = vfs.OS{}
	}
	if o.Secrets == nil {
		o.Secrets = &obs.Redactor{}
	}
	if o.Ring == nil {
		o.Ring = osRing{}
	}
	if o.Environ == nil {
		o.Environ = func() []string { return []string{} }
	}
	if o.NoRing != "" {
		o.Ring = noRing(o.NoRing)
	}
	s := &Store{opts: o, asked: map[string]*asked{}}
	s.ctx, s.end = context.WithCancel(context.Background())
	return s
}

// Path is the path of the file, which may not exist.
func (s *Store) Path() string { return s.opts.Path }

// Close ends commands that are running, and waits for them.
func (s *Store) Close() {
	s.end()
	s.runs.Wait()
}

// Key returns the key of a provider; "" if there is none. refused is a key that the provider has
// refused: a keyring or a command is then asked again, unless it was asked since and has given the
// same key, at most once in 30 seconds. "" accepts any.
//
// Errors are [fault.Invalid] for a file that is wrong, [fault.Denied] for one that others can
// read, [fault.Unavailable] for a keyring or a command that fails, and [fault.Canceled] if ctx
// ends first.
func (s *Store) Key(ctx context.Context, name, refused string) (string, error) {
	all, err := s.Entries()
	if err != nil {
		return "", err
	}
	e, known := all[name]
	if !known || e.Key != "" {
		return e.Key, nil
	}
	return s.ask(ctx, name, e, refused)
}

// Set stores where the key of a provider is, in place of what was stored. With [Entry.Keyring],
// key goes into the keyring; the error is [fault.Unavailable], and nothing is stored, if that
// fails.
func (s *Store) Set(ctx context.Context, name string, e Entry, key string) error {
	s.opts.Secrets.Add(key)
	s.opts.Secrets.Add(e.Key)
	err := e.check()
	if e.Keyring && err == nil {
		err = CheckKey(key)
	}
	if err != nil {
		return fault.New(fault.Invalid, op, name, "%w", err)
	}
	if e.Keyring {
		if err := s.inRing(ctx, name, func(r Ring) error { return r.Set(name, key) }); err != nil {
			return err
		}
	}
	var before Entry
	err = s.change(ctx, func(all map[string]Entry) { before, all[name] = all[name], e })
	if err == nil && before.Keyring && !e.Keyring {
		err = s.forget(ctx, name)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.asked, name)
	return err
}

// Remove removes the key of a provider, also from the keyring. It returns what was stored; the
// error is [fault.NotFound] if there was nothing.
func (s *Store) Remove(ctx context.Context, name string) (before Entry, err error) {
	known := false
	err = s.change(ctx, func(all map[string]Entry) {
		before, known = all[name]
		delete(all, name)
	})
	switch {
	case err != nil:
		return Entry{}, err
	case !known:
		return Entry{}, fault.New(fault.NotFound, op, name, "no key is kept for it")
	case before.Keyring:
		err = s.forget(ctx, name)
	}
	return before, err
}

// forget removes a key from the keyring. It may have been removed there already.
func (s *Store) forget(ctx context.Context, name string) error {
	err := s.inRing(ctx, name, func(r Ring) error { return r.Remove(name) })
	if errors.Is(err, ErrNotInRing) {
		return nil
	}
	return err
}
