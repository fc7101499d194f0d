package oauth

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"sync"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// Tokens keeps the tokens of servers, by their addresses: in a file that only the user can read, or
// in memory. Several processes may use the file at once. It is safe for concurrent use.
type Tokens struct {
	fs   vfs.FS
	path string // "": in memory

	mu     sync.Mutex // guards the rest
	memory map[string]Token
	busy   map[string]chan struct{} // closed when the refresh of a server's token has ended
}

// File is the name of the file with the tokens in the home folder.
const File = "mcp-tokens.json"

// OpenTokens returns the tokens in a file, which may not exist and is read only when a token is
// needed. With an empty path they are kept in memory.
func OpenTokens(fsys vfs.FS, path string) *Tokens { return &Tokens{fs: fsys, path: path} }

// Get returns the token of a server; the zero Token if there is none. A file that cannot be read is
// [fault.Invalid].
func (t *Tokens) Get(address string) (Token, error) {
	key := Key(address)
	if key == "" {
		return Token{}, nil
	}
	if t.path == "" {
		t.mu.Lock()
		defer t.mu.Unlock()
		return t.memory[key], nil
	}
	data, err := t.fs.ReadFile(t.path)
	if errors.Is(err, fs.ErrNotExist) {
		return Token{}, nil
	}
	if err != nil {
		return Token{}, vfs.Failure("mcp.tokens", t.path, err)
	}
	f, err := t.parse(data)
	return f.Servers[key], err
}

// Put stores the token of a server in place of the one that is there. The zero Token removes it.
// [fault.Invalid] if tokens cannot be sent to that address.
func (t *Tokens) Put(address string, token Token) error {
	key := Key(address)
	if key == "" {
		return fault.New(fault.Invalid, "mcp.tokens", "", "a token is stored only for an address that begins with https, or that is on this machine")
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.path == "" {
		if t.memory == nil {
			t.memory = map[string]Token{}
		}
		set(t.memory, key, token)
		return nil
	}
	err := vfs.Change(context.Background(), t.fs, t.path, func(now []byte) (_ []byte, err error) {
		f := tokensFile{}
		if now != nil {
			if f, err = t.parse(now); err != nil {
				return nil, err
			}
		}
		if f.Servers == nil {
			f.Servers = map[string]Token{}
		}
		before := maps.Clone(f.Servers)
		if set(f.Servers, key, token); maps.Equal(before, f.Servers) {
			return now, nil
		}
		f.Version = tokensVersion
		data, err := json.MarshalIndent(f, "", "  ")
		return append(data, '\n'), err
	})
	if known := new(fault.Error); err == nil || errors.As(err, &known) {
		return err
	}
	return vfs.Failure("mcp.tokens", t.path, err)
}

func set(tokens map[string]Token, key string, token Token) {
	if token == (Token{}) {
		delete(tokens, key)
		return
	}
	tokens[key] = token
}

// tokensVersion is the version of the file that this program writes.
const tokensVersion = 1

type tokensFile struct {
	Version int              `json:"version"`
	Servers map[string]Token `json:"servers"`
}

// parse reads the file. Its error does not show what is in it.
func (t *Tokens) parse(data []byte) (f tokensFile, err error) {
	bad := func(why string) (tokensFile, error) {
		return tokensFile{}, &fault.Error{Op: "mcp.tokens", On: t.path, Kind: fault.Invalid, Err: errors.New(why), Hint: "remove the file, and sign in again"}
	}
	if json.Unmarshal(data, &f) != nil {
		return bad("it is not a file of tokens")
	}
	if f.Version > tokensVersion {
		return bad(fmt.Sprintf("its version is %d, and this program knows %d: a newer Sidestick wrote it", f.Version, tokensVersion))
	}
	return f, nil
}

// Refresh returns the token that follows one which a server has refused: one that another session
// or process has stored meanwhile, or a new one, which it stores. metadata is the address of the metadata that the
// server named then, "" if it named none. [fault.Denied] if the user has to sign in again, also because the server now
// names another authorization server.
func (t *Tokens) Refresh(ctx context.Context, address, refused, metadata string) (Token, error) {
	end, err := t.alone(ctx, Key(address))
	if err != nil {
		return Token{}, err
	}
	defer end()
	defer t.aloneOnMachine(ctx, Key(address))()
	now, err := t.Get(address)
	switch {
	case err != nil:
		return Token{}, err
	case now.Access != "" && now.Access != refused:
		return now, nil
	case now.Refresh == "":
		return Token{}, fault.New(fault.Denied, "mcp.tokens", "", "there is no token for a refresh")
	}
	s, err := NewServer(address, nil)
	if err != nil {
		return Token{}, err
	}
	if s.moved(ctx, metadata, now) {
		return Token{}, fault.New(fault.Denied, "mcp.tokens", s.to.Host, "the server now names another authorization server than %q, which gave the token", now.Issuer)
	}
	next, err := s.refresh(ctx, now)
	if err != nil {
		// Another process may have used the same token a moment before.
		if other, bad := t.Get(address); bad == nil && other.Access != "" && other.Access != refused {
			return other, nil
		}
		return Token{}, err
	}
	return next, t.Put(address, next)
}

// alone waits until no other refresh for a server runs in this process.
func (t *Tokens) alone(ctx context.Context, key string) (end func(), err error) {
	for {
		t.mu.Lock()
		busy := t.busy[key]
		if busy == nil {
			mine := make(chan struct{})
			if t.busy == nil {
				t.busy = map[string]chan struct{}{}
			}
			t.busy[key] = mine
			t.mu.Unlock()
			return func() {
				t.mu.Lock()
				defer t.mu.Unlock()
				delete(t.busy, key)
				close(mine)
			}, nil
		}
		t.mu.Unlock()
		select {
		case <-busy:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// aloneOnMachine waits until no other process refreshes the token of a server: authorization servers
// take a token for a refresh that is used twice for a stolen one, and end the sign-in. Where files
// cannot be locked, it does not wait.
func (t *Tokens) aloneOnMachine(ctx context.Context, key string) (end func()) {
	if t.path == "" {
		return func() {}
	}
	hash := sha256.Sum256([]byte(key))
	for {
		lock, err := vfs.Lock(ctx, t.fs, t.path+"."+hex.EncodeToString(hash[:4])+".lock")
		if err == nil {
			return func() { _ = lock.Close() } // nothing was written to it
		}
		if !errors.Is(err, vfs.ErrClaimed) || ctx.Err() != nil {
			return func() {}
		}
	}
}
