package server_test

import (
	"context"
	"encoding/json"
	"net"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/jsonrpc"
	"github.com/sidestick-dev/sidestick/internal/testing/clientfstest"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
)

// A client that keeps its sessions finds them in its lists; another client does not.
func TestListsContainTheSessionsThatTheClientKeeps(t *testing.T) {
	inBubble(t, setup{}, func(t *testing.T, p *process) {
		other := p.connect()
		near, far := net.Pipe()
		p.serving.Go(func() { _ = p.server.Serve(p.ctx, far) })
		files := &clientfstest.Client{}
		idle := make(chan struct{}, 10)
		client := jsonrpc.NewConn(near, func(ctx context.Context, req *jsonrpc.Request) func() (any, error) {
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
		call := func(method, params string) string {
			answer, err := client.Call(t.Context(), method, json.RawMessage(params))
			if err != nil {
				t.Errorf("%s: %v", method, err)
			}
			return string(answer)
		}
		call("sessionFs.setProvider", `{"initialCwd":"/","sessionStatePath":"/state","conventions":"posix"}`)
		call("session.create", `{"sessionId":"kept"}`)
		call("session.send", `{"sessionId":"kept","prompt":"Hello."}`)
		<-idle
		for _, method := range []string{"session.list", "session.getLastId", "session.getMetadata"} {
			const params = `{"sessionId":"kept"}`
			if got := call(method, params); !strings.Contains(got, `"sessionId":"kept"`) {
				t.Errorf("%s of the client: %s", method, got)
			}
			if got := string(other.call(method, params)); strings.Contains(got, "kept") {
				t.Errorf("%s of another client: %s", method, got)
			}
		}
		_ = client.Close()
	}, modeltest.Reply{Text: "Hello."})
}
