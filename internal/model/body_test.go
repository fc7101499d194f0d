package model

import (
	"bytes"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
)

// made returns a body of these parts, every second of which is shared.
func made(t *testing.T, parts ...string) *Body {
	t.Helper()
	b := newBody(&Request{})
	own := b.Own()
	for i, text := range parts {
		if i%2 == 1 {
			b.shared = append(b.shared, piece{len(own), []byte(text)})
		} else {
			own = append(own, text...)
		}
	}
	b.finish(own)
	return b
}

// A body is its own bytes and what it shares, in their order, however it is read.
func TestBodyIsReadInAnyPieces(t *testing.T) {
	long := strings.Repeat("a definition of a tool, ", 4000)
	for name, parts := range map[string][]string{
		"own bytes":                {"only own"},
		"nothing":                  {""},
		"one piece, in the middle": {"before ", "shared", " after"},
		"a piece at the beginning": {"", "shared", " after"},
		"a piece at the end":       {"before ", "shared"},
		"pieces side by side":      {"before ", "one", "", "two", "", "three"},
		"long pieces":              {"[", long, ",", long, "]"},
	} {
		t.Run(name, func(t *testing.T) {
			want := strings.Join(parts, "")
			b := made(t, parts...)
			if b.size != len(want) {
				t.Errorf("%d bytes, want %d", b.size, len(want))
			}
			for _, size := range []int{1, 2, 5, 1 << 20} {
				got, err := io.ReadAll(slowly{b.open(), size})
				if string(got) != want || err != nil {
					t.Errorf("read %d bytes at a time: %d bytes, %v", size, len(got), err)
				}
			}
			var got bytes.Buffer
			if n, err := b.WriteTo(&got); got.String() != want || n != int64(len(want)) || err != nil {
				t.Errorf("written: %d bytes, %d by the buffer, %v", n, got.Len(), err)
			}
			got.Reset()
			reader := b.open()
			first := make([]byte, len(want)/3)
			_, _ = io.ReadFull(reader, first)
			got.Write(first)
			for n := int64(1); n > 0; {
				n, _ = reader.writeTo(&got, 7000)
			}
			if got.String() != want {
				t.Errorf("read first, and written then: %d bytes, want %d", got.Len(), len(want))
			}
		})
	}
}

// slowly reads at most size bytes at a time.
type slowly struct {
	from io.Reader
	size int
}

func (r slowly) Read(p []byte) (int, error) { return r.from.Read(p[:min(len(p), r.size)]) }

// A write that fails says how much was written before.
func TestBodyThatCannotBeWritten(t *testing.T) {
	b := made(t, "a", strings.Repeat("x", 100<<10), "b", "c")
	w := &full{room: 40 << 10}
	if n, err := b.WriteTo(w); n != 40<<10 || !errors.Is(err, io.ErrShortWrite) {
		t.Errorf("wrote %d, %v", n, err)
	}
}

// full takes a number of bytes.
type full struct{ room int }

func (w *full) Write(p []byte) (int, error) {
	n := min(len(p), w.room)
	if w.room -= n; n < len(p) {
		return n, io.ErrShortWrite
	}
	return n, nil
}

// The definition of a tool is the same memory in all requests.
func TestToolsAreShared(t *testing.T) {
	tool, err := Tool{Name: "x", Description: strings.Repeat("long ", 100)}.Encoded()
	if err != nil {
		t.Fatal(err)
	}
	form := func(b []byte, t *Tool) []byte { return append(b, t.Description...) }
	of := func() *Body {
		b := newBody(&Request{})
		own, err := b.AppendTools(append(b.Own(), '['), []Tool{tool, {Name: "y", Description: "short"}}, "d", form)
		if err != nil {
			t.Fatal(err)
		}
		b.finish(append(own, ']'))
		return b
	}
	first, second := of(), of()
	var got bytes.Buffer
	_, _ = first.WriteTo(&got)
	if want := "[" + tool.Description + ",short]"; got.String() != want {
		t.Errorf("the body is %q", &got)
	}
	if &first.shared[0].bytes[0] != &second.shared[0].bytes[0] || len(first.own) != len("[,short]") {
		t.Error("two bodies have the definition twice")
	}
}

// The memory of a body is used again only when the call and all readers have left it.
func TestBodyIsInUse(t *testing.T) {
	b := made(t, "enc", "oded")
	first, second := b.open(), b.open()
	b.release() // the call has ended
	if text, err := io.ReadAll(first); string(text) != "encoded" || err != nil {
		t.Errorf("read %q, %v", text, err)
	}
	_ = first.Close()
	_ = first.Close()
	if _, err := first.Read(make([]byte, 1)); !errors.Is(err, http.ErrBodyReadAfterClose) {
		t.Errorf("a closed reader: %v", err)
	}
	if n := b.users.Load(); n != 1 {
		t.Errorf("%d users, want the second reader", n)
	}
	if n, err := second.writeTo(io.Discard, 3); n != 3 || err != nil {
		t.Errorf("wrote %d, %v", n, err)
	}
	_ = second.Close()
	if n := b.users.Load(); n != 0 {
		t.Errorf("%d users at the end", n)
	}
	if _, err := second.writeTo(io.Discard, 3); !errors.Is(err, http.ErrBodyReadAfterClose) {
		t.Errorf("a closed reader writes: %v", err)
	}
}

// A connection sends a body as one write, and everything else as it is.
func TestBodyConn(t *testing.T) {
	mine, theirs := net.Pipe()
	var got bytes.Buffer
	var done sync.WaitGroup
	done.Go(func() { _, _ = io.Copy(&got, theirs) })
	b := made(t, "the ", "body")
	c := bodyConn{mine}
	limited := &io.LimitedReader{R: b.open(), N: 100}
	if n, err := c.ReadFrom(limited); n != 8 || limited.N != 92 || err != nil {
		t.Errorf("sent %d, %d are left, %v", n, limited.N, err)
	}
	if n, err := c.ReadFrom(strings.NewReader(", and more")); n != 10 || err != nil {
		t.Errorf("sent %d, %v", n, err)
	}
	_ = mine.Close()
	done.Wait()
	if got.String() != "the body, and more" {
		t.Errorf("arrived: %q", &got)
	}
}
