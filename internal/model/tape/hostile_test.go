package tape_test

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/tape"
)

const head = `{"type":"recording","version":1}` + "\n"

// openTape writes the lines of a recording after its header, and opens it.
func openTape(t *testing.T, lines string) (*tape.Player, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.jsonl")
	if err := os.WriteFile(path, []byte(head+lines), 0o600); err != nil {
		t.Fatal(err)
	}
	return tape.Open(tape.PlayerOptions{Path: path, Tools: true})
}

// sentIn is the request that a dialect sends for one message, as a recording has it.
func sentIn(t *testing.T, ep model.Endpoint) map[string]json.RawMessage {
	t.Helper()
	live := recording(t, filepath.Join(t.TempDir(), "a.jsonl"), says("ok"))
	_, _, _ = live.ask(ep, "Hi.") // the answer suits one dialect only
	if err := live.rec.Close(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(live.path)
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(data) {
		var l map[string]json.RawMessage
		if err := json.Unmarshal(line, &l); err != nil {
			t.Fatal(err)
		}
		if string(l["type"]) == `"call"` {
			return l
		}
	}
	t.Fatalf("the dialect %s has sent nothing", ep.Dialect)
	return nil
}

// answered is the line of a call with another answer.
func answered(t *testing.T, line map[string]json.RawMessage, answer map[string]any) string {
	t.Helper()
	var err error
	if line["answer"], err = json.Marshal(answer); err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(line)
	if err != nil {
		t.Fatal(err)
	}
	return string(data) + "\n"
}

// bomb is a text that is 64 MiB larger when it is decompressed.
func bomb(t *testing.T) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write(make([]byte, 64<<20)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// hostileBodies are answers that no provider gives.
func hostileBodies(t *testing.T) map[string]string {
	deep := strings.Repeat("[", 200_000)
	deepObject := strings.Repeat(`{"a":`, 200_000)
	wide := "[" + strings.Repeat("0,", 1_000_000) + "0]"
	bodies := map[string]string{
		"nothing": "", "a line end": "\n", "NUL": "\x00", "a bomb": bomb(t), "not UTF-8": "\xff\xfe\xfd",
		"deep": deep, "deep object": deepObject, "deep event": "data: " + deep + "\n\n", "wide": wide, "wide event": "data: " + wide + "\n\n",
		"half an event": `data: {"choices":[{"delta":{"content":"`, "an endless line": "data: " + strings.Repeat("x", 1<<20),
		"empty events": strings.Repeat("data:\n\n", 10_000), "comments": strings.Repeat(":\n", 10_000),
		"a frame that is 4 GB long": "\xff\xff\xff\xff\xff\xff\xff\xff\x00\x00\x00\x00", "a frame that is 0 long": strings.Repeat("\x00", 1024),
	}
	for name, value := range map[string]string{
		"null": "null", "true": "true", "number": "1e999999999", "text": `"x"`, "list": "[]", "object": "{}", "lists": `{"choices":[[]],"output":[[]],"content":[[]],"candidates":[[]]}`,
		"wrong types":      `{"choices":7,"type":[],"message":"x","candidates":"x","output":1,"usage":"x","error":[1],"delta":3,"done":"x"}`,
		"nulls":            `{"choices":[null],"type":"content_block_start","content_block":null,"message":null,"candidates":[null],"output":null,"usage":null,"done":true}`,
		"indexes":          `{"type":"content_block_delta","index":9223372036854775807,"output_index":-1,"choices":[{"index":-9,"delta":{"tool_calls":[{"index":2147483647,"function":{"name":1}}]}}]}`,
		"negative":         `{"usage":{"prompt_tokens":-1,"completion_tokens":1e30,"input_tokens":-5,"output_tokens":9e99},"prompt_eval_count":-1,"usageMetadata":{"promptTokenCount":-1}}`,
		"unknown":          `{"type":"response.unheard_of","response":{"status":"?"},"done_reason":"?","stopReason":"?"}`,
		"an address":       `{"candidates":[{"content":{"parts":[{"fileData":{"fileUri":"file:///etc/passwd"}},{"inlineData":{"data":"%%%"}}]}}]}`,
		"a response twice": `{"type":"response.completed","response":{"output":[{"type":"function_call","name":"","call_id":"","arguments":"{"},{"type":"function_call"}]}}`,
	} {
		bodies[name] = value
		bodies[name+" event"] = "event: x\ndata: " + value + "\n\ndata: " + value + "\n\n"
		bodies[name+" lines"] = value + "\n" + value + "\n"
	}
	return bodies
}

// Whatever a recording has as the answer, each dialect returns an answer or an error. It sends
// nothing, waits for nothing (the clock of the test moves only if somebody waits), and holds no more than what it was given.
func TestHostileAnswersInEveryDialect(t *testing.T) {
	bodies := hostileBodies(t)
	for _, d := range dialects() {
		t.Run(d.Name(), func(t *testing.T) {
			ep := endpoint
			ep.Dialect = d.Name()
			line := sentIn(t, ep)
			var lines bytes.Buffer
			n := 0
			add := func(status int, headers map[string]string, body string) {
				half := len(body) / 2
				lines.WriteString(answered(t, line, map[string]any{"status": status, "headers": headers, "pieces": []map[string]any{
					{"base64": base64.StdEncoding.EncodeToString([]byte(body[:half])), "ms": -1},
					{"base64": base64.StdEncoding.EncodeToString([]byte(body[half:])), "ms": int64(1e15)},
				}}))
				n++
			}
			for _, body := range bodies {
				for _, kind := range []string{"text/event-stream", "application/json"} {
					add(200, map[string]string{"Content-Type": kind, "Content-Encoding": "gzip", "Content-Length": "-1"}, body)
				}
			}
			for _, kind := range []string{"application/vnd.amazon.eventstream", "application/x-ndjson", ";;;=", ""} {
				add(200, map[string]string{"Content-Type": kind}, bodies["a frame that is 4 GB long"])
				add(200, map[string]string{"Content-Type": kind}, bodies["wrong types"])
			}
			for _, status := range []int{100, 101, 204, 301, 302, 307, 401, 403, 404, 418, 429, 500, 503, 599, 600, 999} {
				add(status, map[string]string{"Location": "file:///etc/passwd", "Retry-After": "1e300", "Retry-After-Ms": "NaN", "X-Ratelimit-Reset": "-1"}, bodies["wrong types"])
				add(status, map[string]string{"Location": "http://%zz/", "Retry-After": "-9999999999999", "X-Should-Retry": "true"}, bodies["deep"])
			}
			player, err := openTape(t, lines.String())
			if err != nil {
				t.Fatal(err)
			}
			all := dialects()
			c := model.New(model.Options{Transport: noNetwork{t}, Around: player.Around, Retry: model.Retry{Attempts: 1}}, all[0], all[1:]...)
			defer c.Close()
			s := &session{t: t, client: c, player: player, place: model.Place{Session: "0198-two", Cwd: "/work/two"}}
			for range n {
				_, _, _ = s.ask(ep, "Hi.") // an answer or an error
			}
			if unused, of := player.Unused(); unused != 0 || of != n {
				t.Errorf("%d of %d answers were not given", unused, of)
			}
		})
	}
}

// A wait that a recording asks for ends the call, or is short: nobody waits until next year.
func TestARecordingDoesNotMakeACallWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ep := endpoint
		line := sentIn(t, ep)
		text := []map[string]string{{"text": `{"error":{"message":"Try again in 9999999 hours."}}`}}
		player, err := openTape(t, answered(t, line, map[string]any{"status": 429, "headers": map[string]string{"Retry-After": "99999999"}, "pieces": text}))
		if err != nil {
			t.Fatal(err)
		}
		all := dialects()
		c := model.New(model.Options{Transport: noNetwork{t}, Around: player.Around}, all[0], all[1:]...)
		defer c.Close()
		s := &session{t: t, client: c, player: player, place: model.Place{Session: "0198-two", Cwd: "/work/two"}}
		if _, _, err := s.ask(ep, "Hi."); err == nil {
			t.Error("a refusal is an answer")
		}
	})
}

const sample = `{"type":"call","request":{"method":"POST","url":"http://x"%s},"answer":%s}` + "\n"

// Lines that cannot be answered from are refused, with their number and the reason.
func TestHostileRecordings(t *testing.T) {
	answer := func(a string) string { return fmt.Sprintf(sample, "", a) }
	var places strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&places, `{"type":"call","place":{"session":"s%d"},"request":{"method":"POST","url":"http://x"},"failure":"x"}`+"\n", i)
	}
	for _, tc := range []struct{ name, lines, want string }{
		{"a status below 0 of an aborted call", answer(`{"status":-1,"aborted":true}`), "line 2: -1 is not an HTTP status"},
		{"a status above 999 of an aborted call", answer(`{"status":1000,"aborted":true}`), "line 2: 1000 is not an HTTP status"},
		{"status 0", answer(`{"status":0}`), "line 2: 0 is not an HTTP status"},
		{"a status that is no number", answer(`{"status":"200"}`), "line 2: "},
		{"a header with a line end", answer(`{"status":200,"headers":{"X-Request-Id":"a\r\nSet-Cookie: b"}}`), `line 2: the header "X-Request-Id" is not one of HTTP`},
		{"a name with a line end", answer(`{"status":200,"headers":{"X\nY":"a"}}`), `line 2: the header "X\nY" is not one of HTTP`},
		{"an escape in a header", answer(`{"status":200,"headers":{"Retry-After":"\u001b[2J"}}`), `line 2: the header "Retry-After" is not one of HTTP`},
		{"a request header", fmt.Sprintf(sample, `,"headers":{"Accept":"a\nb"}`, `{"status":200}`), `line 2: the header "Accept" is not one of HTTP`},
		{"an address", strings.Replace(answer(`{"status":200}`), "http://x", `http://x\u0000`, 1), "line 2: it has no request"},
		{"pieces that are no list", answer(`{"status":200,"pieces":{}}`), "line 2: "},
		{"a piece that is no base64", answer(`{"status":200,"pieces":[{"base64":"%"}]}`), "line 2: a body is not base64"},
		{"a deep body", fmt.Sprintf(sample, `,"body":`+strings.Repeat("[", 200_000)+strings.Repeat("]", 200_000), `{"status":200}`) + "{}\n", "line 2: it is not a JSON object"},
		{"too many pieces", answer(`{"status":200,"pieces":[` + strings.Repeat("{},", 2_000_001) + "{}]}"), "line 2: the answers have more than 2,000,000 pieces"},
		{"too many places", places.String(), "line 2002: the lines are of more than 2,000 sessions and sub-agents"},
		{"too many lines", strings.Repeat(`{"type":"tool"}`+"\n", 200_001), "line 200002: it has more than 200,000 calls of models, results and decisions"},
		{"empty lines", strings.Repeat("\n", 1000) + "{}\n", "line 2: it is not a JSON object"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := openTape(t, tc.lines)
			if fault.KindOf(err) != fault.Invalid || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%.300v, want %s", err, tc.want)
			}
		})
	}
}

// A file of line ends needs no more memory than it has bytes, several times over.
func TestLinesOfARecordingAreReadOneByOne(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.jsonl")
	const size = 8 << 20
	if err := os.WriteFile(path, []byte(head+"{}\n"+strings.Repeat("\n", size)+"{}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := tape.Open(tape.PlayerOptions{Path: path})
	runtime.ReadMemStats(&after)
	if err == nil {
		t.Error("a file of line ends is a recording")
	}
	if got := after.TotalAlloc - before.TotalAlloc; got > 4*size {
		t.Errorf("%d bytes for a file of %d", got, size)
	}
}

// Opening a recording of n calls of tools in n places, and finding a result in it, needs memory that
// grows with n and not with its square.
func TestOpeningARecordingIsLinear(t *testing.T) {
	used := func(n int) uint64 {
		var lines strings.Builder
		for i := range n {
			fmt.Fprintf(&lines, `{"type":"call","place":{"session":"session-%d","cwd":"/work/%d"},"request":{"method":"POST","url":"http://x/%d"},"failure":"x"}`+"\n", i, i, i)
			fmt.Fprintf(&lines, `{"type":"tool","place":{"session":"session-%d"},"toolCallId":"c%d","tool":"bash","arguments":{},"result":{}}`+"\n", i, i)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		player, err := openTape(t, lines.String())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := player.Tool(model.Place{Session: "now"}, tape.ToolCall{ID: "c7", Name: "bash", Arguments: []byte("{}")}); err != nil {
			t.Error(err)
		}
		runtime.ReadMemStats(&after)
		return after.Mallocs - before.Mallocs
	}
	used(10) // makes the patterns
	if small, large := used(100), used(400); large > 6*small {
		t.Errorf("%d objects for 100 places, %d for 400", small, large)
	}
}

// The error about a request that was not recorded is a few lines, whatever the recording has.
func TestADifferenceIsShort(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	var addresses strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&addresses, `{"type":"call","request":{"method":"POST","url":"http://x/%d"},"failure":"x"}`+"\n", i)
	}
	one := func(url, rest string) string {
		return `{"type":"call","request":{"method":"POST","url":"` + url + `",` + rest + `},"failure":"x"}` + "\n"
	}
	const chatURL = "https://api.example/v1/chat/completions"
	line := sentIn(t, endpoint)
	var sent struct{ Headers json.RawMessage }
	if err := json.Unmarshal(line["request"], &sent); err != nil {
		t.Fatal(err)
	}
	for name, lines := range map[string]string{
		"many addresses": addresses.String(),
		"a long address": one("http://x/"+long, `"text":""`),
		"a long name":    one(chatURL, `"headers":`+string(sent.Headers)+`,"body":{"`+long+`":1}`),
		"a long header":  one(chatURL, `"headers":{"Accept":"`+long+`"}`),
	} {
		t.Run(name, func(t *testing.T) {
			player, err := openTape(t, lines)
			if err != nil {
				t.Fatal(err)
			}
			all := dialects()
			c := model.New(model.Options{Transport: noNetwork{t}, Around: player.Around, Retry: model.Retry{Attempts: 1}}, all[0], all[1:]...)
			defer c.Close()
			s := &session{t: t, client: c, player: player}
			if _, _, err := s.ask(endpoint, "Hi."); err == nil || len(err.Error()) > 8000 {
				t.Errorf("an error of %d bytes", len(fmt.Sprint(err)))
			}
		})
	}
}

// A result is moved to the paths of the session that asks for it, within a bound.
func TestAMovedResultIsBounded(t *testing.T) {
	player, err := openTape(t, `{"type":"tool","place":{"cwd":"/a"},"toolCallId":"c","tool":"bash","arguments":{},"result":"`+strings.Repeat("/a ", 1<<20)+`"}`+"\n")
	if err != nil {
		t.Fatal(err)
	}
	at := model.Place{Cwd: "/" + strings.Repeat("long", 100)}
	if got, err := player.Tool(at, tape.ToolCall{ID: "c", Name: "bash", Arguments: []byte("{}")}); err == nil || !strings.Contains(err.Error(), "64 MiB") {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}

var _ http.RoundTripper = noNetwork{}
