package jsonrpc_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/jsonrpc"
)

// answers has requests and the answers that a connection gives, byte by byte.
var answers = []struct{ name, body, want string }{
	{
		"params come back", `{"jsonrpc":"2.0","id":1,"method":"echo","params":{"a":[1,"x"]}}`,
		`{"jsonrpc":"2.0","id":1,"result":{"a":[1,"x"]}}`,
	},
	{
		"members in any order, with space between",
		" {\t\"params\" : {\"id\":2} , \"method\":\"echo\",\r\n\"id\" : 0 ,\"jsonrpc\":\"2.0\" } ",
		`{"jsonrpc":"2.0","id":0,"result":{"id":2}}`,
	},
	{
		"a string id keeps its type", `{"jsonrpc":"2.0","id":"7","method":"echo","params":{}}`,
		`{"jsonrpc":"2.0","id":"7","result":{}}`,
	},
	{
		"an id keeps its bytes", `{"jsonrpc":"2.0","id":"\u0041\"}\\","method":"echo","params":{}}`,
		`{"jsonrpc":"2.0","id":"\u0041\"}\\","result":{}}`,
	},
	{
		"an id may be negative or huge", `{"jsonrpc":"2.0","id":-123456789012345678901234567890,"method":"nothing"}`,
		`{"jsonrpc":"2.0","id":-123456789012345678901234567890,"result":null}`,
	},
	{
		"names may be escaped", `{"jsonrpc":"2.0","\u0069d":1,"method":"ech\u006f","params":{"b":1}}`,
		`{"jsonrpc":"2.0","id":1,"result":{"b":1}}`,
	},
	{
		"names are exact", `{"jsonrpc":"2.0","ID":2,"id":1,"Method":"x","method":"nothing"}`,
		`{"jsonrpc":"2.0","id":1,"result":null}`,
	},
	{
		"the last of a name counts", `{"jsonrpc":"2.0","id":1,"id":2,"method":"nothing"}`,
		`{"jsonrpc":"2.0","id":2,"result":null}`,
	},
	{"params may be missing", `{"jsonrpc":"2.0","id":1,"method":"echo"}`, `{"jsonrpc":"2.0","id":1,"result":null}`},
	{"params may be null", `{"jsonrpc":"2.0","id":1,"method":"echo","params":null}`, `{"jsonrpc":"2.0","id":1,"result":null}`},
	{"params may be an array", `{"jsonrpc":"2.0","id":1,"method":"echo","params":[1]}`, `{"jsonrpc":"2.0","id":1,"result":[1]}`},
	{"no work is null", `{"jsonrpc":"2.0","id":1,"method":"nothing","params":{}}`, `{"jsonrpc":"2.0","id":1,"result":null}`},
	{"markup is not escaped", `{"jsonrpc":"2.0","id":1,"method":"html"}`, `{"jsonrpc":"2.0","id":1,"result":"<b>&"}`},
	{"a notification is not answered", `{"jsonrpc":"2.0","method":"echo","params":{}}`, ``},
	{"nor one that fails", `{"jsonrpc":"2.0","method":"fail"}`, ``},
	{"nor one that panics", `{"jsonrpc":"2.0","method":"panic at once"}`, ``},

	{
		"an error of the wire passes with its data", `{"jsonrpc":"2.0","id":1,"method":"refuse"}`,
		`{"jsonrpc":"2.0","id":1,"error":{"code":-32010,"message":"no","data":{"why":1}}}`,
	},
	{"data that is not JSON is left out", `{"jsonrpc":"2.0","id":1,"method":"bad data"}`, refusal("1", -32010, "no")},
	{"any other error is internal", `{"jsonrpc":"2.0","id":1,"method":"fail"}`, refusal("1", -32603, "out of ideas")},
	{"a panic", `{"jsonrpc":"2.0","id":1,"method":"panic at once"}`, refusal("1", -32603, "internal error in panic at once")},
	{"a panic of the work", `{"jsonrpc":"2.0","id":1,"method":"panic in work"}`, refusal("1", -32603, "internal error in panic in work")},
	{
		"a result without JSON", `{"jsonrpc":"2.0","id":1,"method":"unencodable"}`,
		refusal("1", -32603, "the result of unencodable cannot be encoded: json: unsupported type: func()"),
	},

	{"a fraction is no id", `{"jsonrpc":"2.0","id":1.5,"method":"echo"}`, refusal("null", -32600, "id must be a string or an integer of at most 1024 bytes")},
	{"nor is an exponent", `{"jsonrpc":"2.0","id":1e3,"method":"echo"}`, refusal("null", -32600, "id must be a string or an integer of at most 1024 bytes")},
	{"nor null", `{"jsonrpc":"2.0","id":null,"method":"echo"}`, refusal("null", -32600, "id must be a string or an integer of at most 1024 bytes")},
	{"nor an object", `{"jsonrpc":"2.0","id":{},"method":"echo"}`, refusal("null", -32600, "id must be a string or an integer of at most 1024 bytes")},
	{
		"nor a long one", `{"jsonrpc":"2.0","id":"` + strings.Repeat("a", 1023) + `","method":"echo"}`,
		refusal("null", -32600, "id must be a string or an integer of at most 1024 bytes"),
	},
	{"a version is needed", `{"id":1,"method":"echo"}`, refusal("1", -32600, `"jsonrpc" must be "2.0"`)},
	{"of 2.0", `{"jsonrpc":2.0,"id":1,"method":"echo"}`, refusal("1", -32600, `"jsonrpc" must be "2.0"`)},
	{"a method is a string", `{"jsonrpc":"2.0","id":1,"method":1}`, refusal("1", -32600, "method must be a string")},
	{"params are no scalar", `{"jsonrpc":"2.0","id":1,"method":"echo","params":"x"}`, refusal("1", -32600, "params must be an object or an array")},
	{"a message asks or answers", `{"jsonrpc":"2.0","id":1}`, refusal("1", -32600, "a message needs a method, a result or an error")},
	{"also without id", `{}`, refusal("null", -32600, "a message needs a method, a result or an error")},
	{"no batches", `[{"jsonrpc":"2.0","id":1,"method":"echo"}]`, refusal("null", -32600, "batches are not supported")},
	{"no empty batch", `[]`, refusal("null", -32600, "batches are not supported")},
	{"no scalars", `12`, refusal("null", -32600, "a message is an object")},
	{"no JSON", `x`, refusal("null", -32700, "body is not JSON: invalid character 'x' looking for beginning of value")},
	{
		"no JSON, but an id", `{"jsonrpc":"2.0","id":"a","method":"echo","params":{,}}`,
		refusal(`"a"`, -32700, "body is not JSON: invalid character ',' looking for beginning of object key string"),
	},
	{"no JSON, and an id that is cut off", `{"jsonrpc":"2.0","id":12`, refusal("null", -32700, "body is not JSON: unexpected end of JSON input")},
	{
		"the id of the params is not the request's", `{"params":{"id":3},"id":}`,
		refusal("null", -32700, "body is not JSON: invalid character '}' looking for beginning of value"),
	},
	{"no UTF-8", "{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"\xff\"}", refusal("4", -32700, "body is not UTF-8")},
	{"no UTF-8 in an id", "{\"jsonrpc\":\"2.0\",\"id\":\"\xff\",\"method\":\"echo\"}", refusal("null", -32700, "body is not UTF-8")},
	{"too deep", `{"jsonrpc":"2.0","id":5,"params":` + strings.Repeat("[", 10001), refusal("5", -32700, "body is not JSON: invalid character '[' exceeded max depth")},
	{"an answer to nothing is ignored", `{"jsonrpc":"2.0","id":1,"result":{}}`, ``},
	{"an error to nothing is ignored", `{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"x"}}`, ``},
	{"cancelling nothing is ignored", `{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}}`, ``},
}

func TestAnswers(t *testing.T) {
	for _, tc := range answers {
		t.Run(tc.name, func(t *testing.T) {
			want := ""
			if tc.want != "" {
				want = frame(tc.want)
			}
			got, err := transcript(t, desk, jsonrpc.Options{}, frame(tc.body))
			if got != want || err != nil {
				t.Errorf("answered %q, %v\nwant %q, nil", got, err, want)
			}
		})
	}
}

func TestFraming(t *testing.T) {
	const (
		ask    = `{"jsonrpc":"2.0","id":1,"method":"nothing"}`
		answer = `{"jsonrpc":"2.0","id":1,"result":null}`
		clean  = fault.Internal // no error: Run never returns an internal one
	)
	const http = "this is HTTP, and this port speaks JSON-RPC, for programs on a Copilot SDK"
	refused := func(format string, args ...any) string {
		return frame(refusal("null", jsonrpc.InvalidRequest, fmt.Sprintf(format, args...)))
	}
	for _, tc := range []struct {
		name, input, want string
		kind              fault.Kind // Unavailable also means io.ErrUnexpectedEOF
	}{
		{"nothing at all", "", "", clean},
		{"a frame", frame(ask), frame(answer), clean},
		{"names in any case, other headers, spaces", "CONTENT-TYPE: x\r\ncontent-length :\t43 \r\nX:\r\n\r\n" + ask, frame(answer), clean},
		{"bare newlines", "Content-Length: 43\n\n" + ask, frame(answer), clean},
		{"an end within a header", "Content-Len", "", fault.Unavailable},
		{"an end after a header", "Content-Length: 43\r\n", "", fault.Unavailable},
		{"an end before the body", "Content-Length: 43\r\n\r\n", "", fault.Unavailable},
		{"an end within the body", frame(ask)[:40], "", fault.Unavailable},
		{"an end within a body that is skipped", "Content-Length: 3000\r\n\r\n{", "", fault.Unavailable},
		{"no length", "Content-Type: x\r\n\r\n", refused("Content-Length is missing"), fault.Invalid},
		{"another header first", "X: 1\r\n" + frame(ask), refused(`a frame begins with Content-Length, and not with "X: 1"`), fault.Invalid},
		{"two lengths", "Content-Length: 43\r\nContent-Length: 43\r\n\r\n" + ask, refused("Content-Length is given twice"), fault.Invalid},
		{"length zero", "Content-Length: 0\r\n\r\n", refused(`Content-Length is " 0", not a number above zero`), fault.Invalid},
		{"length below zero", "Content-Length: -1\r\n\r\n", refused(`Content-Length is " -1", not a number above zero`), fault.Invalid},
		{"length in words", "Content-Length: +43\r\n\r\n" + ask, refused(`Content-Length is " +43", not a number above zero`), fault.Invalid},
		{
			"length beyond any integer", "Content-Length: 99999999999999999999\r\n\r\n",
			refused(`Content-Length is " 99999999999999999999", not a number above zero`), fault.Invalid,
		},
		{"length beyond reason", "Content-Length: 16385\r\n\r\n", refused("Content-Length 16385 is beyond 16 times the limit of 1024 bytes"), fault.Invalid},
		{"a browser", "GET / HTTP/1.1\r\nHost: x\r\n\r\n", refused(http), fault.Invalid},
		{"a page that sends a frame", "POST /a:b HTTP/1.1\r\nHost: x\r\n" + frame(ask), refused(http), fault.Invalid},
		{"a page that sends a frame to a proxy", "POST http://127.0.0.1:4141/ HTTP/1.1\r\n" + frame(ask), refused(http), fault.Invalid},
		{"a length in the line of a request", "Content-Length:43 /x HTTP/1.1\r\n\r\n" + ask, refused(`Content-Length is "43 /x HTTP/1.1", not a number above zero`), fault.Invalid},
		{"too many lines", "Content-Type: x\r\n" + strings.Repeat("X: 1\r\n", 15) + frame(ask), refused("header section has more than 16 lines"), fault.Invalid},
		{"lines too long", "X: " + strings.Repeat("x", 5000) + "\r\n", refused("header section is longer than 4096 bytes"), fault.Invalid},
		{"a line without end", strings.Repeat("x", 1<<20), refused("header section is longer than 4096 bytes"), fault.Invalid},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := transcript(t, desk, jsonrpc.Options{MaxFrame: 1024}, tc.input)
			if got != tc.want {
				t.Errorf("answered %q\nwant %q", got, tc.want)
			}
			if fault.KindOf(err) != tc.kind || (err == nil) != (tc.kind == clean) {
				t.Errorf("Run = %v, of kind %v, want %v", err, fault.KindOf(err), tc.kind)
			}
			if tc.kind == fault.Unavailable && !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("Run = %v, want %v", err, io.ErrUnexpectedEOF)
			}
		})
	}
}

func TestReadingGoesOnAfterABadBody(t *testing.T) {
	_, p, _ := start(t, desk, jsonrpc.Options{})
	for range 3 {
		p.say("{")
		p.expect(refusal("null", jsonrpc.ParseError, "body is not JSON: unexpected end of JSON input"))
		p.say(`{"jsonrpc":"2.0","id":1,"method":"nothing"}`)
		p.expect(`{"jsonrpc":"2.0","id":1,"result":null}`)
	}
}

func TestABodyBeyondTheLimitIsSkipped(t *testing.T) {
	filler := `"` + strings.Repeat("x", 1500) + `"`
	body := func(members string) string { return `{"jsonrpc":"2.0",` + members + `}` }
	for _, tc := range []struct{ name, body, id string }{
		{"its id is found", body(`"id":"a","method":"x","params":{"p":` + filler + `}`), `"a"`},
		{"also if it is not JSON", `{"id":7,"method":` + strings.Repeat("[", 1500), "7"},
		{"unless it is too far back", body(`"params":{"p":` + filler + `},"id":7`), "null"},
		{"or within the params", body(`"params":{"id":7,"p":` + filler + `}`), "null"},
		{"or cut off", `{"id":` + strings.Repeat("7", 1500) + `}`, "null"},
		{"or a notification", body(`"method":"x","params":{"p":` + filler + `}`), "null"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			message := fmt.Sprintf("request of %d bytes exceeds the limit of 1024 bytes", len(tc.body))
			want := frame(refusal(tc.id, -32600, message))
			got, err := transcript(t, desk, jsonrpc.Options{MaxFrame: 1024}, frame(tc.body))
			if got != want || err != nil {
				t.Errorf("answered %q, %v\nwant %q, nil", got, err, want)
			}
		})
	}
}
