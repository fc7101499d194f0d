package model

import (
	"crypto/rand"
	"fmt"
	"slices"
	"strings"
)

// maxBlocks bounds the blocks of an answer.
const maxBlocks = 1024

// Block is a part of an answer that is being received: text, reasoning or a tool call.
type Block struct {
	// Kind says what it is; 0 is something that no caller is told about.
	Kind DeltaKind
	// Text is the text or the reasoning so far, or the arguments of the call.
	Text strings.Builder
	// CallID and Name are those of a call, Index its number among the calls, from 0.
	CallID, Name string
	Index        int
}

// Blocks are the parts of an answer that a [Decoder] is receiving. It passes their pieces on and
// bounds them. The zero value is ready. Not safe for concurrent use.
type Blocks struct {
	Emit  func(Delta) // nil: nobody listens
	begun []*Block
	calls int
	size  int
}

// Begin adds a block. The id of a call that has none, or one that another call has, becomes a new
// one. The error is that there are too many blocks.
func (a *Blocks) Begin(b *Block) error {
	if len(a.begun) == maxBlocks {
		return fmt.Errorf("the answer has more than %d parts", maxBlocks)
	}
	if b.Kind == DeltaToolCall {
		b.Index = a.calls
		a.calls++
		if b.CallID == "" || slices.ContainsFunc(a.begun, func(o *Block) bool { return o.CallID == b.CallID }) {
			b.CallID = "call_" + rand.Text()
		}
	}
	a.begun = append(a.begun, b)
	if b.Kind == DeltaToolCall {
		a.send(b, "")
	}
	return nil
}

// Grow adds a piece to a block that has begun. The error is that the answer is too long.
func (a *Blocks) Grow(b *Block, piece string) error {
	if piece == "" {
		return nil
	}
	if err := a.Keep(len(piece)); err != nil {
		return err
	}
	b.Text.WriteString(piece)
	a.send(b, piece)
	return nil
}

// Keep counts bytes of an answer that a decoder keeps besides the text of the blocks. The error is
// that the answer is too long.
func (a *Blocks) Keep(n int) error {
	if a.size += n; a.size > MaxAnswer {
		return fmt.Errorf("the answer is longer than %d MiB", MaxAnswer>>20)
	}
	return nil
}

func (a *Blocks) send(b *Block, piece string) {
	if a.Emit == nil || b.Kind == 0 {
		return
	}
	d := Delta{Kind: b.Kind, Text: piece}
	if b.Kind == DeltaToolCall {
		d.Index, d.CallID, d.Name = b.Index, b.CallID, b.Name
	}
	a.Emit(d)
}
