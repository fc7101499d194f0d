package e2e_test

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
)

type object = map[string]any

// scene is what the SDKs' own test of a recording sets up, as far as the recording
// does not show it: see recorded_test.go for its actual content. ${workdir} in
// parameters and attachments is the work folder.
type scene struct {
	files   map[string]string // in the work folder, content by path
	params  object            // of session.create, and of session.resume unless resumed changes them
	resumed object            // of a session.resume before the first prompt; nil: there is none
	first   []request         // calls after each of these

	asks   []ask           // the prompts, where the messages of the user are not what was sent
	more   object          // further parameters of session.send
	before map[int]request // a call before the nth prompt, from 0
	cut    int             // so many prompts are aborted when the text of the answer has come, before its end

	hooks    map[string]hook                // by type; each must be called, errorOccurred never
	hears    map[string]object              // parts of the first input of a hook, by type and member
	sections map[string]func(string) string // changes to sections of the system message
	brings   []string                       // tools of the client in the place of built-in ones
	trusted  []string                       // tools of the client that need no permission
	acts     map[string]request             // calls that tools of the client make, by the tool

	// A call without a recorded result is refused when permission is asked for it,
	// unless decision says something else, or the call is abandoned when it starts.
	decision  object
	abandoned bool
	context   object // goes with decisions
	together  int    // so many permissions are asked for before one is given
	unasked   bool   // no permission is asked for

	// A summary that nobody recorded may be asked for. It is refused, and nothing comes
	// of that.
	compacts bool

	wants []want // of the last request
	sees  []bool // whether there is a picture in the last request after the nth prompt
}

// ask is a prompt.
type ask struct {
	prompt      string
	attachments []any
}

// request is a call that the client makes, without its session.
type request struct {
	method string
	params object
}

// hook is a callback of the client. n counts its calls from 0.
type hook func(n int, input object) any

// always is a hook that answers the same each time.
func always(output object) hook { return func(int, object) any { return output } }

// quiet is a hook that looks on.
func quiet(int, object) any { return nil }

// prompts is what the scene sends in a conversation.
func (s *scene) prompts(conversation []modeltest.Message) []ask {
	if s.asks != nil {
		return s.asks
	}
	var out []ask
	for _, p := range prompts(conversation) {
		out = append(out, ask{prompt: p})
	}
	return out
}

// want checks a request and says what is wrong with it.
type want func(*modeltest.Request) string

// says and leavesOut look into the system message.
func says(text string) want {
	return func(r *modeltest.Request) string {
		if !strings.Contains(r.Messages[0].Content, text) {
			return fmt.Sprintf("the system message lacks %q", text)
		}
		return ""
	}
}

func leavesOut(text string) want {
	return func(r *modeltest.Request) string {
		if strings.Contains(strings.ToLower(r.Messages[0].Content), strings.ToLower(text)) {
			return fmt.Sprintf("the system message has %q", text)
		}
		return ""
	}
}

// isWhole wants a system message and no other.
func isWhole(text string) want {
	return func(r *modeltest.Request) string {
		if got := r.Messages[0].Content; got != text {
			return fmt.Sprintf("the system message is %q, want %q", got, text)
		}
		return ""
	}
}

// reads looks for a text in any message.
func reads(text string, yes bool) want {
	return func(r *modeltest.Request) string {
		if slices.ContainsFunc(r.Messages, func(m modeltest.Message) bool { return strings.Contains(m.Content, text) }) != yes {
			return fmt.Sprintf("%q is in the request: %t, want %t", text, !yes, yes)
		}
		return ""
	}
}

// offers and hides look for tools; offersOnly wants these and no other.
func offers(tools ...string) want {
	return func(r *modeltest.Request) string {
		for _, name := range tools {
			if !slices.Contains(r.Tools, name) {
				return fmt.Sprintf("the tools are %q, without %s", r.Tools, name)
			}
		}
		return ""
	}
}

func hides(tools ...string) want {
	return func(r *modeltest.Request) string {
		for _, name := range tools {
			if slices.Contains(r.Tools, name) {
				return fmt.Sprintf("the tools are %q, with %s", r.Tools, name)
			}
		}
		return ""
	}
}

func offersOnly(tools ...string) want {
	return func(r *modeltest.Request) string {
		if !slices.Equal(slices.Sorted(slices.Values(r.Tools)), tools) {
			return fmt.Sprintf("the tools are %q, want %q", r.Tools, tools)
		}
		return ""
	}
}

// carries looks for part of a header, names for the model.
func carries(header, part string) want {
	return func(r *modeltest.Request) string {
		if got := r.Header.Get(header); !strings.Contains(got, part) {
			return fmt.Sprintf("the header %s is %q, want %q in it", header, got, part)
		}
		return ""
	}
}

func names(model string) want {
	return func(r *modeltest.Request) string {
		if r.Model != model {
			return fmt.Sprintf("the model is %q, want %q", r.Model, model)
		}
		return ""
	}
}

// pixel is a picture of one pixel.
const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

// picture is a file that holds it.
func picture(name string) map[string]string {
	data, err := base64.StdEncoding.DecodeString(pixel)
	if err != nil {
		panic(err)
	}
	return map[string]string{name: string(data)}
}

// seeing tells a model's capability.
func seeing(yes bool) object { return object{"supports": object{"vision": yes}} }
