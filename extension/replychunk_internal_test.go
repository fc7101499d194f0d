package extension

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// common are chunks as most streams contain them.
var common = []string{
	`{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1741569952,"model":"gpt-4o","system_fingerprint":"fp","choices":[{"index":0,"delta":{"content":" word"},"logprobs":null,"finish_reason":null}],"usage":null}`,
	`{"choices":[{"index":0,"delta":{"content":"","role":"assistant"}}]}`,
	`{"choices":[{"index":0,"finish_reason":"stop","delta":{"content":null}}]}`,
	`{"choices":[],"prompt_filter_results":[{"content_filter_results":{"hate":{"filtered":false,"severity":"safe"}}}]}`,
	`{"choices":[{"content_filter_offsets":{"start":1},"index":0,"delta":{"content":"\u00e9\n","copilot_annotations":{"a":[]}},"message":null,"text":null}],"error":null}`,
}

// odd are lines on which the two readers might disagree.
var odd = []string{
	``, `{}`, `{} x`, `null`, `{"choices":null}`, `{"choices":{}}`, `{"choices":[null]}`, `{"choices":[{}]}`, `{"choices":[],"choices":[{"delta":{"content":"a"}}]}`,
	`{"choices":[{"delta":{"content":"a"},"index":1}]}`, `{"choices":[{"index":1,"index":0,"delta":{"content":"a"}}]}`, `{"choices":[{"index":null,"delta":{"content":"a"}}]}`,
	`{"choices":[{"index":-0,"delta":{"content":"a"}}]}`, `{"choices":[{"index":"0","delta":{"content":"a"}}]}`, `{"choices":[{"index":00}]}`,
	`{"choices":[{"delta":{"content":"a"},"delta":{"content":"b"}}]}`, `{"choices":[{"delta":{"content":"a","content":"b"}}]}`, `{"choices":[{"delta":null,"message":{"content":"a"}}]}`,
	`{"choices":[{"delta":{},"message":{"content":"a"}}]}`, `{"choices":[{"delta":{},"text":"a"}]}`, `{"choices":[{"delta":{"content":["a"]}}]}`, `{"choices":[{"delta":{"content":7}}]}`,
	`{"choices":[{"delta":{"role":"function","content":"[{\"id\":\"1\"}]"}}]}`, `{"choices":[{"delta":{"tool_calls":[{}]}}]}`, `{"choices":[{"delta":{"refusal":"a"}}]}`, `{"choices":[{"finish_reason":"length"}]}`,
	`{"choices":[],"copilot_references":[]}`, `{"choices":[],"copilot_errors":["a"]}`, `{"choices":[],"error":{"message":"a"}}`, `{"Choices":[],"choices":[]}`,
	"{\"choices\":[{\"delta\":{\"content\":\"\xff\"}}]}", `{"choices":[{"delta":{"content":"\ud83d"}}]}`, `{"choices":[{"delta":{"content":"a"}}]`, `{"x":` + strings.Repeat("[", 40),
}

// agree checks that a chunk that the scanner accepts has the same text in takeChunk.
func agree(t *testing.T, s *chunkScanner, line []byte) bool {
	t.Helper()
	text, ok := s.scan(line)
	if !ok {
		return false
	}
	if !json.Valid(line) {
		t.Fatalf("%q is taken, and no JSON", line)
	}
	p := newReply(strings.NewReader(""), ReplyOptions{})
	p.take("", bytes.TrimSpace(line))
	var slow strings.Builder
	for _, e := range append(p.out, p.asked...) {
		if e.Kind != EventText {
			t.Fatalf("%q is taken for text, and is %+v", line, e)
		}
		slow.WriteString(e.Text)
	}
	if slow.String() != string(text) {
		t.Fatalf("%q is %q one way, %q the other", line, text, slow.String())
	}
	return true
}

func TestBothWaysToReadAChunkAgree(t *testing.T) {
	var s chunkScanner
	for _, line := range common {
		if !agree(t, &s, []byte(line)) {
			t.Errorf("%s is left to the slow way", line)
		}
		for i := range line {
			agree(t, &s, []byte(line[:i]))
		}
	}
	for _, line := range odd {
		agree(t, &s, []byte(line))
	}
}

func FuzzChunk(f *testing.F) {
	for _, line := range append(common, odd...) {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		var s chunkScanner
		agree(t, &s, line)
	})
}
