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

// ReplyOptions sets the limits of [ReadReply]. A limit of 0 or less means its default.
type ReplyOptions struct {
	// MaxLine bounds one line, in bytes. Default 1 MiB.
	MaxLine int
	// MaxEvent bounds, in bytes, the data of one event that is spread over several lines,
	// and an answer that is one JSON document. Default 4 MiB.
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

// ReadReply yields the events of an agent's answer as they arrive. It reads every format
// that agents are known to send, and detects the format from the body alone: events in any
// framing, one or several JSON documents, plain text. Of several choices only the first
// counts. For strict checks use [Check].
//
// An event with several data lines that are not one JSON value is yielded line by line.
// Confirmations come last. The answer ends with the body, not with [DONE] or a
// finish_reason. Tool calls in the answer cause a warning and are never run.
//
// If the answer cannot be read to its end, the last pair carries the error, and no
// confirmation is yielded: [ErrInvalid] if the answer is a web page, not text, empty, or
// exceeds a limit; [ErrUnavailable] if it was cut off, or r fails; [ErrCanceled] if r
// was canceled.
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

	name  string // name of the current event
	data  bool   // the current event has had data
	held  []byte // its data lines that are not complete by themselves, joined
	done  bool   // [DONE] was the last thing in the answer
	shown bool   // something was yielded that a user can see

	at, heldAt place // position of the current line, and of the first held one

	out    []Event      // events to yield next
	asked  []Event      // confirmations, yielded at the end
	refs   decoder      // decodes references; counts the parts of all references of the answer
	faults int          // so far
	half   halves       // joins the characters of the text
	warned map[int]bool // rules that a warning was yielded for

	settled func(bool) // called when done changes; may be nil
	judge   *judge     // nil except in Check
}

// place is a position in the body.
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

// replyError wraps errors of reading the reply. An error without a kind came from the
// connection.
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

var errCutOff = &fault.Error{Op: "extension.ReadReply", Kind: fault.Unavailable, Err: errors.New("the answer was cut off within an event")}

// begin detects the format of the answer.
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

// document reads JSON outside of events, usually one value.
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

// textLine reads a line of a plain-text answer.
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
	p.emitText(text)
	return nil
}

// end yields what was kept for the end.
func (p *reply) end() error {
	p.at = place{}
	p.yieldText(p.half.rest())
	p.out = append(p.out, p.asked...)
	if !p.shown {
		p.note(ruleEmpty, "The agent answered, but said nothing.")
	}
	return io.EOF
}
