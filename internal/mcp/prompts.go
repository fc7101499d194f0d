package mcp

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/invisible"
)

// Bounds of the prompts of a server.
const (
	maxPrompts    = 1000
	maxArguments  = 100
	maxPromptText = 256 << 10 // bytes of what a prompt says
	maxAbout      = 1 << 10   // bytes of a description that users read
)

// Prompt is a prompt of a server. Its texts can be shown to users.
type Prompt struct {
	Server, Name string
	Title        string // for users; "" if there is none
	Description  string
	Arguments    []PromptArgument // in the order of the server
}

// PromptArgument is an argument of a prompt.
type PromptArgument struct {
	Name     string
	Required bool
}

// CommandName is the name of the slash command of the prompt, without the slash, as in Claude Code: characters other than letters,
// digits, "_", "-" and "." become "_". Source: https://code.claude.com/docs/en/mcp
func (p Prompt) CommandName() string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("_-.", r) {
			return r
		}
		return '_'
	}, "mcp__"+p.Server+"__"+p.Name)
}

// PromptServers returns the names of the servers that are connected and have prompts, in order.
func (s *Set) PromptServers() []string {
	return s.able(func(c *sdk.ServerCapabilities) bool { return c.Prompts != nil })
}

// able returns the names of the servers that are connected and have a capability, in order.
func (s *Set) able(has func(*sdk.ServerCapabilities) bool) (names []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, v := range s.sorted() {
		if v.connection == nil {
			continue
		}
		if caps := v.connection.client.InitializeResult().Capabilities; caps != nil && has(caps) {
			names = append(names, v.name)
		}
	}
	return names
}

// PromptsOf returns all prompts of a server. The session is warned, once for each connection, of prompts that are left out,
// and if they cannot be listed, in time or at all; not if the caller has canceled the question.
func (s *Set) PromptsOf(ctx context.Context, server string) (list []Prompt, err error) {
	omitted := 0
	_, err = asked(ctx, s, server, func(ctx context.Context, c *sdk.ClientSession) (none struct{}, err error) {
		list, omitted = nil, 0 // it may be the second time
		params := &sdk.ListPromptsParams{}
		for range maxPages {
			page, err := c.ListPrompts(ctx, params)
			if err != nil {
				return none, err
			}
			for _, p := range page.Prompts {
				if p == nil || p.Name == "" || len(p.Name) > maxToolName || !plainName(p.Name) || len(p.Arguments) > maxArguments || len(list) >= maxPrompts {
					omitted++
					continue
				}
				list = append(list, promptOf(server, p))
			}
			if page.NextCursor == "" {
				return none, nil
			}
			params.Cursor = page.NextCursor
		}
		return none, fmt.Errorf("it has more than %d pages of prompts", maxPages)
	})
	if err != nil {
		list = nil
		if errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
			err = fault.New(fault.Unavailable, "mcp", server, "it did not list its prompts in time")
		}
	}
	if n, _, gone := s.connected(server); gone == nil && !errors.Is(context.Cause(ctx), context.Canceled) {
		switch {
		case err != nil:
			n.warn("its prompts cannot be listed, so they are no slash commands: " + fault.Message(err))
		case omitted > 0:
			n.warn(fmt.Sprintf("%d prompts are left out: a server has at most %d, with at most %d arguments and a name that can be shown", omitted, maxPrompts, maxArguments))
		}
	}
	return list, err
}

func promptOf(server string, p *sdk.Prompt) Prompt {
	short := func(text string) string {
		if len(text) > maxAbout {
			text = strings.ToValidUTF8(text[:maxAbout], "") + "…"
		}
		return invisible.Show(text)
	}
	one := Prompt{Server: server, Name: p.Name, Title: short(p.Title), Description: short(p.Description)}
	for _, a := range p.Arguments {
		if a != nil {
			one.Arguments = append(one.Arguments, PromptArgument{a.Name, a.Required})
		}
	}
	return one
}

// PromptText returns what a prompt of a server says with these arguments, as one text. If it has messages of the model, too, each
// message begins with who says it. omitted names the parts that are no text.
func (s *Set) PromptText(ctx context.Context, server, name string, arguments map[string]string) (text string, omitted []string, err error) {
	got, err := asked(ctx, s, server, func(ctx context.Context, c *sdk.ClientSession) (*sdk.GetPromptResult, error) {
		return c.GetPrompt(ctx, &sdk.GetPromptParams{Name: name, Arguments: arguments})
	})
	if err != nil {
		return "", nil, err
	}
	several := false
	for _, m := range got.Messages {
		several = several || m != nil && m.Role != "user"
	}
	var parts []string
	for _, m := range got.Messages[:min(len(got.Messages), maxBlocks)] {
		if m == nil {
			continue
		}
		part, what := promptPart(m.Content)
		switch {
		case what != "":
			omitted = append(omitted, what)
			continue
		case several && m.Role == "user":
			part = "The user: " + part
		case several:
			part = "The assistant: " + part
		}
		parts = append(parts, part)
	}
	if more := len(got.Messages) - maxBlocks; more > 0 {
		omitted = append(omitted, fmt.Sprintf("%d more messages", more))
	}
	text = strings.TrimSpace(strings.Join(parts, "\n\n"))
	switch {
	case text == "":
		return "", omitted, fault.New(fault.Invalid, "mcp", server, "the prompt %q has no text", name)
	case len(text) > maxPromptText:
		return "", omitted, fault.New(fault.Invalid, "mcp", server, "the prompt %q has more than %d KiB of text", name, maxPromptText>>10)
	}
	return text, omitted, nil
}

// promptPart returns the text of a message of a prompt, or what it is instead.
func promptPart(c sdk.Content) (text, what string) {
	switch b := c.(type) {
	case *sdk.TextContent:
		return b.Text, ""
	case *sdk.EmbeddedResource:
		if b.Resource != nil && b.Resource.Blob == nil {
			return fmt.Sprintf("The resource %s:\n%s", b.Resource.URI, b.Resource.Text), ""
		}
		return "", "a resource that is no text"
	case *sdk.ResourceLink:
		return fmt.Sprintf("The resource %s: %s", b.Name, b.URI), ""
	case *sdk.ImageContent:
		return "", "a picture"
	case *sdk.AudioContent:
		return "", "a sound"
	}
	return "", "content of an unknown kind"
}

var errMoreArguments = errors.New("it takes no arguments")

// Bind returns the arguments of a prompt that words are, by position; the last argument takes all further words. The error names
// what is missing, or that there are too many.
func (p Prompt) Bind(words []string) (map[string]string, error) {
	if len(p.Arguments) == 0 && len(words) > 0 {
		return nil, errMoreArguments
	}
	if last := len(p.Arguments); last > 0 && len(words) > last {
		words = append(words[:last-1:last-1], strings.Join(words[last-1:], " "))
	}
	bound := map[string]string{}
	for i, a := range p.Arguments {
		switch {
		case i < len(words):
			bound[a.Name] = words[i]
		case a.Required:
			return nil, fmt.Errorf("the argument %q is missing; its arguments are %s", a.Name, p.Hint())
		}
	}
	return bound, nil
}

// Hint shows the arguments of a prompt, those that may be left out in brackets; "" if it has none.
func (p Prompt) Hint() string {
	var all []string
	for _, a := range p.Arguments {
		name := fault.Bounded(invisible.Show(a.Name))
		if !a.Required {
			name = "[" + name + "]"
		}
		all = append(all, name)
	}
	return strings.Join(all, " ")
}
