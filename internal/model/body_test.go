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

// The memory of a body is used again only when the call and all readers have left it.
func TestBodyIsInUse(t *testing.T) {
	b := newBody([]byte("encoded"))
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
	b := newBody([]byte("the body"))
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
