// The story of story.md, as a user of the SDK for Go writes it.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	copilot "github.com/github/copilot-sdk/go"
	"github.com/github/copilot-sdk/go/rpc"
)

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := tell(ctx, strings.Split(os.Getenv("STORY_STEPS"), ",")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println("done")
}

// A story is the program while it tells; client serves the steps.
type story struct {
	client *copilot.Client
	dir    string
}

func tell(ctx context.Context, steps []string) error {
	s := &story{dir: os.Getenv("STORY_DIR")}
	var err error
	if s.client, err = connect(ctx); err != nil {
		return err
	}
	known := map[string]func(context.Context) error{
		"tool": s.tool, "streaming": s.streaming, "permission": s.permission, "ask": s.ask, "hooks": s.hooks,
		"provider": s.provider, "mcp": s.mcp, "structured": s.structured, "abort": s.abort, "join": s.join,
		"list": s.list, "restart": s.restart,
	}
	for _, name := range steps {
		step := known[name]
		if step == nil {
			return fmt.Errorf("there is no step %q", name)
		}
		if err := step(ctx); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		fmt.Println("ok", name)
	}
	return s.client.Stop()
}

// connect returns a new client that has started.
func connect(ctx context.Context) (*copilot.Client, error) {
	var options copilot.ClientOptions
	switch transport := os.Getenv("STORY_TRANSPORT"); transport {
	case "stdio":
		options.Connection = copilot.StdioConnection{}
	case "tcp":
		options.Connection = copilot.URIConnection{URL: os.Getenv("STORY_ADDR"), ConnectionToken: os.Getenv("STORY_TOKEN")}
	case "inprocess":
		options.Connection = copilot.InProcessConnection{}
	default:
		return nil, fmt.Errorf("there is no transport %q", transport)
	}
	client := copilot.NewClient(&options)
	return client, client.Start(ctx)
}

func model() *copilot.ProviderConfig {
	return &copilot.ProviderConfig{Type: "openai", BaseURL: os.Getenv("STORY_MODEL_URL"), APIKey: "story-key"}
}

// create returns a new session; adjust changes its settings, unless it is nil.
func (s *story) create(ctx context.Context, adjust func(*copilot.SessionConfig)) (*copilot.Session, error) {
	config := copilot.SessionConfig{
		Model: "test-model", Provider: model(), WorkingDirectory: s.dir, OnPermissionRequest: copilot.PermissionHandler.ApproveAll,
	}
	if adjust != nil {
		adjust(&config)
	}
	return s.client.CreateSession(ctx, &config)
}

func (s *story) resume(ctx context.Context, client *copilot.Client, id string) (*copilot.Session, error) {
	return client.ResumeSession(ctx, id, &copilot.ResumeSessionConfig{
		Model: "test-model", Provider: model(), WorkingDirectory: s.dir, OnPermissionRequest: copilot.PermissionHandler.ApproveAll,
	})
}

// ask sends a prompt and compares the answer.
func ask(ctx context.Context, session *copilot.Session, prompt, want string) error {
	event, err := session.SendAndWait(ctx, copilot.MessageOptions{Prompt: prompt})
	if err != nil {
		return err
	}
	if event == nil {
		return fmt.Errorf("%q has no answer", prompt)
	}
	if got := event.Data.(*copilot.AssistantMessageData).Content; got != want {
		return fmt.Errorf("the answer to %q is %q, want %q", prompt, got, want)
	}
	return nil
}

// heard returns the answers that a session hears from now on.
func heard(session *copilot.Session) <-chan string {
	answers := make(chan string, 10)
	session.On(func(e copilot.SessionEvent) {
		if data, ok := e.Data.(*copilot.AssistantMessageData); ok {
			answers <- data.Content
		}
	})
	return answers
}

type weather struct {
	City string `json:"city" jsonschema:"name of the city"`
}

func (s *story) tool(ctx context.Context) error {
	var called atomic.Int32
	session, err := s.create(ctx, func(c *copilot.SessionConfig) {
		c.Tools = []copilot.Tool{copilot.DefineTool("get_weather", "Tells the weather in a city.",
			func(w weather, _ copilot.ToolInvocation) (string, error) {
				called.Add(1)
				return "7 degrees in " + w.City, nil
			})}
	})
	if err != nil {
		return err
	}
	if err := ask(ctx, session, "tool: what is the weather in Oslo?", "It is 7 degrees in Oslo."); err != nil {
		return err
	}
	if called.Load() != 1 {
		return fmt.Errorf("the tool was called %d times", called.Load())
	}
	return session.Disconnect()
}

func (s *story) streaming(ctx context.Context) error {
	const want = "1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20."
	session, err := s.create(ctx, func(c *copilot.SessionConfig) { c.Streaming = copilot.Bool(true) })
	if err != nil {
		return err
	}
	deltas := make(chan string, 100)
	defer session.On(func(e copilot.SessionEvent) {
		switch data := e.Data.(type) {
		case *copilot.AssistantMessageDeltaData:
			deltas <- data.DeltaContent
		case *copilot.AssistantMessageData:
			close(deltas)
		}
	})()
	if err := ask(ctx, session, "streaming: count to twenty.", want); err != nil {
		return err
	}
	var texts []string
	for text := range deltas {
		texts = append(texts, text)
	}
	if len(texts) < 2 || strings.Join(texts, "") != want {
		return fmt.Errorf("the pieces of the answer are %q", texts)
	}
	return session.Disconnect()
}

func (s *story) permission(ctx context.Context) error {
	asked := make(chan string, 10)
	session, err := s.create(ctx, func(c *copilot.SessionConfig) {
		c.OnPermissionRequest = func(request copilot.PermissionRequest, _ copilot.PermissionInvocation) (rpc.PermissionDecision, error) {
			shell, ok := request.(*copilot.PermissionRequestShell)
			if !ok {
				return nil, fmt.Errorf("asked for a permission of kind %s", request.Kind())
			}
			asked <- shell.FullCommandText
			if strings.Contains(shell.FullCommandText, "denied.txt") {
				return &rpc.PermissionDecisionReject{}, nil
			}
			return &rpc.PermissionDecisionApproveOnce{}, nil
		}
	})
	if err != nil {
		return err
	}
	// A rejection ends the turn, without a further answer.
	if _, err := session.SendAndWait(ctx, copilot.MessageOptions{Prompt: "permission: make the first file."}); err != nil {
		return err
	}
	if err := ask(ctx, session, "permission: make the second file.", "One file is there."); err != nil {
		return err
	}
	close(asked)
	var commands []string
	for command := range asked {
		commands = append(commands, command)
	}
	if !slices.Equal(commands, []string{"touch denied.txt", "touch allowed.txt"}) {
		return fmt.Errorf("asked for %q", commands)
	}
	if _, err := os.Stat(filepath.Join(s.dir, "allowed.txt")); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(s.dir, "denied.txt")); !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("the denied command ran: %v", err)
	}
	return session.Disconnect()
}

func (s *story) ask(ctx context.Context) error {
	asked := make(chan copilot.UserInputRequest, 1)
	session, err := s.create(ctx, func(c *copilot.SessionConfig) {
		c.OnUserInputRequest = func(request copilot.UserInputRequest, _ copilot.UserInputInvocation) (copilot.UserInputResponse, error) {
			asked <- request
			return copilot.UserInputResponse{Answer: "blue"}, nil
		}
	})
	if err != nil {
		return err
	}
	if err := ask(ctx, session, "ask: which colour?", "You chose blue."); err != nil {
		return err
	}
	if request := <-asked; request.Question != "Which colour?" || !slices.Equal(request.Choices, []string{"red", "blue"}) {
		return fmt.Errorf("asked %+v", request)
	}
	return session.Disconnect()
}

func (s *story) hooks(ctx context.Context) error {
	var opened atomic.Int32
	rang := make(chan copilot.PostToolUseHookInput, 1)
	session, err := s.create(ctx, func(c *copilot.SessionConfig) {
		c.Tools = []copilot.Tool{
			copilot.DefineTool("open_door", "Opens the door.", func(struct{}, copilot.ToolInvocation) (string, error) {
				opened.Add(1)
				return "the door is open", nil
			}),
			copilot.DefineTool("ring_bell", "Rings the bell.", func(struct{}, copilot.ToolInvocation) (string, error) {
				return "the bell rang", nil
			}),
		}
		c.Hooks = &copilot.SessionHooks{
			OnPreToolUse: func(input copilot.PreToolUseHookInput, _ copilot.HookInvocation) (*copilot.PreToolUseHookOutput, error) {
				if input.ToolName == "open_door" {
					return &copilot.PreToolUseHookOutput{PermissionDecision: "deny", PermissionDecisionReason: "doors stay shut"}, nil
				}
				return &copilot.PreToolUseHookOutput{PermissionDecision: "allow"}, nil
			},
			OnPostToolUse: func(input copilot.PostToolUseHookInput, _ copilot.HookInvocation) (*copilot.PostToolUseHookOutput, error) {
				if input.ToolName == "ring_bell" {
					rang <- input
				}
				return nil, nil
			},
		}
	})
	if err != nil {
		return err
	}
	if err := ask(ctx, session, "hooks: use both tools.", "The bell rang, and the door stayed shut."); err != nil {
		return err
	}
	if opened.Load() != 0 {
		return errors.New("the door was opened")
	}
	result, err := json.Marshal((<-rang).ToolResult)
	if err != nil {
		return err
	}
	if !strings.Contains(string(result), "the bell rang") {
		return fmt.Errorf("the hook got the result %s", result)
	}
	return session.Disconnect()
}

func (s *story) provider(ctx context.Context) error {
	session, err := s.create(ctx, nil)
	if err != nil {
		return err
	}
	if err := ask(ctx, session, "provider: is my key right?", "Your key is right."); err != nil {
		return err
	}
	return session.Disconnect()
}

func (s *story) mcp(ctx context.Context) error {
	var command []string
	if err := json.Unmarshal([]byte(os.Getenv("STORY_MCP")), &command); err != nil {
		return fmt.Errorf("STORY_MCP: %w", err)
	}
	session, err := s.create(ctx, func(c *copilot.SessionConfig) {
		c.MCPServers = map[string]copilot.MCPServerConfig{
			"counter": copilot.MCPStdioServerConfig{Command: command[0], Args: command[1:], Tools: []string{"*"}},
		}
	})
	if err != nil {
		return err
	}
	if err := ask(ctx, session, "mcp: count to two.", "The server counted."); err != nil {
		return err
	}
	return session.Disconnect()
}

// The SDK has no structured answer in SendAndWait, and offers the request by which other SDKs ask for one.
func (s *story) structured(ctx context.Context) error {
	session, err := s.create(ctx, nil)
	if err != nil {
		return err
	}
	answers := heard(session)
	_, err = session.RPC.Send(ctx, &rpc.SendRequest{
		Prompt: "structured: how many?",
		ResponseFormat: &rpc.ResponseFormat{Type: rpc.ResponseFormatTypeJSONSchema, JSONSchema: rpc.JSONSchemaResponseFormat{
			Name: "answer",
			Schema: map[string]any{
				"type": "object", "properties": map[string]any{"n": map[string]any{"type": "integer"}},
				"required": []string{"n"}, "additionalProperties": false,
			},
		}},
		Wait: copilot.Bool(true),
	})
	if err != nil {
		return err
	}
	var answer struct {
		N int `json:"n"`
	}
	if err := json.Unmarshal([]byte(<-answers), &answer); err != nil {
		return err
	}
	if answer.N != 42 {
		return fmt.Errorf("the answer is %d", answer.N)
	}
	return session.Disconnect()
}

func (s *story) abort(ctx context.Context) error {
	session, err := s.create(ctx, func(c *copilot.SessionConfig) { c.Streaming = copilot.Bool(true) })
	if err != nil {
		return err
	}
	started := make(chan bool, 10)
	forget := session.On(func(e copilot.SessionEvent) {
		if _, ok := e.Data.(*copilot.AssistantMessageDeltaData); ok {
			started <- true
		}
	})
	idle, stop := idles(session)
	if _, err := session.Send(ctx, copilot.MessageOptions{Prompt: "abort: think for an hour."}); err != nil {
		return err
	}
	<-started
	if err := session.Abort(ctx); err != nil {
		return err
	}
	<-idle
	forget()
	stop()
	if err := ask(ctx, session, "abort: are you there?", "I am here."); err != nil {
		return err
	}
	return session.Disconnect()
}
