package eventlog

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"iter"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// An event that is longer than MaxRecord is stored in two parts. Its bytes, all of
// them, are a payload. In the log stands a reference, a record of the same event
// without its data:
//
//	{"payload":"sha256-<64 hexadecimal digits>","bytes":<length>,"type":…,"id":…,…,"data":{}}
//
// Log, Tail, Pager and Scan put the event together again, byte for byte, so that
// nobody above this package sees a reference. If the payload is missing or damaged, they
// yield the reference: positions stay, and the rest of the log can be used.

const (
	namePrefix      = "sha256-"
	referencePrefix = `{"payload":"`
)

// PayloadName returns the name of a payload: "sha256-" and the SHA-256 of its bytes in
// lower-case hexadecimal.
func PayloadName(data []byte) string {
	sum := sha256.Sum256(data)
	return namePrefix + hex.EncodeToString(sum[:])
}

// IsPayloadName reports whether name is one that [PayloadName] can return. It is safe
// as a file name.
func IsPayloadName(name string) bool {
	digits, ok := strings.CutPrefix(name, namePrefix)
	return ok && len(digits) == 2*sha256.Size && strings.Trim(digits, "0123456789abcdef") == ""
}

// Reference returns the name of the payload that a stored record stands for; "" if the
// record stands for itself. A record that another program has changed may name a payload
// that cannot exist: see [IsPayloadName]. Its event has lost its content.
func Reference(record []byte) string {
	if !bytes.HasPrefix(record, []byte(referencePrefix)) {
		return ""
	}
	name, rest, closed := bytes.Cut(record[len(referencePrefix):], []byte{'"'})
	ours := bytes.HasPrefix(name, []byte(namePrefix)) || bytes.HasPrefix(rest, []byte(`,"bytes":`))
	if !closed || !ours {
		return ""
	}
	return string(name)
}

// newReference returns the record that stands for an event in the log.
func newReference(name string, event []byte) []byte {
	ref := fmt.Appendf(nil, `{"payload":%q,"bytes":%d`, name, len(event))
	e, err := wire.ParseEvent(event)
	if err != nil {
		return append(ref, '}')
	}
	e.Data = []byte("{}")
	return append(append(ref, ','), wire.AppendEvent(nil, &e)[1:]...)
}

// store puts the events that are too long for the log beside it, and returns the
// records to append in place of recs: recs itself if none is too long. The caller
// holds l.writing.
func (l *Log) store(ctx context.Context, recs [][]byte) ([][]byte, error) {
	stored := recs
	for i, rec := range recs {
		if len(rec) <= MaxRecord {
			continue
		}
		if err := mayStore(rec); err != nil {
			return nil, err
		}
		name, err := l.lease.Put(ctx, rec)
		if err != nil {
			return nil, err
		}
		if &stored[0] == &recs[0] {
			stored = append([][]byte(nil), recs...)
		}
		stored[i] = newReference(name, rec)
	}
	return stored, nil
}

// mayStore checks of a long event what the store checks of a short one.
func mayStore(event []byte) error {
	switch {
	case len(event) > MaxPayload:
		return fault.New(fault.Invalid, "eventlog.Append", "", "a record has %d bytes, above the limit of %d", len(event), MaxPayload)
	case event[0] != '{' || event[len(event)-1] != '}' || bytes.IndexByte(event, '\n') >= 0 || !json.Valid(event):
		return fault.New(fault.Invalid, "eventlog.Append", "", "a record of %d bytes is not a JSON object on one line", len(event))
	}
	return nil
}

// complete puts the event in place of a reference to it.
func complete(rec *Record, payload func(name string) ([]byte, error)) error {
	name := Reference(rec.JSON)
	if name == "" {
		return nil
	}
	event, err := payload(name)
	switch kind := fault.KindOf(err); {
	case err == nil:
		rec.JSON = event
	case kind != fault.NotFound && kind != fault.Conflict:
		return err
	}
	return nil
}

// complete is the function of that name for the payloads of this log.
func (l *Log) complete(ctx context.Context, rec *Record) error {
	return complete(rec, func(name string) ([]byte, error) { return l.stream.Payload(ctx, name) })
}

// Scan is [Store.Scan] that yields complete events: a record that stands for a payload
// is replaced by that payload.
func Scan(ctx context.Context, store Store, session string) iter.Seq2[Record, error] {
	return completed(ctx, store, session, store.Scan(ctx, session))
}

// completed yields stored records as complete events.
func completed(ctx context.Context, store Store, session string, records iter.Seq2[Record, error]) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		for rec, err := range records {
			if err == nil {
				err = complete(&rec, func(name string) ([]byte, error) { return store.Payload(ctx, session, name) })
			}
			if err != nil {
				yield(Record{}, err)
				return
			}
			if !yield(rec, nil) {
				return
			}
		}
	}
}
