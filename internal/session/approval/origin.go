package approval

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"slices"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// keyBytes is the length of the key of a [Vault].
const keyBytes = 32

// key returns the key of the vault, which is made when it is first needed, and is read once.
// No other program needs to know it.
func (g *Grants) key() ([]byte, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.secret != nil {
		return g.secret, nil
	}
	ctx, done := bounded()
	defer done()
	key, err := g.vault.Key(ctx)
	if err == nil && len(key) != keyBytes {
		err = fault.New(fault.Invalid, "permissions", "", "the key of the vault has %d bytes, want %d", len(key), keyBytes)
	}
	if err != nil {
		return nil, err
	}
	g.secret = key
	return key, nil
}

// nonceBytes is how many bytes of the id of a session.start event are random, so that no id is
// used twice. The other ten are the keyed digest, without six bits.
const nonceBytes = 6

// StartID returns the id of the session.start event of a session that this machine makes. It
// has the form of other ids, but most of it is a keyed digest of the session's id and of what
// the event says about its start. Only a process with the key of this machine can make one,
// so the id shows who has made a session. started is the event's startTime as it is written
// there, cwd the working directory in it.
func (g *Grants) StartID(session, started, cwd string) (string, error) {
	var nonce [nonceBytes]byte
	if _, err := rand.Read(nonce[:]); err != nil {
		return "", err
	}
	return g.startID(nonce, session, started, cwd)
}

func (g *Grants) startID(nonce [nonceBytes]byte, session, started, cwd string) (string, error) {
	key, err := g.key()
	if err != nil {
		return "", err
	}
	text := append(make([]byte, 0, 256), "session.start"...)
	for _, part := range []string{string(nonce[:]), session, started, cwd} {
		text = binary.AppendUvarint(text, uint64(len(part)))
		text = append(text, part...)
	}
	mac := hmac.New(sha256.New, key)
	mac.Write(text)
	var id [16]byte
	copy(id[:], nonce[:])
	copy(id[nonceBytes:], mac.Sum(make([]byte, 0, sha256.Size)))
	return wire.FormatID(id), nil
}

// madeHere reports whether this machine has made the session whose log begins like that.
func (g *Grants) madeHere(session string, o state.Origin) bool {
	begin, ok := wire.ParseID(o.ID)
	if !ok {
		return false
	}
	id, err := g.startID([nonceBytes]byte(begin[:nonceBytes]), session, o.Started, o.Cwd)
	return err == nil && hmac.Equal([]byte(id), []byte(o.ID))
}

// Own reports whether a session is one of this machine. It also reads the key, so that
// [Grants.Seal], which the session calls later, waits for no store.
func (g *Grants) Own(session string, o state.Origin) bool {
	s, err := g.session(session)
	if s != nil {
		_, _ = g.key() // Seal reports it
		return !s.Foreign
	}
	return err == nil && g.madeHere(session, o)
}

// WorkedIn reports whether a session is one of this machine, and a folder one that was chosen for it here.
func (g *Grants) WorkedIn(session string, o state.Origin, dir string) bool {
	s, err := g.session(session)
	if err != nil || s != nil && s.Foreign {
		return false
	}
	return dir != "" && (s != nil && slices.Contains(s.Folders, dir) || o.Cwd == dir && g.madeHere(session, o))
}
