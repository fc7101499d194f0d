package extension_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/extension"
)

// sink is a response that keeps nothing.
type sink struct{ header http.Header }

func (s sink) Header() http.Header       { return s.header }
func (sink) Write(p []byte) (int, error) { return io.Discard.Write(p) }
func (sink) WriteHeader(int)             {}
func (sink) Flush()                      {}

// BenchmarkWriter measures what the writer adds to a chunk of some words. An operation is
// one chunk. The aim of issue 5 is 20 µs.
func BenchmarkWriter(b *testing.B) {
	words := "some words of an answer, as a model gives them: <b>\"é\"</b>\n"
	inner := fmt.Sprintf(`data: {"id":"x","choices":[{"index":0,"delta":{"content":%q},"finish_reason":"stop"}]}`+"\n\n", words)
	for name, write := range map[string]func(w *extension.Writer) error{
		"Text":   func(w *extension.Writer) error { return w.Text(words) },
		"Write":  func(w *extension.Writer) error { _, err := w.Write([]byte(words)); return err },
		"Stream": func(w *extension.Writer) error { return w.Stream(strings.NewReader(inner)) },
	} {
		b.Run(name, func(b *testing.B) {
			h := extension.NewHandler(func(_ context.Context, _ *extension.Request, w *extension.Writer) error {
				b.ReportAllocs()
				for b.Loop() {
					if err := write(w); err != nil {
						return err
					}
				}
				return nil
			}, quiet)
			r, err := http.NewRequestWithContext(b.Context(), http.MethodPost, "http://agent.test/", strings.NewReader(hello))
			if err != nil {
				b.Fatal(err)
			}
			h.ServeHTTP(sink{http.Header{}}, r)
		})
	}
}

// BenchmarkWriterOverConnection measures sending one chunk: the deadline, the flush and the
// system call of a connection on loopback whose other end reads.
func BenchmarkWriterOverConnection(b *testing.B) {
	srv := httptest.NewServer(extension.NewHandler(func(_ context.Context, _ *extension.Request, w *extension.Writer) error {
		for b.Loop() {
			if err := w.Text("some words of an answer, as a model gives them\n"); err != nil {
				return err
			}
		}
		return nil
	}, quiet))
	defer srv.Close()
	res, err := http.Post(srv.URL, "application/json", strings.NewReader(hello))
	if err != nil {
		b.Fatal(err)
	}
	defer res.Body.Close()
	if _, err := io.Copy(io.Discard, res.Body); err != nil {
		b.Fatal(err)
	}
}
