package extension

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"slices"
	"unicode/utf8"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/sse"
)

// ReplyOptions bounds [ReadReply]. A limit of 0 or less means its default.
type ReplyOptions struct {
	// MaxLine bounds one line, in bytes. Default 1 MiB.
	MaxLine int
	// MaxEvent bounds the data of one event whose lines only make sense together, and an
	// answer that is JSON without events, in bytes. Default 4 MiB.
	MaxEvent int
	// MaxBody bounds the whole answer, in bytes. Default 32 MiB.
	MaxBody int64
}

func (o ReplyOptions) filled() ReplyOptions {
	if o.MaxEvent <= 0 {
		o.MaxEvent = 4 << 20
	}
	if o.MaxBody <= 0 {
		o.MaxBody = 32 << 20
	}
	return o
}

// ReadReply yields what is in an agent's answer, as it comes; of more than one o the
// first counts. It reads whatever agents were seen to send, and tells the form from
// the body alone: events in every framing, one JSON document or several, plain text.
// [Check] has the list of what is taken but not as it should be.
//
// Texts that make sense only line by line are told line by line. Confirmations come
// last. Neither [DONE] nor a finish_reason ends the answer, only the body's end does.
// What an agent's model wants to have called is a warning, and never done.
//
// The last pair carries the error if the answer cannot be read to its end, and no
// confirmation is told then: [fault.Invalid] if it is a web page, no text, nothing at
// all, or exceeds a limit; [fault.Unavailable] if it was cut off, or r fails;
// [fault.Canceled] if r was canceled.
func ReadReply(r io.Reader, o ...ReplyOptions) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		newReply(r, slices.Concat(o, []ReplyOptions{{}})[0]).all(yield)
	}
}

// reply reads one answer.
type reply struct {
	max   ReplyOptions
	in    *bufio.Reader
	lines *sse.Lines
	step  func() error // reads a part; io.EOF after the last
	chunk chunkScanner

	name  string // of the event that is read
	data  bool   // it has had data
	held  []byte // its data lines that say nothing alone, joined
	done  bool   // [DONE] was the last that was said
	shown bool   // there was something to show

	at, heldAt place // of the line that is read, and of the first one held

	out    []Event      // due
	asked  []Event      // confirmations, due at the end
	refs   decoder      // of references; counts what those of the answer hold
	faults int          // so far
	warned map[int]bool // of rules that were told

	settled func(bool) // is told of done; nil for nobody
	judge   *judge     // nil but for Check
}

// place is one in the body.
type place struct {
	line   int   // from 1
	offset int64 // of its first byte, from 0
}

func newReply(r io.Reader, o ReplyOptions) *reply {
	o = o.filled()
	in := bufio.NewReader(&bounded{r: r, left: o.MaxBody, max: o.MaxBody})
	p := &reply{max: o, in: in, lines: sse.NewLines(in, o.MaxLine), warned: map[int]bool{}, at: place{line: 1}, refs: decoder{left: maxParts}}
	p.step = p.begin
	return p
}

func (p *reply) all(yield func(Event, error) bool) {
	for {
		err := p.step()
		for _, e := range p.out {
			if !yield(e, nil) {
				return
			}
		}
		p.out = p.out[:0]
		switch {
		case err == io.EOF:
			return
		case err != nil:
			yield(Event{}, replyError(err))
			return
		}
	}
}

// replyError says of any error of reading that it was the reply; one without a kind is
// the connection's.
func replyError(err error) error {
	kind := fault.KindOf(err)
	var inner *fault.Error
	if errors.As(err, &inner) {
		err = inner.Err
	}
	if kind == fault.Internal {
		kind = fault.Unavailable
	}
	return &fault.Error{Op: "extension.ReadReply", Kind: kind, Err: err}
}

func unreadable(format string, args ...any) error {
	return fault.New(fault.Invalid, "extension.ReadReply", "", format, args...)
}

var errCutOff = fault.New(fault.Unavailable, "extension.ReadReply", "", "the answer was cut off within an event")

// begin finds out in what form the answer is.
func (p *reply) begin() error {
	form := formOf(p.in)
	if mark, _ := p.in.Peek(len(byteOrderMark)); string(mark) == byteOrderMark {
		p.note(ruleMark, "the body begins with a byte order mark")
	}
	switch form {
	case formNothing:
		if _, err := io.Copy(io.Discard, p.in); err != nil {
			return err
		}
		return unreadable("the agent answered nothing at all")
	case formPage:
		return unreadable("the agent answered a web page; is this the address of an agent?")
	case formDocument:
		p.note(ruleStream, "the answer is JSON outside of events")
		p.step = p.document
	case formText:
		p.note(ruleStream, "the answer is text outside of events")
		p.step = p.textLine
	case formStream:
		p.step = p.streamLine
	}
	return nil
}

// document takes JSON that is not in events: usually one value.
func (p *reply) document() error {
	all, err := io.ReadAll(io.LimitReader(p.in, int64(p.max.MaxEvent)+1))
	switch {
	case err != nil:
		return err
	case len(all) > p.max.MaxEvent:
		return unreadable("an answer of JSON is longer than %d bytes", p.max.MaxEvent)
	}
	all = bytes.TrimPrefix(all, []byte(byteOrderMark))
	d := json.NewDecoder(bytes.NewReader(all))
	for {
		var value json.RawMessage
		err := d.Decode(&value)
		switch {
		case err == io.EOF:
			return p.end()
		case errors.Is(err, io.ErrUnexpectedEOF):
			return errCutOff
		case err != nil:
			p.takeText(bytes.TrimSpace(all[d.InputOffset():]))
			return p.end()
		}
		p.take("", value)
	}
}

// textLine takes a line of an answer that is nothing but text.
func (p *reply) textLine() error {
	line, err := p.lines.Next()
	switch p.at.line, p.at.offset = p.lines.Position(); {
	case err == io.EOF:
		return p.end()
	case err != nil:
		return err
	case !utf8.Valid(line) || bytes.IndexByte(line, 0) >= 0:
		return unreadable("the agent answered bytes that are not text")
	}
	text := string(line)
	if p.lines.End() != 0 {
		text += "\n"
	}
	p.say(text)
	return nil
}

// end tells what was kept for the end.
func (p *reply) end() error {
	p.at = place{}
	p.out = append(p.out, p.asked...)
	if !p.shown {
		p.note(ruleEmpty, "The agent answered, but said nothing.")
	}
	return io.EOF
}
