package approval

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"sync"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// Vault keeps what makes a session one of ours, wherever it runs: the key by which sessions
// are known, and what was granted in each of them. The machines of a cluster share one, so
// that a session which moves between them is not foreign; see
// docs/decisions/0021-grants-and-the-log.md. It is safe for concurrent use, also by several
// processes.
//
// Whoever can write to a vault can grant anything. A crash may lose what Put was storing, and
// never leaves anything else.
type Vault interface {
	// Key returns the key, keyBytes random bytes. The first call of all makes it.
	Key(ctx context.Context) ([]byte, error)
	// Session returns what Put has stored about a session; nil if nothing.
	Session(ctx context.Context, id string) ([]byte, error)
	// Put replaces what is stored about a session. It is durable when Put returns nil.
	Put(ctx context.Context, id string, data []byte) error
	// Delete removes what is stored about a session. Without anything it does nothing.
	Delete(ctx context.Context, id string) error
	// Name says where what is stored about a session is, for messages.
	Name(id string) string
}

// Places keeps the approvals for folders and locations, which belong to one machine: on
// another one the same path may be another project. It is safe for concurrent use, also by
// several processes.
type Places interface {
	// Read returns what the last Change has stored; nil if nothing was stored yet.
	Read(ctx context.Context) ([]byte, error)
	// Change replaces what is stored by the result of f for it. f is called once, while no
	// other Change is under way, and its error is returned as it is. If f returns an error, or
	// what it got, nothing is stored. The result is durable when Change returns nil.
	Change(ctx context.Context, f func(now []byte) ([]byte, error)) error
	// Name says where the approvals are, for messages.
	Name() string
}

// storeWait bounds one call of a [Vault] or [Places]. Files need much less, and wait for the
// locks of other processes for two seconds at most.
const storeWait = 10 * time.Second

// bounded returns the context of one call of a store. No caller ends it: a grant that a
// client was told of must not depend on whether that client still waits.
func bounded() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), storeWait)
}

// newKey makes a key.
func newKey() ([]byte, error) {
	key := make([]byte, keyBytes)
	_, err := rand.Read(key)
	return key, err
}

// Files returns the stores in files, which several processes share. approvals is the file of
// the places; the key and a folder of the grants of sessions are beside it. To change the
// places, a process locks the file, reads it, and replaces it.
func Files(fsys vfs.FS, approvals string) (Vault, Places) {
	f := onDisk{fsys, approvals}
	return vaultFiles{f}, placesFile{f}
}

// onDisk is the file of the places, and what is beside it.
type onDisk struct {
	fs   vfs.FS
	path string
}

// failed makes a fault of an error of a file, and leaves one that is a fault.
func failed(path string, err error) error {
	if known := new(fault.Error); err == nil || errors.As(err, &known) {
		return err
	}
	return vfs.Failure("permissions", path, err)
}

// read returns the content of a file; nil if there is none.
func (f onDisk) read(path string) ([]byte, error) {
	data, err := f.fs.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err == nil && data == nil:
		data = []byte{}
	}
	return data, failed(path, err)
}

type placesFile struct{ onDisk }

func (p placesFile) Name() string { return p.path }

func (p placesFile) Read(context.Context) ([]byte, error) { return p.read(p.path) }

func (p placesFile) Change(ctx context.Context, f func(now []byte) ([]byte, error)) error {
	var refused error
	err := vfs.Change(ctx, p.fs, p.path, func(now []byte) (next []byte, err error) {
		next, refused = f(now)
		return next, refused
	})
	if refused != nil {
		return refused
	}
	return failed(p.path, err)
}

// keyFile is the key of this machine, sessionFolder the folder of the grants of sessions;
// both are beside the file of the places.
const (
	keyFile       = "session.key"
	sessionFolder = "session-grants"
)

type vaultFiles struct{ onDisk }

// Name returns the file with the grants of a session. It is a hash, because not every id can
// be the name of a file.
func (v vaultFiles) Name(id string) string {
	return filepath.Join(filepath.Dir(v.path), sessionFolder, fmt.Sprintf("%x.json", sha256.Sum256([]byte(id)))[:32]+".json")
}

func (v vaultFiles) Key(ctx context.Context) ([]byte, error) {
	path := filepath.Join(filepath.Dir(v.path), keyFile)
	key, err := vfs.ReadOrCreate(ctx, v.fs, path, newKey)
	if err == nil && len(key) != keyBytes {
		return nil, &fault.Error{
			Op: "permissions", On: path, Kind: fault.Invalid, Err: fmt.Errorf("it has %d bytes, want %d", len(key), keyBytes),
			Hint: "remove the file; sessions that were made before then ask again",
		}
	}
	return key, failed(path, err)
}

func (v vaultFiles) Session(_ context.Context, id string) ([]byte, error) { return v.read(v.Name(id)) }

func (v vaultFiles) Put(_ context.Context, id string, data []byte) error {
	path := v.Name(id)
	err := vfs.MkdirAllSync(v.fs, filepath.Dir(path), 0o700)
	if err == nil {
		err = vfs.WriteFileAtomic(v.fs, path, data, 0o600)
	}
	return failed(path, err)
}

func (v vaultFiles) Delete(_ context.Context, id string) error {
	path := v.Name(id)
	err := v.fs.Remove(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return failed(path, err)
}

// InMemory returns stores that end with the process.
func InMemory() (Vault, Places) { return &memoryVault{}, &memoryPlaces{} }

type memoryPlaces struct {
	mu   sync.Mutex // guards the rest; held while f of Change runs
	data []byte
}

func (p *memoryPlaces) Name() string { return "memory" }

func (p *memoryPlaces) Read(context.Context) ([]byte, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return bytes.Clone(p.data), nil
}

func (p *memoryPlaces) Change(_ context.Context, f func(now []byte) ([]byte, error)) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	next, err := f(bytes.Clone(p.data))
	if err == nil {
		p.data = bytes.Clone(next)
	}
	return err
}

type memoryVault struct {
	mu       sync.Mutex // guards the rest
	key      []byte
	sessions map[string][]byte
}

func (v *memoryVault) Name(string) string { return "memory" }

func (v *memoryVault) Key(context.Context) (key []byte, err error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.key == nil {
		v.key, err = newKey()
	}
	return bytes.Clone(v.key), err
}

func (v *memoryVault) Session(_ context.Context, id string) ([]byte, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	return bytes.Clone(v.sessions[id]), nil
}

func (v *memoryVault) Put(_ context.Context, id string, data []byte) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.sessions == nil {
		v.sessions = map[string][]byte{}
	}
	v.sessions[id] = bytes.Clone(data)
	return nil
}

func (v *memoryVault) Delete(_ context.Context, id string) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	delete(v.sessions, id)
	return nil
}
