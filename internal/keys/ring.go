package keys

import (
	"context"
	"errors"
	"fmt"

	"github.com/zalando/go-keyring"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

// Ring is a keyring: keys by the names of their providers.
type Ring interface {
	// Get returns [ErrNotInRing] for a name without a key.
	Get(name string) (string, error)
	Set(name, key string) error
	// Remove returns [ErrNotInRing] for a name without a key.
	Remove(name string) error
}

// ErrNotInRing is the error for a name without a key.
var ErrNotInRing = errors.New("the keyring has no key of this name")

// service is the name of this program in the keyring.
const service = "sidestick"

// inRing calls f with the keyring, for at most 30 seconds: keyrings wait for the user to unlock
// them. A call that takes longer cannot be interrupted, and is left alone.
func (s *Store) inRing(ctx context.Context, name string, f func(Ring) error) error {
	ctx, cancel := context.WithTimeout(ctx, askWait)
	defer cancel()
	done := make(chan error, 1)
	go func() {
		done <- fault.Guard(op, func() error { return f(s.opts.Ring) })
	}()
	var err error
	select {
	case err = <-done:
	case <-ctx.Done():
		err = fmt.Errorf("it does not answer (is it locked?): %w", ctx.Err())
	}
	switch {
	case err == nil:
		return nil
	case fault.IsPanic(err):
		return err
	}
	return &fault.Error{
		Op: op, On: name, Kind: fault.Unavailable, Err: &ringError{err},
		Hint: "to keep the key in a file: sidestick keys set " + name + " --store file",
	}
}

// RingFailure returns why the keyring could not be used, if that is the reason of err; else nil.
func RingFailure(err error) error {
	var r *ringError
	if errors.As(err, &r) {
		return r
	}
	return nil
}

// ringError is a failure of the keyring.
type ringError struct{ err error }

// Error implements error.
func (e *ringError) Error() string { return "the keyring of the operating system: " + e.err.Error() }

// Unwrap returns the reason.
func (e *ringError) Unwrap() error { return e.err }

// osRing is the keyring of the operating system: the Secret Service on Linux, the Keychain on
// macOS, the Credential Manager on Windows.
type osRing struct{}

// Get implements [Ring].
func (osRing) Get(name string) (string, error) {
	if err := present(); err != nil {
		return "", err
	}
	key, err := keyring.Get(service, name)
	return key, plain(err)
}

// Set implements [Ring].
func (osRing) Set(name, key string) error {
	if err := present(); err != nil {
		return err
	}
	return plain(keyring.Set(service, name, key))
}

// Remove implements [Ring].
func (osRing) Remove(name string) error {
	if err := present(); err != nil {
		return err
	}
	return plain(keyring.Delete(service, name))
}

func plain(err error) error {
	if errors.Is(err, keyring.ErrNotFound) {
		return ErrNotInRing
	}
	return err
}

// noRing is a keyring that is not there; its value says why.
type noRing string

func (r noRing) Get(string) (string, error) { return "", errors.New(string(r)) }
func (r noRing) Set(string, string) error   { return errors.New(string(r)) }
func (r noRing) Remove(string) error        { return errors.New(string(r)) }
