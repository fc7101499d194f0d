package chat

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/model"
)

// BenchmarkChunk is the cost of one data line, both ways.
func BenchmarkChunk(b *testing.B) {
	for _, name := range []string{"OpenAI", "call"} {
		line := []byte(lines[name])
		b.Run(name+"/scan", func(b *testing.B) {
			var s chunkScanner
			b.SetBytes(int64(len(line)))
			b.ReportAllocs()
			for b.Loop() {
				if _, ok := s.scan(line); !ok {
					b.Fatal("fell back")
				}
			}
		})
		b.Run(name+"/decode", func(b *testing.B) {
			b.SetBytes(int64(len(line)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := decodeChunk(line); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkStream is a whole call of 20,000 chunks over loopback, server included: plain, and watched for an answer
// that repeats itself.
func BenchmarkStream(b *testing.B) {
	b.Run("plain", func(b *testing.B) { stream(b, model.Options{}) })
	b.Run("watched", func(b *testing.B) { stream(b, model.Options{StopRepeating: true}) })
}

func stream(b *testing.B, o model.Options) {
	const chunks = 20_000
	url := serve(b, chunks)
	client := model.New(o, New())
	defer client.Close()
	req := model.Request{Model: "m", Stream: true, Messages: []model.Message{{Role: model.RoleUser, Content: "go"}}}
	b.ReportAllocs()
	for b.Loop() {
		deltas := 0
		_, err := client.Stream(context.Background(), model.Endpoint{BaseURL: url}, req, func(model.Delta) { deltas++ })
		if err != nil || deltas != chunks {
			b.Fatal(deltas, err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/chunks, "ns/chunk")
}

// BenchmarkEncode is a request with a long history.
func BenchmarkEncode(b *testing.B) {
	req := model.Request{Model: "m", Messages: []model.Message{{Role: model.RoleSystem, Content: string(bytes.Repeat([]byte("be brief\n"), 1000))}}}
	for i := range 200 {
		call := model.ToolCall{ID: fmt.Sprint("call_", i), Name: "view", Arguments: `{"path":"/a/b/c.go"}`}
		req.Messages = append(req.Messages,
			model.Message{Role: model.RoleAssistant, ToolCalls: []model.ToolCall{call}},
			model.Message{Role: model.RoleTool, ToolCallID: call.ID, Content: string(bytes.Repeat([]byte("1. some line\n"), 100))})
	}
	b.ReportAllocs()
	for b.Loop() {
		body, err := encode(&model.Endpoint{}, &req, &model.Body{})
		if err != nil {
			b.Fatal(err)
		}
		b.SetBytes(int64(len(body)))
	}
}

// serve answers every request with a stream of n text chunks, written in the
// pieces a network would deliver.
func serve(b *testing.B, n int) (url string) {
	batches := make([][]byte, n/20)
	r, words := rand.New(rand.NewPCG(1, 2)), strings.Fields("the a parser reads one line after another and keeps what it has read in small tables so that callers may ask for values again , . while others wait until all of this is done")
	for i := range batches {
		for range 20 { // the same text in each chunk would be an answer that repeats itself
			line := strings.Replace(lines["OpenAI"], `" hello"`, `" `+words[r.IntN(len(words))]+`"`, 1)
			batches[i] = append(batches[i], "data: "+line+"\n\n"...)
		}
	}
	handler := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for _, batch := range batches {
			_, _ = w.Write(batch)
		}
		_, _ = w.Write([]byte("data: [DONE]\n\n"))
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	server := &http.Server{Handler: http.HandlerFunc(handler)}
	done := make(chan error)
	go func() { done <- server.Serve(l) }()
	b.Cleanup(func() { server.Close(); <-done })
	return "http://" + l.Addr().String()
}
