//go:build conformance

package mcpconformance

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	copilot "github.com/github/copilot-sdk/go"
	"github.com/github/copilot-sdk/go/rpc"

	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
)

// What the suite tells the command that it starts, besides the address of the server.
const (
	scenario = "MCP_CONFORMANCE_SCENARIO" // its name
	given    = "MCP_CONFORMANCE_CONTEXT"  // JSON, of scenarios that need more
)

// more is what a scenario tells its client.
type more struct {
	ClientID     string     `json:"client_id"`
	ClientSecret string     `json:"client_secret"`
	ToolCalls    []toolCall `json:"toolCalls"`
}

type toolCall struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

// server is the name of the suite's server in the session.
const server = "suite"

// beClient is the command that the suite starts: it returns the exit code.
func beClient() int {
	ctx, cancel := context.WithTimeout(context.Background(), 45*time.Second)
	defer cancel()
	if err := visit(ctx, os.Args[len(os.Args)-1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// visit runs a session with the server of a scenario. It removes what it makes.
func visit(ctx context.Context, address string) (err error) {
	var told more
	if text := os.Getenv(given); text != "" {
		if err := json.Unmarshal([]byte(text), &told); err != nil {
			return err
		}
	}
	home, err := os.MkdirTemp("", "sidestick-conformance-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(home)) }()
	model := modeltest.NewServer()
	defer model.Close()
	client := copilot.NewClient(&copilot.ClientOptions{
		Connection: copilot.StdioConnection{Path: os.Getenv(program)},
		Env:        []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "COPILOT_HOME=" + filepath.Join(home, "own"), "SIDESTICK_KEYRING=off"},
	})
	if err := client.Start(ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, client.Stop()) }()
	session, err := client.CreateSession(ctx, &copilot.SessionConfig{
		WorkingDirectory: home, AvailableTools: []string{"mcp:*"}, AuthClientIDMetadataURL: "https://conformance-test.local/client-metadata.json",
		Provider:            &copilot.ProviderConfig{BaseURL: model.URL() + "/v1", ModelID: "test-model"},
		OnPermissionRequest: copilot.PermissionHandler.ApproveAll, OnElicitationRequest: accept,
		MCPServers: map[string]copilot.MCPServerConfig{server: copilot.MCPHTTPServerConfig{URL: address, Tools: []string{"*"}}},
	})
	if err != nil {
		return err
	}
	v := &visitor{session: session, model: model, told: told, failed: make(chan string, 1), started: make(chan struct{}, 1)}
	defer session.On(v.hear)()
	return v.run(ctx)
}

// hear notes how a sign-in ends.
func (v *visitor) hear(e copilot.SessionEvent) {
	switch d := e.Data.(type) {
	case *rpc.SessionWarningData:
		if strings.Contains(d.Message, "nobody is signed in") {
			select {
			case v.failed <- d.Message:
			default: // one is enough
			}
		}
	case *rpc.SessionMCPServerStatusChangedData:
		if d.Status == rpc.MCPServerStatusPending {
			select {
			case v.started <- struct{}{}:
			default: // one is enough
			}
		}
	}
}

// accept fills in a form, and confirms what the suite asks to be confirmed.
func accept(c copilot.ElicitationContext) (copilot.ElicitationResult, error) {
	content := map[string]any{}
	if c.RequestedSchema != nil {
		for name, schema := range c.RequestedSchema.Properties {
			fields, _ := schema.(map[string]any)
			if value, ok := fields["default"]; ok {
				content[name] = value
			} else if fields["type"] == "boolean" {
				content[name] = true
			}
		}
	}
	return copilot.ElicitationResult{Action: copilot.ElicitationActionAccept, Content: content}, nil
}

// visitor is a session with the server of a scenario.
type visitor struct {
	session *copilot.Session
	model   *modeltest.Server
	told    more
	logins  int
	failed  chan string   // what the session says of a sign-in that failed
	started chan struct{} // the server has started again
}

// maxLogins bounds how often one scenario is signed in to.
const maxLogins = 3

// run signs in if the server wants that, has the model call every tool, and reads a resource if there is one. It
// begins again when the server wants another token.
func (v *visitor) run(ctx context.Context) error {
	for {
		status, err := v.settled(ctx)
		switch {
		case err != nil:
			return err
		case status.Status == rpc.MCPServerStatusNeedsAuth && v.logins < maxLogins:
			if err := v.login(ctx); err != nil {
				return err
			}
			continue
		case status.Status != rpc.MCPServerStatusConnected:
			return fmt.Errorf("the server is %s: %s", status.Status, text(status.Error))
		}
		again, err := v.callTools(ctx)
		if err != nil || !again {
			return errors.Join(err, v.readOthers(ctx))
		}
	}
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// settled waits until the server is not starting any more.
func (v *visitor) settled(ctx context.Context) (rpc.MCPServer, error) {
	for {
		list, err := v.session.RPC.MCP.List(ctx)
		if err != nil {
			return rpc.MCPServer{}, err
		}
		for _, one := range list.Servers {
			if one.Name == server && one.Status != rpc.MCPServerStatusPending {
				return one, nil
			}
		}
		select {
		case <-ctx.Done():
			return rpc.MCPServer{}, ctx.Err()
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// login signs in as a user with a browser does. The page of the suite sends the browser back at once.
func (v *visitor) login(ctx context.Context) error {
	v.logins++
	q := &rpc.MCPOauthLoginRequest{ServerName: server}
	if v.told.ClientID != "" {
		q.ClientID, q.ClientSecret = &v.told.ClientID, &v.told.ClientSecret
	}
	select {
	case <-v.started: // an earlier time
	default:
	}
	page, err := v.session.RPC.MCP.Oauth().Login(ctx, q)
	if err != nil || page.AuthorizationURL == nil {
		return err
	}
	visited, err := http.NewRequestWithContext(ctx, http.MethodGet, *page.AuthorizationURL, nil)
	if err != nil {
		return err
	}
	res, err := http.DefaultClient.Do(visited)
	if err != nil {
		return err
	}
	_ = res.Body.Close() // only what it leads to counts
	select {             // the server starts again some time after the page has answered, and may want another token at once
	case <-v.started:
		return nil
	case why := <-v.failed:
		return errors.New(why)
	case <-ctx.Done():
		return errors.New("the server did not start again")
	}
}

// callTools has the model call every tool that it is offered, or what the scenario says. again says that the server
// wants another token.
func (v *visitor) callTools(ctx context.Context) (again bool, err error) {
	calls := v.told.ToolCalls
	if calls == nil {
		offered, err := v.session.RPC.MCP.ListTools(ctx, &rpc.MCPListToolsRequest{ServerName: server})
		if err != nil {
			return false, err
		}
		for _, one := range offered.Tools {
			calls = append(calls, toolCall{one.Name, json.RawMessage(arguments[one.Name])})
		}
	}
	for _, one := range calls {
		if one.Arguments == nil {
			one.Arguments = json.RawMessage(`{}`)
		}
		v.model.Add(modeltest.Reply{ToolCalls: []modeltest.ToolCall{{Name: server + "-" + one.Name, Arguments: string(one.Arguments)}}})
	}
	v.model.Add(modeltest.Reply{Text: "Done."})
	if _, err := v.session.SendAndWait(ctx, copilot.MessageOptions{Prompt: "Call every tool."}); err != nil {
		return false, err
	}
	now, err := v.settled(ctx)
	return err == nil && now.Status == rpc.MCPServerStatusNeedsAuth && v.logins < maxLogins, err
}

// arguments are those of tools that need some.
var arguments = map[string]string{"add_numbers": `{"a":5,"b":3}`, "valid_tool": `{"region":"us-west1"}`}

// readOthers reads the first resource of the server. A server that does not list resources has none to read, which is no failure:
// no scenario is about such a list.
func (v *visitor) readOthers(ctx context.Context) error {
	listed, err := v.session.RPC.MCP.Resources().List(ctx, &rpc.MCPResourcesListRequest{ServerName: server})
	switch {
	case err != nil && strings.Contains(err.Error(), "Method not found"):
		return nil
	case err != nil:
		return err
	case len(listed.Resources) == 0:
		return nil
	}
	_, err = v.session.RPC.MCP.Resources().Read(ctx, &rpc.MCPResourcesReadRequest{ServerName: server, URI: listed.Resources[0].URI})
	return err
}
