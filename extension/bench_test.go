package extension_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/extension"
)

// BenchmarkReadReply reads an answer of 10,000 chunks of about 250 bytes, in OpenAI's
// format.
func BenchmarkReadReply(b *testing.B) {
	var body strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&body, `data: {"id":"chatcmpl-B9MBs8CjcvOU2jLn4n570S5qMJKcT","object":"chat.completion.chunk","created":1741569952,"model":"gpt-4o-2024-08-06",`+
			`"system_fingerprint":"fp_44709d6fcb","choices":[{"index":0,"delta":{"content":" word%04d"},"logprobs":null,"finish_reason":null}]}`+"\n\n", i)
	}
	body.WriteString("data: [DONE]\n\n")
	b.SetBytes(int64(body.Len()))
	b.ReportAllocs()
	for b.Loop() {
		n := 0
		for e, err := range extension.ReadReply(strings.NewReader(body.String())) {
			if err != nil || e.Kind != extension.EventText {
				b.Fatal(e, err)
			}
			n++
		}
		if n != 10_000 {
			b.Fatalf("%d events", n)
		}
	}
}
