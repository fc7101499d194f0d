package chat

import (
	"cmp"
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
// every server heeds a schema, and some refuse requests with one: then the model first gets the message again with the
// schema as text.
func (r *runner) fit(ctx context.Context, t *conversation, m wire.Send, failed error) error {
	if failed != nil && refusesForm(t) {
		m.Prompt, m.ResponseFormat = m.Prompt+"\n\n"+r.form.instruction(), nil
		failed = t.sayAgain(ctx, m)
	}
	if failed != nil {
		return failed
	}
	why := r.check(t)
	if why == nil {
		return nil
	}
	again := wire.Send{Prompt: upper(cli.Message(why)) + ".\n\n" + r.form.instruction(), AgentMode: m.AgentMode, ResponseFormat: m.ResponseFormat}
	if failed = t.sayAgain(ctx, again); failed != nil {
		return failed
	}
	if why = r.check(t); why != nil {
		return cli.IncompleteError{Text: "--output-schema: " + cli.Message(why) + " (the model was told so, and has answered twice)", Type: "output_schema"}
	}
	return nil
}

// check takes the last answer if it fits, and returns why it does not.
func (r *runner) check(t *conversation) (why error) {
	r.result.Structured, why = r.form.check.Check(t.reply.Last())
	return why
}

// sayAgain is say for a message that belongs to the prompt before: what both have used, and the calls of both that were
// denied, are those of one prompt.
func (t *conversation) sayAgain(ctx context.Context, m wire.Send) error {
	used, denied, because := t.took, t.unmet.denied, t.unmet.why
	err := t.say(ctx, m)
	t.took.add(used)
	t.unmet.denied, t.unmet.why = append(denied, t.unmet.denied...), cmp.Or(because, t.unmet.why)
	return err
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
