package spans

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
	"time"

	"github.com/sidestick-dev/sidestick/internal/wire"
)

// The operations, as the conventions name them.
const (
	invokeAgent = "invoke_agent"
	chat        = "chat"
	executeTool = "execute_tool"
)

// span is a span that has not been written.
type span struct {
	trace, id, parent string // hexadecimal; parent "": the root
	name              string
	begin, end        time.Time // end zero: it has not ended
	attributes        map[string]any
	failure           string // "" for success
	turn              string // the turn id of a call for a summary
}

func newSpan(parent *span, operation, object string, begin time.Time) *span {
	s := &span{id: random(8), name: operation, begin: begin, attributes: map[string]any{"gen_ai.operation.name": operation}}
	if object != "" {
		s.name += " " + object
	}
	if s.trace = random(16); parent != nil {
		s.trace, s.parent = parent.trace, parent.id
	}
	return s
}

// remote returns the span that a traceparent names, nil for another text. Source of the form:
// https://www.w3.org/TR/trace-context/#traceparent-header
func remote(traceparent string) *span {
	parts := strings.Split(traceparent, "-")
	if len(parts) < 4 || len(parts[0]) != 2 || parts[0] == "ff" || parts[0] == "00" && len(parts) != 4 {
		return nil
	}
	for i, bytes := range []int{1, 16, 8, 1} {
		b, err := hex.DecodeString(parts[i])
		if err != nil || len(b) != bytes || parts[i] != strings.ToLower(parts[i]) {
			return nil
		}
	}
	if strings.Trim(parts[1], "0") == "" || strings.Trim(parts[2], "0") == "" {
		return nil
	}
	return &span{trace: parts[1], id: parts[2]}
}

// traceOf is the trace of a run that belongs to no span of a client. It is computed from the run, so
// that events can name the trace before a span of it is written.
func traceOf(session, run string) string {
	sum := sha256.Sum256([]byte(session + "\x00" + run))
	return hex.EncodeToString(sum[:16])
}

// ToolContext returns the traceparent of a new span for a tool call in a run: the interactionId of
// its user.message. traceparent is that of the client's span which the run belongs to; another text
// is none. The span gets that id when its external_tool.requested is observed.
func ToolContext(session, run, traceparent string) string {
	trace := traceOf(session, run)
	if parent := remote(traceparent); parent != nil {
		trace = parent.trace
	}
	return "00-" + trace + "-" + random(8) + "-01"
}

func random(bytes int) string {
	b := make([]byte, bytes)
	_, _ = rand.Read(b) // it does not fail
	return hex.EncodeToString(b)
}

// set adds an attribute, unless it is empty.
func (s *span) set(name, value string) {
	if value != "" {
		s.attributes[name] = value
	}
}

// The numbers of OTLP.
const (
	statusOK, statusError     = 1, 2
	kindInternal, kindOutside = 1, 3
)

type scope struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
}

type status struct {
	Code    int    `json:"code"`
	Message string `json:"message,omitempty"`
}

// line is the span as a line of the file; Type tells it from lines of other kinds.
func (s *span) line(source, version string) ([]byte, error) {
	st, kind := status{Code: statusOK}, kindInternal
	if s.failure != "" {
		st = status{statusError, s.failure}
	}
	if s.attributes["gen_ai.operation.name"] == chat {
		kind = kindOutside
	}
	return wire.Marshal(struct {
		Type       string         `json:"type"`
		Trace      string         `json:"traceId"`
		ID         string         `json:"spanId"`
		Parent     string         `json:"parentSpanId,omitempty"`
		Name       string         `json:"name"`
		Kind       int            `json:"kind"`
		Begin      string         `json:"startTimeUnixNano"`
		End        string         `json:"endTimeUnixNano"`
		Attributes map[string]any `json:"attributes"`
		Status     status         `json:"status"`
		Scope      scope          `json:"instrumentationScope"`
	}{
		"span", s.trace, s.id, s.parent, s.name, kind, nano(s.begin), nano(s.end), s.attributes, st, scope{source, version},
	})
}

func nano(t time.Time) string { return strconv.FormatInt(t.UnixNano(), 10) }
