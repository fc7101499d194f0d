package chat

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/app/entry"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// maxSchema bounds the file of --output-schema, in bytes.
const maxSchema = 1 << 20

// form is the form of the answer of --output-schema.
type form struct {
	schema json.RawMessage
	check  *tool.AnswerSchema
	format json.RawMessage // the schema as a message has it
}

// readForm reads the file of --output-schema; nil for "".
func readForm(disk vfs.FS, path string) (*form, error) {
	if path == "" {
		return nil, nil
	}
	wrong := func(err error) error {
		return cli.NewUsageError(fmt.Errorf("--output-schema %s: %s", path, cli.Message(err)))
	}
	schema, err := entry.ReadGiven(disk, path, maxSchema)
	if err != nil {
		return nil, wrong(err)
	}
	f := &form{schema: schema}
	if f.check, err = tool.NewAnswerSchema(schema); err != nil {
		return nil, wrong(err)
	}
	type named struct {
		Name   string          `json:"name"`
		Schema json.RawMessage `json:"schema"`
	}
	f.format, err = json.Marshal(map[string]any{"type": "json_schema", "jsonSchema": named{"answer", schema}})
	if err != nil {
		return nil, wrong(err)
	}
	return f, nil
}

// fit checks the answer to m, which has ended with failed, and has the model answer once more if it does not fit. Not
// every server heeds a schema, and some refuse requests with one: then the model gets it as text.
func (r *runner) fit(ctx context.Context, t *conversation, m wire.Send, failed error) error {
	var again wire.Send
	if failed != nil {
		if !refusesForm(t) {
			return failed
		}
		again = wire.Send{Prompt: m.Prompt + "\n\n" + r.form.instruction(), DisplayPrompt: m.DisplayPrompt, Attachments: m.Attachments, AgentMode: m.AgentMode}
	} else {
		var why error
		if r.result.Structured, why = r.form.check.Check(t.reply.Last()); why == nil {
			return nil
		}
		again = wire.Send{Prompt: upper(cli.Message(why)) + ".\n\n" + r.form.instruction(), AgentMode: m.AgentMode, ResponseFormat: m.ResponseFormat}
	}
	used, denied, because := t.took, t.unmet.denied, t.unmet.why
	failed = t.say(ctx, again)
	t.took.add(used)
	t.unmet.denied, t.unmet.why = append(denied, t.unmet.denied...), because+t.unmet.why
	if failed != nil {
		return failed
	}
	var why error
	if r.result.Structured, why = r.form.check.Check(t.reply.Last()); why != nil {
		return cli.IncompleteError{Text: "--output-schema: " + cli.Message(why) + " (the model was told so, and has answered twice)", Type: "output_schema"}
	}
	return nil
}

// upper begins a sentence.
func upper(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

// instruction tells the model the schema as text.
func (f *form) instruction() string {
	return "Answer with one JSON value that fits this JSON schema, and with nothing else: no other text, and no code fence.\n" + string(f.schema)
}

// refusesForm reports whether the server has refused the run's first request because of its form.
func refusesForm(t *conversation) bool {
	if t.Failure == nil || t.took.answers > 0 {
		return false
	}
	text := strings.ToLower(t.Failure.Message)
	return strings.Contains(text, "400") && (strings.Contains(text, "format") || strings.Contains(text, "schema"))
}
