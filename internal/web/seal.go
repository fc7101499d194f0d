package web

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
)

// ticket is what a confirmation carries through the client and back: which question
// of which session a person decides. It holds no secret. That it is ours, unchanged,
// its seal says; that nobody has answered yet, the session does, so that a ticket
// needs no date: it is good for as long as its question is open.
type ticket struct {
	// ID is that of a permission request, or, of a question, that of the event with which
	// its tool call began: a question that a restart interrupts is asked again under
	// another request id, and providers give the id of a call twice.
	ID string `json:"id"`
	// Kind is [aboutPermission] or [aboutQuestion].
	Kind string `json:"kind"`
	// Session is where the question is open.
	Session string `json:"session"`
	// Resume is set if the request named no thread: then the ticket says which session
	// to go on with, else the thread does, and the two must agree.
	Resume bool `json:"resume,omitempty"`
	// MAC is the seal over the rest, in base64.
	MAC string `json:"mac"`
}

// What a ticket is about.
const (
	aboutPermission = "permission"
	aboutQuestion   = "question"
)

// seal is how a ticket goes out.
func (d *Door) seal(t ticket) json.RawMessage {
	t.MAC = base64.RawURLEncoding.EncodeToString(d.mac(t))
	data, err := json.Marshal(t)
	if err != nil {
		panic(err) // cannot be: it is four strings
	}
	return data
}

// unseal is how it comes back. Anything but what seal made is refused; what a client
// that stores JSON may do to it, such as other spaces and another order, is nothing.
func (d *Door) unseal(data json.RawMessage) (ticket, error) {
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

// maxTicket bounds a ticket, in bytes: ours has some 250.
const maxTicket = 4 << 10

// mac is over every field, each with its length, so that no two tickets give the same
// text. The first word keeps the key from ever sealing anything else.
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
