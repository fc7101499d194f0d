package server_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/sidestick-dev/sidestick/internal/jsonrpc"
	"github.com/sidestick-dev/sidestick/internal/testing/clientfstest"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// pending is a kind of request that clients answer with a method.
type pending struct {
	name   string
	config string               // beside the session's id
	calls  []modeltest.ToolCall // of the model's first answer
	ask    string               // a call that asks, without the model: method and parameters
	event  string               // says that the request is open
	method string               // answers it
	first  string               // members of an answer
	second string               // of another one
}

var pendings = []pending{
	{
		"permission", `,"requestPermission":true,"tools":[{"name":"wipe"}]`,
		[]modeltest.ToolCall{{ID: "c1", Name: "wipe", Arguments: `{}`}},
		"", "permission.requested",
		"session.permissions.handlePendingPermissionRequest", `,"result":{"kind":"reject","feedback":"FIRST"}`, `,"result":{"kind":"approve-once"}`,
	},
	{
		"client tool", `,"requestPermission":false,"tools":[{"name":"wipe","skipPermission":true}]`,
		[]modeltest.ToolCall{{ID: "c1", Name: "wipe", Arguments: `{}`}},
		"", "external_tool.requested",
		"session.tools.handlePendingToolCall", `,"result":"FIRST"`, `,"result":"SECOND"`,
	},
	{
		"question", ``,
		[]modeltest.ToolCall{{ID: "c1", Name: "ask_user", Arguments: `{"question":"Which?"}`}},
		"", "user_input.requested",
		"session.ui.handlePendingUserInput", `,"response":{"answer":"FIRST","wasFreeform":true}`, `,"response":{"answer":"SECOND","wasFreeform":true}`,
	},
	{
		"form", `,"requestElicitation":true`, nil,
		`session.ui.elicitation {"sessionId":"s1","message":"Name?","requestedSchema":{"type":"object","properties":{"n":{"type":"string"}}}}`,
		"elicitation.requested", "session.ui.handlePendingElicitation",
		`,"result":{"action":"accept","content":{"n":"FIRST"}}`, `,"result":{"action":"accept","content":{"n":"SECOND"}}`,
	},
	{
		"command", `,"commands":[{"name":"deploy"}]`, nil, `session.commands.execute {"sessionId":"s1","commandName":"deploy","args":""}`,
		"command.execute", "session.commands.handlePendingCommand", `,"error":"FIRST"`, `,"error":"SECOND"`,
	},
}

// The first answer to a request counts, and it counts once: an answer under another id, of another kind, of a
// client that is not in the session, a second one, and one that comes when the run has ended change nothing.
func TestAnAnswerCountsOnce(t *testing.T) {
	for _, kind := range pendings {
		t.Run(kind.name, func(t *testing.T) {
			script := []modeltest.Reply{{ToolCalls: kind.calls}, {Text: "Done."}}
			inBubble(t, setup{Agents: true}, func(t *testing.T, p *process) {
				a, stranger := p.connect(), p.connect()
				a.call("session.create", `{"sessionId":"s1","systemMessage":{"mode":"replace","content":"Be brief."}`+kind.config+`}`)
				a.call("session.eventLog.registerInterest", `{"sessionId":"s1","eventType":"`+kind.event+`"}`)
				b := p.connect()
				b.call("session.resume", `{"sessionId":"s1","disableResume":true}`)
				var asked string
				if method, params, ok := strings.Cut(kind.ask, " "); ok {
					asked = b.request(method, params)
				} else {
					a.call("session.send", `{"sessionId":"s1","prompt":"Go."}`)
				}
				opened := a.event("s1", kind.event, 1)
				id := opened.requestID()
				kind.refuseOthers(t, a, stranger, id)

				first := a.request(kind.method, reply(id, kind.first))
				again := a.request(kind.method, reply(id, kind.second)) // on the same connection, without waiting
				if got := a.answer(first); !counted(got) {
					t.Errorf("the first answer: %s %q", got.result, got.failure.Message)
				}
				if got := a.answer(again); counted(got) && kind.name != "command" {
					t.Errorf("the second answer counts: %s", got.result)
				}
				if got := b.answer(b.request(kind.method, reply(id, kind.second))); counted(got) && kind.name != "command" {
					t.Errorf("the answer of the other client counts: %s", got.result)
				}
				if asked != "" {
					got := b.answer(asked)
					if all := string(got.result) + got.failure.Message; !strings.Contains(all, "FIRST") || strings.Contains(all, "SECOND") {
						t.Errorf("the program that asks reads %s", all)
					}
				} else {
					a.event("s1", "session.idle", 1)
				}
				late := a.answer(a.request(kind.method, reply(id, kind.second)))
				if counted(late) && kind.name != "command" {
					t.Errorf("an answer after the end counts: %s", late.result)
				}
				synctest.Wait()
				if n := completed(a, id); n != 1 && kind.name != "command" {
					t.Errorf("the request has ended %d times, want once", n)
				}
				if asked == "" {
					log := fmt.Sprintf("%s", p.stored("s1"))
					if !strings.Contains(log, "FIRST") || strings.Contains(log, "SECOND") {
						t.Errorf("the log has not the first answer alone: %s", log)
					}
				}
			}, script...)
		})
	}
}

// reply are the parameters of an answer.
func reply(id, content string) string {
	return `{"sessionId":"s1","requestId":"` + id + `"` + content + `}`
}

// refuseOthers sends answers that must not count for the open request.
func (kind pending) refuseOthers(t *testing.T, a, stranger *peer, id string) {
	t.Helper()
	if got := stranger.answer(stranger.request(kind.method, reply(id, kind.second))); !strings.Contains(got.failure.Message, "Session not found") {
		t.Errorf("a client that is not in the session: %s %q", got.result, got.failure.Message)
	}
	if got := a.answer(a.request(kind.method, reply("another", kind.second))); counted(got) && kind.name != "command" { // see Client.AnswerCommand
		t.Errorf("an answer under another id counts: %s", got.result)
	}
	for _, other := range pendings {
		if other.method == kind.method || other.name == "command" {
			continue
		}
		if got := a.answer(a.request(other.method, reply(id, other.first))); counted(got) {
			t.Errorf("an answer to a %s counts for a %s: %s", other.name, kind.name, got.result)
		}
	}
	synctest.Wait()
	if n := completed(a, id); n != 0 {
		t.Fatalf("the request has ended %d times before it was answered", n)
	}
}

// counted reports whether an answer to a request has counted.
func counted(m message) bool {
	var result wire.Success
	return json.Unmarshal(m.result, &result) == nil && result.Success
}

// completed is how many events say that a request has ended.
func completed(c *peer, id string) (n int) {
	for _, e := range c.events("s1", 0) {
		if strings.HasSuffix(e.Type, ".completed") && e.requestID() == id {
			n++
		}
	}
	return n
}

// A request outlives the connection of its client: the answer of the connection that replaces it counts, under the
// same id and once.
func TestAnAnswerCountsOnceAfterAConnectionIsReplaced(t *testing.T) {
	for _, kind := range pendings[:3] {
		t.Run(kind.name, func(t *testing.T) {
			inBubble(t, setup{Agents: true}, func(t *testing.T, p *process) {
				config := `{"sessionId":"s1","continuePendingWork":true,"systemMessage":{"mode":"replace","content":"Be brief."}` + kind.config + `}`
				interest := `{"sessionId":"s1","eventType":"` + kind.event + `"}`
				b, a := p.connect(), p.connect()
				a.call("session.create", config)
				b.call("session.resume", `{"sessionId":"s1","continuePendingWork":true,"disableResume":true}`)
				a.call("session.eventLog.registerInterest", interest)
				b.call("session.eventLog.registerInterest", interest)
				a.call("session.send", `{"sessionId":"s1","prompt":"Go."}`)
				opened := b.event("s1", kind.event, 1)
				answer := func(c *peer, content string) bool {
					return counted(c.answer(c.request(kind.method, `{"sessionId":"s1","requestId":"`+opened.requestID()+`"`+content+`}`)))
				}
				a.hangUp()
				synctest.Wait()
				replaced := p.connect()
				replaced.call("session.resume", config)
				synctest.Wait()
				if !answer(replaced, kind.first) {
					t.Error("the answer of the new connection does not count")
				}
				if answer(b, kind.second) || answer(replaced, kind.second) {
					t.Error("a second answer counts")
				}
				b.event("s1", "session.idle", 1)
				if log := fmt.Sprintf("%s", p.stored("s1")); !strings.Contains(log, "FIRST") || strings.Contains(log, "SECOND") {
					t.Errorf("the log has not the first answer alone: %s", log)
				}
			}, modeltest.Reply{ToolCalls: kind.calls}, modeltest.Reply{Text: "Done."})
		})
	}
}

// repeating is the connection of a client that answers each call of the server three times: with its answer, with
// another one, and under an id that it was not asked under.
type repeating struct {
	net.Conn
	rest []byte
}

func (r *repeating) Write(p []byte) (int, error) {
	r.rest = append(r.rest, p...)
	for {
		head, tail, ok := bytes.Cut(r.rest, []byte("\r\n\r\n"))
		n, err := strconv.Atoi(strings.TrimPrefix(string(head), "Content-Length: "))
		if !ok || err != nil || len(tail) < n {
			return len(p), nil
		}
		body := bytes.Clone(tail[:n])
		r.rest = bytes.Clone(tail[n:])
		out := []string{string(body)}
		var m struct {
			ID     json.Number
			Method string
		}
		if json.Unmarshal(body, &m) == nil && m.Method == "" {
			for _, id := range []string{m.ID.String(), "9999999"} {
				out = append(out, `{"jsonrpc":"2.0","id":`+id+`,"result":{"content":"SECOND","entries":["SECOND"],"error":{"code":"UNKNOWN","message":"SECOND"}}}`)
			}
		}
		for _, frame := range out {
			if _, err := fmt.Fprintf(r.Conn, "Content-Length: %d\r\n\r\n%s", len(frame), frame); err != nil {
				return 0, err
			}
		}
	}
}

// Of the answers of a client that keeps a session, the first to each call counts: what it says twice, and under ids
// that it was not asked under, does not come into the session, and the session goes on.
func TestAClientThatKeepsSessionsAnswersTwice(t *testing.T) {
	inBubble(t, setup{}, func(t *testing.T, p *process) {
		files := &clientfstest.Client{}
		connect := func() (call func(method, params string) string, idle chan struct{}, leave func()) {
			near, far := net.Pipe()
			p.serving.Go(func() { _ = p.server.Serve(p.ctx, far) })
			idle = make(chan struct{}, 10)
			client := jsonrpc.NewConn(&repeating{Conn: near}, func(ctx context.Context, req *jsonrpc.Request) func() (any, error) {
				if req.Method == "session.event" && strings.Contains(string(req.Params), `"session.idle"`) {
					idle <- struct{}{}
				}
				return func() (any, error) {
					if !strings.HasPrefix(req.Method, "sessionFs.") {
						return nil, nil
					}
					var result json.RawMessage
					return &result, files.Call(ctx, req.Method, req.Params, &result)
				}
			}, jsonrpc.Options{})
			p.serving.Go(func() { _ = client.Run(context.Background()) })
			return func(method, params string) string {
				answer, err := client.Call(t.Context(), method, json.RawMessage(params))
				if err != nil {
					t.Errorf("%s: %v", method, err)
				}
				return string(answer)
			}, idle, func() { _ = client.Close() }
		}
		call, idle, leave := connect()
		call("sessionFs.setProvider", `{"initialCwd":"/","sessionStatePath":"/state","conventions":"posix"}`)
		call("session.create", `{"sessionId":"kept"}`)
		call("session.send", `{"sessionId":"kept","prompt":"Hello."}`)
		<-idle
		before := call("session.getMessages", `{"sessionId":"kept"}`)
		call("session.destroy", `{"sessionId":"kept"}`)
		leave()
		synctest.Wait()

		call, idle, leave = connect()
		defer leave()
		call("sessionFs.setProvider", `{"initialCwd":"/","sessionStatePath":"/state","conventions":"posix"}`)
		call("session.resume", `{"sessionId":"kept"}`)
		call("session.send", `{"sessionId":"kept","prompt":"Again."}`)
		<-idle
		after := call("session.getMessages", `{"sessionId":"kept"}`)
		if !strings.HasPrefix(after, strings.TrimSuffix(before, "]}")) || !strings.Contains(after, "Good day.") {
			t.Errorf("the log before is not the beginning of the log after:\n%s\n%s", before, after)
		}
		if strings.Contains(after, "SECOND") || strings.Contains(after, `"session.warning"`) || strings.Contains(after, `"session.error"`) {
			t.Errorf("the log has a second answer, a warning or an error: %s", after)
		}
	}, modeltest.Reply{Text: "Hello."}, modeltest.Reply{Text: "Good day."})
}

// Of a model call that a client carries, the first beginning and the first end count. What the client sends later,
// and what another client sends under the same id, is not accepted.
func TestACarriedModelCallIsAnsweredOnce(t *testing.T) {
	inBubble(t, setup{}, func(t *testing.T, p *process) {
		a, b := p.connect(), p.connect()
		b.call("llmInference.setProvider", `{}`)
		a.call("llmInference.setProvider", `{}`)
		a.call("session.create", `{"sessionId":"s1","model":"m","provider":{"type":"openai","baseUrl":"http://models.test/v1","apiKey":"k"}}`)
		a.call("session.send", `{"sessionId":"s1","prompt":"Hello."}`)
		var id string
		for answered := 0; id == ""; answered++ {
			asked := a.await("a call of the client", answered, func(m *message) bool { return strings.HasPrefix(m.method, "llmInference.") })
			var call struct {
				ID     json.Number
				Params struct {
					RequestID string
					End       bool
				}
			}
			if err := json.Unmarshal(asked.raw, &call); err != nil {
				t.Fatal(err)
			}
			a.write(`{"jsonrpc":"2.0","id":` + call.ID.String() + `,"result":{}}`)
			for answered < len(a.messages()) && string(a.messages()[answered].raw) != string(asked.raw) {
				answered++
			}
			if call.Params.End {
				id = call.Params.RequestID
			}
		}
		for _, step := range []struct {
			c              *peer
			method, params string
			want           string
		}{
			{b, "httpResponseStart", beginning(id, 500), `{"accepted":false}`},
			{a, "httpResponseStart", beginning(id, 200), `{"accepted":true}`},
			{a, "httpResponseStart", beginning(id, 500), `{"accepted":false}`},
			{b, "httpResponseChunk", piece(id, "SECOND"), `{"accepted":false}`},
			{a, "httpResponseChunk", piece(id, "FIRST"), `{"accepted":true}`},
			{a, "httpResponseChunk", piece(id, "SECOND"), `{"accepted":false}`},
			{a, "httpResponseStart", beginning(id, 200), `{"accepted":false}`},
		} {
			if got := step.c.call("llmInference."+step.method, step.params); string(got) != step.want {
				t.Errorf("%s %s: %s, want %s", step.method, step.params, got, step.want)
			}
		}
		a.event("s1", "session.idle", 1)
		if log := fmt.Sprintf("%s", p.stored("s1")); !strings.Contains(log, "FIRST") || strings.Contains(log, "SECOND") || strings.Contains(log, "session.error") {
			t.Errorf("the log has not the first answer alone: %s", log)
		}
	})
}

// beginning is that of an answer to a carried model call.
func beginning(id string, status int) string {
	return fmt.Sprintf(`{"requestId":%q,"status":%d,"headers":{"content-type":["text/event-stream"]}}`, id, status)
}

// piece is the rest of such an answer.
func piece(id, text string) string {
	event := `data: {"id":"x","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"` + text + `"},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n"
	data, _ := json.Marshal(event) // a string
	return fmt.Sprintf(`{"requestId":%q,"data":%s,"end":true}`, id, data)
}
