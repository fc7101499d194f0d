package modeltest

import (
	"cmp"
	"context"
	"net/http"
	"time"
)

// replyID is the id of every scripted answer.
const replyID = "chatcmpl-modeltest"

// send answers a request with r, with the faults that r asks for. It returns when the
// answer is sent, or soon after ctx ends.
func (r Reply) send(w http.ResponseWriter, ctx context.Context, req *Request) {
	if r.Silent {
		stall(ctx)
	}
	if !pause(ctx, r.Delay) {
		panic(http.ErrAbortHandler)
	}
	s := &sender{w: w, ctx: ctx, reply: &r}
	w.Header().Set("X-Request-Id", "req_modeltest")
	for name, value := range r.Header {
		w.Header().Set(name, value)
	}
	switch {
	case r.Body != "" || r.Status >= 300:
		s.body(r.Body)
	case r.Events != nil:
		s.stream(r.Events)
	case req.Stream:
		s.stream(r.events(req))
	default:
		s.body(wholeAnswer(replyID, req.Model, r.choices(), r.Usage.wire()))
	}
}

// pause waits for d and reports whether ctx is still alive.
func pause(ctx context.Context, d time.Duration) bool {
	if d > 0 {
		t := time.NewTimer(d)
		defer t.Stop()
		select {
		case <-t.C:
		case <-ctx.Done():
		}
	}
	return ctx.Err() == nil
}

// stall sends nothing until ctx ends.
func stall(ctx context.Context) {
	<-ctx.Done()
	panic(http.ErrAbortHandler)
}

// sender writes one answer.
type sender struct {
	w     http.ResponseWriter
	ctx   context.Context
	reply *Reply
	bytes int
}

// begin sends the status at once, before any wait.
func (s *sender) begin(contentType string) {
	if s.w.Header().Get("Content-Type") == "" {
		s.w.Header().Set("Content-Type", contentType)
	}
	s.w.WriteHeader(cmp.Or(s.reply.Status, http.StatusOK))
	s.flush()
	if s.reply.StallAfter < 0 {
		stall(s.ctx)
	}
}

func (s *sender) body(text string) {
	s.begin("application/json")
	s.write(text)
}

func (s *sender) stream(events []string) {
	s.begin("text/event-stream")
	for i, data := range events {
		if i > 0 && !pause(s.ctx, s.reply.Gap) {
			return
		}
		switch {
		case i > 0 && i == s.reply.CutAfter:
			s.tear()
		case i > 0 && i == s.reply.StallAfter:
			stall(s.ctx)
		}
		if !s.write("data: " + data + "\n\n") {
			return
		}
	}
}

// write sends text, or as much of it as CutBytes allows, and reports whether the client
// still reads.
func (s *sender) write(text string) bool {
	left := s.reply.CutBytes - s.bytes
	if s.reply.CutBytes > 0 && len(text) > left {
		_, _ = s.w.Write([]byte(text[:left]))
		s.tear()
	}
	n, err := s.w.Write([]byte(text))
	s.bytes += n
	s.flush()
	return err == nil
}

// tear breaks the connection.
func (s *sender) tear() {
	s.flush()
	panic(http.ErrAbortHandler)
}

func (s *sender) flush() { _ = http.NewResponseController(s.w).Flush() }

// events returns the data of a stream's events, "[DONE]" included.
func (r *Reply) events(req *Request) []string {
	b := &streamer{model: req.Model, piece: cmp.Or(r.Piece, 16)}
	for i, c := range r.choices() {
		pieces := split(c.Text, b.piece)
		if r.Choices == nil && r.Pieces != nil {
			pieces = r.Pieces
		}
		b.choice(i, c, pieces)
	}
	if req.usage && r.Usage != nil {
		a := head(replyID, "chat.completion.chunk", req.Model)
		a.Usage = r.Usage.wire()
		b.out = append(b.out, encode(a))
	}
	return append(b.out, "[DONE]")
}

// streamer encodes choices as chunks.
type streamer struct {
	model string
	piece int
	out   []string
}

func (b *streamer) choice(index int, c Choice, text []string) {
	for _, p := range split(c.Reasoning, b.piece) {
		b.chunk(index, &wirePart{Reasoning: p}, nil)
	}
	for _, p := range text {
		b.chunk(index, &wirePart{Content: &p}, nil)
	}
	for i, call := range c.ToolCalls {
		b.call(index, i, call)
	}
	b.chunk(index, &wirePart{}, &c.Finish)
}

// call sends id and name first, then arguments alone.
func (b *streamer) call(index, i int, call ToolCall) {
	b.chunk(index, &wirePart{ToolCalls: []wireCall{call.wire(&i, call.Name, "")}}, nil)
	for _, p := range split(call.Arguments, b.piece) {
		b.chunk(index, &wirePart{ToolCalls: []wireCall{ToolCall{}.wire(&i, "", p)}}, nil)
	}
}

func (b *streamer) chunk(index int, part *wirePart, finish *string) {
	a := head(replyID, "chat.completion.chunk", b.model)
	a.Choices = append(a.Choices, wireChoice{Index: index, Delta: part, Finish: finish})
	b.out = append(b.out, encode(a))
}
