package clientfs

import (
	"context"
	"errors"
	"io/fs"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/fault"
)

// payloadsFolder has the payloads, each in a file of its name. A long payload is in several
// files, whose names end in .1, .2 and so on.
const payloadsFolder = "payloads/"

// maxPiece bounds the text in one of these files, in bytes: a fraction of the longest JSON-RPC
// message, also if each character is escaped.
const maxPiece = 8 << 20

// isFull reports whether the payload continues in a further file after the file with this text.
func isFull(text string) bool { return len(text) > maxPiece-utf8.UTFMax }

// Put implements [eventlog.Lease].
func (l *lease) Put(ctx context.Context, data []byte) (name string, err error) {
	const op = "clientfs.Put"
	if _, err := l.mayWrite(ctx, op); err != nil {
		return "", err
	}
	if len(data) > eventlog.MaxPayload {
		return "", fault.New(fault.Invalid, op, l.stream.session, "a payload has %d bytes, above the limit of %d", len(data), eventlog.MaxPayload)
	}
	name = eventlog.PayloadName(data)
	text := toText(data)
	for i := 0; ; i++ {
		n := min(len(text), maxPiece)
		for n < len(text) && !utf8.RuneStart(text[n]) {
			n--
		}
		if err := l.stream.write(ctx, piece(name, i), text[:n]); err != nil {
			return "", err
		}
		if !isFull(text[:n]) {
			return name, nil
		}
		text = text[n:]
	}
}

// piece returns the name of one of the files of a payload.
func piece(name string, i int) string {
	if i == 0 {
		return payloadsFolder + name
	}
	return payloadsFolder + name + "." + strconv.Itoa(i)
}

// Payload implements [eventlog.Stream].
func (s *stream) Payload(ctx context.Context, name string) ([]byte, error) {
	return s.payload(ctx, name)
}

// Payload implements [eventlog.Store].
func (s *Storage) Payload(ctx context.Context, session, name string) ([]byte, error) {
	st, err := s.of(ctx, "clientfs.Payload", session)
	if err != nil {
		return nil, err
	}
	return st.payload(ctx, name)
}

func (r remote) payload(ctx context.Context, name string) ([]byte, error) {
	const op = "clientfs.Payload"
	if !eventlog.IsPayloadName(name) {
		return nil, fault.New(fault.NotFound, op, r.session, "there is no payload %.80q", name)
	}
	var text strings.Builder
	for i := 0; text.Len() <= 2*eventlog.MaxPayload; i++ {
		part, err := r.read(ctx, piece(name, i))
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fault.New(fault.NotFound, op, r.session, "there is no payload %s", name)
		}
		if err != nil {
			return nil, err
		}
		text.WriteString(part)
		if !isFull(part) {
			break
		}
	}
	data, err := toBytes(text.String())
	if err != nil || eventlog.PayloadName(data) != name {
		return nil, fault.New(fault.Conflict, op, r.session, "the payload %s was changed in the storage of the client", name)
	}
	return data, nil
}
