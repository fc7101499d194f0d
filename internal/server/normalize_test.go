package server_test

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// ordered sorts what a server wrote in one go into an order that the protocol promises:
// the answers, in the order of the requests in ids, the events of each session, the
// changes of each session.
func ordered(heard []message, ids []string) []message {
	rank := func(m message) int {
		switch m.method {
		case "":
			return slices.Index(ids, m.id) // -1, in front, for a null id
		case "session.event":
			return len(ids)
		}
		return len(ids) + 1
	}
	out := slices.Clone(heard)
	slices.SortStableFunc(out, func(a, b message) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a.session, b.session))
	})
	return out
}

// transcribe returns messages in the form of a transcript, one per line: without the
// version, and joined where the server joins messages for a client that reads slowly.
func transcribe(list []message) (out []string) {
	for i, m := range list {
		line := strings.Replace(string(m.raw), `"jsonrpc":"2.0",`, "", 1)
		if i > 0 {
			if whole, ok := join(&list[i-1], &m, out[len(out)-1], line); ok {
				out[len(out)-1] = whole
				continue
			}
		}
		out = append(out, line)
	}
	return out
}

var (
	deltaText = regexp.MustCompile(`"(?:deltaContent|inputDelta)":"((?:[^"\\]|\\.)*)"`)
	deltaKey  = regexp.MustCompile(`"(?:messageId|reasoningId|toolCallId)":"[^"]*"`)
)

// join joins the lines of two messages if they are pieces of one text, or if the newer
// contains everything in the older.
func join(a, b *message, lineA, lineB string) (whole string, ok bool) {
	if a.method != b.method || a.session != b.session || a.event.Type != b.event.Type || a.news != b.news {
		return "", false
	}
	if b.method == "session.lifecycle" || b.event.Type == "assistant.streaming_delta" {
		return lineB, true
	}
	text, piece := deltaText.FindStringSubmatchIndex(lineA), deltaText.FindStringSubmatch(lineB)
	if !strings.HasSuffix(b.event.Type, "_delta") || text == nil || piece == nil || deltaKey.FindString(lineA) != deltaKey.FindString(lineB) {
		return "", false
	}
	return lineA[:text[3]] + piece[1] + lineA[text[3]:], true
}

// normalizer replaces values that differ from run to run by names that do not.
type normalizer struct {
	ids map[string]string
}

var (
	uuid    = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
	instant = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)|("sessionStartTime":)\d+`)
	size    = regexp.MustCompile(`("eventsFileSizeBytes":)\d+`)
	retried = regexp.MustCompile(`("duration":)[1-9]\d{2}\b`) // has the wait before a retry, which is partly random
	seal    = regexp.MustCompile(`("seal":)"[0-9a-f]{64}"`)
	limitOf = regexp.MustCompile(`,"tokenLimitSource":"[^"]*"`)   // a server elsewhere is asked beside the first call
	request = regexp.MustCompile(`("requestBodyBytes":)[1-9]\d*`) // depends on every text that the model gets
	cursor  = regexp.MustCompile(`("cursor":"[fb]\.\w+)\.\w+\.\w+`)
)

func (n *normalizer) normalize(text []byte) []byte {
	text = limitOf.ReplaceAll(text, nil)
	text = uuid.ReplaceAllFunc(text, func(id []byte) []byte {
		if n.ids == nil {
			n.ids = map[string]string{}
		}
		if n.ids[string(id)] == "" {
			n.ids[string(id)] = fmt.Sprintf("id-%d", len(n.ids)+1)
		}
		return []byte(n.ids[string(id)])
	})
	text = instant.ReplaceAll(text, []byte("${3}t"))
	text = cursor.ReplaceAll(text, []byte("${1}.mark.run"))
	text = retried.ReplaceAll(text, []byte("${1}100")) // a number, because other packages read the transcripts
	text = request.ReplaceAll(text, []byte("${1}1000"))
	text = seal.ReplaceAll(text, []byte(`${1}"s"`))
	return size.ReplaceAll(text, []byte("${1}n"))
}
