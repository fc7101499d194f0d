package web

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// ticket is what a confirmation carries to the client and back. It says which question
// of which session the user decides. It contains no secret and no date: its signature
// says that we made it, and the session knows whether its question is still open.
type ticket struct {
	// ID is the id of the permission request, or for a question the id of its
	// tool.execution_start. A question that a restart interrupts is asked again under
	// another request id, and providers may use the id of a tool call twice.
	ID string `json:"id"`
	// Kind is [aboutPermission] or [aboutQuestion].
	Kind string `json:"kind"`
	// Session is the session that asks.
	Session string `json:"session"`
	// Resume is set if the request named no thread, so that the ticket alone says which
	// session continues. Otherwise the thread says it, and the two must agree.
	Resume bool `json:"resume,omitempty"`
	// MAC is the signature over the other fields, in base64.
	MAC string `json:"mac"`
}

// The values of ticket.Kind.
const (
	aboutPermission = "permission"
	aboutQuestion   = "question"
)

// sign returns a ticket as the data of a confirmation.
func (d *Door) sign(t ticket) json.RawMessage {
	t.MAC = base64.RawURLEncoding.EncodeToString(d.mac(t))
	data, err := json.Marshal(t)
	if err != nil {
		panic(err) // cannot happen: it is four strings and a bool
	}
	return data
}

// verify returns the ticket in the data of a confirmation, or refuses data that sign
// has not made. Clients that store JSON may change its spaces and the order of its
// fields.
func (d *Door) verify(data json.RawMessage) (ticket, error) {
	var t ticket
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&t); err != nil || len(data) > maxTicket {
		return ticket{}, refused("confirmation_invalid", "This confirmation is not one of mine, so nothing was done. Ask again.")
	}
	mac, err := base64.RawURLEncoding.Strict().DecodeString(t.MAC)
	if err != nil || !hmac.Equal(mac, d.mac(t)) {
		return ticket{}, refused("confirmation_invalid", "This confirmation is not one of mine or was changed on its way, so nothing was done. Ask again.")
	}
	return t, nil
}

// maxTicket bounds a ticket, in bytes; ours have about 250.
const maxTicket = 4 << 10

// mac signs every field with its length, so that no two tickets are signed alike. The
// first field says what the key signs here, so that a signature is of no use elsewhere.
func (d *Door) mac(t ticket) []byte {
	h := hmac.New(sha256.New, d.opts.Key)
	writeFields(h, "sidestick confirmation 1", t.ID, t.Kind, t.Session, fmt.Sprint(t.Resume))
	return h.Sum(nil)
}

func writeFields(w io.Writer, fields ...string) {
	for _, f := range fields {
		_, _ = fmt.Fprintf(w, "%d:%s", len(f), f) // a hash never fails
	}
}

// keySize is the length of the key that signs confirmations, in bytes: that of the
// hash. Source: RFC 2104, section 3.
const keySize = 32

// LoadKey returns the key in a file, which holds it as hexadecimal digits. If there is
// no file, it creates one with a new key that only the owner can read. Processes that
// start at the same time agree on one key. A file without a key is [fault.Invalid]: a
// new key would invalidate all open confirmations.
func LoadKey(fsys vfs.FS, path string) ([]byte, error) {
	text, err := vfs.ReadOrCreate(context.Background(), fsys, path, func() ([]byte, error) {
		key := make([]byte, keySize)
		_, _ = rand.Read(key) // crypto/rand never fails
		return []byte(hex.EncodeToString(key) + "\n"), nil
	})
	if err != nil {
		return nil, vfs.Failure("web.LoadKey", path, err)
	}
	key, err := hex.DecodeString(strings.TrimSpace(string(text)))
	if err != nil || len(key) != keySize {
		return nil, &fault.Error{
			Op: "web.LoadKey", On: path, Kind: fault.Invalid, Err: errors.New("the file holds no key"),
			Hint: "remove it to get a new one; open confirmations become invalid then",
		}
	}
	return key, nil
}
