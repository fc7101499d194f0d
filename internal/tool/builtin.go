package tool

import (
	"bytes"
	"cmp"
	"embed"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/tool/fact"
)

// descriptions holds, for each built-in, the description for the model (name.md) and the schema
// of its arguments (name.json).
//
//go:embed *.md *.json
var descriptions embed.FS

// described is the definition of a built-in tool. It is read from its two files when it is first
// needed, and then shared by all sessions.
type described struct {
	name  string
	files string // what the names of its files begin with; "" is name
	once  sync.Once
	read  Definition
}

// Get returns the definition.
func (d *described) Get() Definition {
	d.once.Do(func() {
		var compact bytes.Buffer
		if err := json.Compact(&compact, d.file(".json")); err != nil {
			panic(err) // embedded: a test reads each
		}
		d.read = define(d.name, strings.TrimSpace(string(d.file(".md"))), compact.Bytes())
	})
	return d.read
}

// define returns the definition of a built-in tool, with what package fact knows of it. It panics for a tool that has no
// row there: without one, no list of tools would have it.
func define(name, description string, parameters json.RawMessage) Definition {
	f := fact.Of(name)
	if f.Name != name || f.Foreign {
		panic("tool: package fact has no row for " + name)
	}
	return Definition{
		Name: name, Description: description, Parameters: parameters,
		Origin: Builtin, Trusted: f.Trusted, Terminal: f.Does == fact.Done, Repeatable: f.Repeatable,
		ReadOnly: f.Does == fact.Read || f.Does == fact.Search || f.Does == fact.Resource,
	}
}

// file returns one of the two files of the tool.
func (d *described) file(ending string) []byte {
	data, err := descriptions.ReadFile(cmp.Or(d.files, d.name) + ending)
	if err != nil {
		panic(err) // embedded: a test reads each
	}
	return data
}

// decode reads arguments that fit their schema.
func decode[T any](c Call) (T, *Result) {
	var args T
	if err := json.Unmarshal(c.Arguments, &args); err != nil {
		r := failure("the arguments of %s cannot be read: %v", c.Name, fault.JSON(err))
		return args, &r
	}
	return args, nil
}

// failure is a result that tells the model what to do better next time.
func failure(format string, args ...any) Result {
	return Result{Outcome: Failure, Text: fmt.Sprintf(format, args...)}
}

func success(text string) Result { return Result{Outcome: Success, Text: text} }

// interrupted ends a call whose context has ended.
func interrupted() Result {
	return Result{Outcome: Interrupted, Text: TextInterrupted}
}

// permitted compares where a path leads now with the path that was allowed. The second
// result is set if they differ, or if nothing was allowed.
func permitted(w Workspace, c Call, path string) (permit.Path, *Result) {
	var r Result
	at, err := locate(w, path)
	switch {
	case err != nil:
		r = failure("%v", err)
	case c.Permitted == nil:
		r = failure("%s: there is no permission for it", at.Name)
	case c.Permitted.Path != at:
		r = failure("%s leads elsewhere than when permission was asked for; nothing was done. Call %s again.", at.Name, c.Name)
	default:
		return at, nil
	}
	return at, &r
}
