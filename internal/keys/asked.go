package keys

import (
	"context"
	"strings"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

const (
	// askWait bounds one question to a keyring or a command. Both may wait for the user, who has
	// to unlock something.
	askWait = 30 * time.Second
	// repeatWait is for how long a key that was given again after it was refused is not asked for
	// once more.
	repeatWait = 30 * time.Second
)

// asked is one question to a keyring or a command.
type asked struct {
	entry   Entry
	refused string // the key that was refused before the question
	at      time.Time

	done chan struct{} // closed when the rest is set
	key  string
	err  error
}

// answers reports whether the question need not be put again.
func (a *asked) answers(e Entry, refused string) bool {
	select {
	case <-a.done:
	default:
		return a.entry.equal(e) // it is being put
	}
	repeated := a.key == refused && a.refused == refused && time.Since(a.at) < repeatWait
	return a.err == nil && a.entry.equal(e) && (refused == "" || a.key != refused || repeated)
}

// ask returns the key that a keyring or a command has, from memory if it was asked before.
// Callers that ask at the same time wait for the same answer.
func (s *Store) ask(ctx context.Context, name string, e Entry, refused string) (string, error) {
	s.mu.Lock()
	a := s.asked[name]
	if a == nil || !a.answers(e, refused) {
		a = &asked{entry: e, refused: refused, at: time.Now(), done: make(chan struct{})}
		s.asked[name] = a
		s.runs.Go(func() {
			defer close(a.done)
			a.err = fault.Guard(op, func() (err error) {
				a.key, err = s.fetch(name, e)
				return err
			})
		})
	}
	s.mu.Unlock()
	select {
	case <-a.done:
		return a.key, a.err
	case <-ctx.Done():
		return "", fault.New(fault.Canceled, op, name, "%w", context.Cause(ctx))
	}
}

// fetch asks the keyring or runs the command.
func (s *Store) fetch(name string, e Entry) (string, error) {
	ctx, cancel := context.WithTimeout(s.ctx, askWait)
	defer cancel()
	if !e.Keyring {
		key, err := s.run(ctx, name, e.Command)
		s.opts.Secrets.AddPassing(key) // commands often print keys for a short time
		return key, err
	}
	var key string
	err := s.inRing(ctx, name, func(r Ring) (err error) {
		key, err = r.Get(name)
		return err
	})
	if key = strings.TrimSpace(key); err == nil {
		if bad := CheckKey(key); bad != nil {
			return "", fault.New(fault.Invalid, op, name, "what the keyring has cannot be used: %w", bad)
		}
	}
	s.opts.Secrets.Add(key)
	return key, err
}
