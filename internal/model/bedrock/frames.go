package bedrock

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/sse"
)

// A frame of the stream, in big-endian numbers:
//
//	4 bytes  length of the frame
//	4 bytes  length of the headers
//	4 bytes  CRC-32 of these 8 bytes
//	         headers: length of the name (1 byte), name, type (1 byte), value
//	         payload
//	4 bytes  CRC-32 of everything before
//
// Source: the Smithy specification, "Amazon Event Stream".

const (
	preludeSize = 12
	crcSize     = 4
	// maxHeaders bounds the headers of a frame, in bytes. Source: the same page.
	maxHeaders = 128 << 10
	// keptFrame is the largest buffer, in bytes, that is kept from one frame to the next.
	keptFrame = 64 << 10
)

// exception begins the name of an event that is a failure.
const exception = "exception:"

// frames reads the events of a stream.
type frames struct {
	body io.Reader
	most int
	read int64
	buf  []byte
}

func newFrames(body io.Reader, most int) model.Events { return &frames{body: body, most: most} }

// Bytes returns how many bytes have been read.
func (f *frames) Bytes() int64 { return f.read }

// Next returns the next event. Its name is the type of the event, or of the exception behind the
// word for that.
func (f *frames) Next() (sse.Event, error) {
	var prelude [preludeSize]byte
	if err := f.fill(prelude[:]); err != nil {
		return sse.Event{}, err
	}
	length, headers := binary.BigEndian.Uint32(prelude[:]), binary.BigEndian.Uint32(prelude[4:])
	switch {
	case crc32.ChecksumIEEE(prelude[:8]) != binary.BigEndian.Uint32(prelude[8:]):
		return sse.Event{}, garbled("the head of a frame does not match its checksum")
	case length > uint32(f.most):
		return sse.Event{}, garbled("a frame has %d bytes; at most %d are read", length, f.most)
	case headers > maxHeaders || length < preludeSize+crcSize || headers > length-preludeSize-crcSize:
		return sse.Event{}, garbled("a frame of %d bytes has %d bytes of headers", length, headers)
	}
	if cap(f.buf) > keptFrame {
		f.buf = nil
	}
	f.buf = slices.Grow(f.buf[:0], int(length))[:length]
	copy(f.buf, prelude[:])
	if err := f.fill(f.buf[preludeSize:]); err != nil {
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return sse.Event{}, err
	}
	end := len(f.buf) - crcSize
	if crc32.ChecksumIEEE(f.buf[:end]) != binary.BigEndian.Uint32(f.buf[end:]) {
		return sse.Event{}, garbled("a frame does not match its checksum")
	}
	texts, err := textHeaders(f.buf[preludeSize : preludeSize+headers])
	if err != nil {
		return sse.Event{}, err
	}
	return eventOf(texts, f.buf[preludeSize+headers:end]), nil
}

func (f *frames) fill(b []byte) error {
	n, err := io.ReadFull(f.body, b)
	f.read += int64(n)
	return err
}

// eventOf makes an event of a frame. A failure that a header describes gets a payload like
// those of exceptions.
func eventOf(headers map[string]string, payload []byte) sse.Event {
	switch headers[":message-type"] {
	case "exception":
		return sse.Event{Name: exception + upperFirst(headers[":exception-type"]), Data: orEmpty(payload)}
	case "error":
		data, _ := json.Marshal(map[string]string{"message": headers[":error-message"]})
		return sse.Event{Name: exception + upperFirst(headers[":error-code"]), Data: data}
	}
	return sse.Event{Name: headers[":event-type"], Data: payload}
}

// orEmpty is a payload that is not passed over.
func orEmpty(payload []byte) []byte {
	if len(payload) == 0 {
		return []byte("{}")
	}
	return payload
}

// upperFirst is the name of an exception as answers that are no streams have it.
func upperFirst(name string) string {
	r, size := utf8.DecodeRuneInString(name)
	if size == 0 {
		return ""
	}
	return string(unicode.ToUpper(r)) + name[size:]
}

// sizes are the lengths of the values of headers, by type; those of types 6 and 7 are in front
// of them.
var sizes = [...]int{0, 0, 1, 2, 4, 8, -1, -1, 8, 16}

// typeText is the type of a header that is text.
const typeText = 7

// textHeaders returns the headers that are text.
func textHeaders(b []byte) (map[string]string, error) {
	all := map[string]string{}
	for len(b) > 0 {
		n := int(b[0])
		if len(b) < 1+n+1 || int(b[1+n]) >= len(sizes) {
			return nil, garbled("the headers of a frame cannot be read")
		}
		name, kind, rest := string(b[1:1+n]), b[1+n], b[2+n:]
		size := sizes[kind]
		if size < 0 {
			if len(rest) < 2 {
				return nil, garbled("a header of a frame is cut off")
			}
			size, rest = int(binary.BigEndian.Uint16(rest)), rest[2:]
		}
		if len(rest) < size {
			return nil, garbled("a header of a frame is cut off")
		}
		if kind == typeText {
			all[name] = string(rest[:size])
		}
		b = rest[size:]
	}
	return all, nil
}

func garbled(format string, args ...any) error {
	return &fault.Error{Op: "bedrock.frames", Kind: fault.Invalid, Err: fmt.Errorf(format, args...)}
}
