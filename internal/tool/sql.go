package tool

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/sessiondb"
	"github.com/sidestick-dev/sidestick/internal/tool/fact"
)

//go:embed sql.md
var sqlDescription string

const sqlParameters = `{"type":"object","properties":{` +
	`"description":{"type":"string","description":"What the query is for, in a few words, such as \"Insert todos\"; the user sees it."},` +
	`"query":{"type":"string","description":"One or more SQL statements, separated by semicolons."},` +
	`"database":{"type":"string","enum":["session"],"description":"The database; there is only the session's, which is the default."}},` +
	`"required":["description","query"],"additionalProperties":false}`

// sqlTool runs SQL on a session's own database.
type sqlTool struct {
	db      func() (sessiondb.Database, error)
	changed func()
}

// SQL returns the tool that runs SQL on the session's own database. db is called at
// each call and returns the database; changed is called after each call that has changed
// the to-dos. The tool needs no permission, because the database belongs to the session.
func SQL(db func() (sessiondb.Database, error), changed func()) Tool { return &sqlTool{db, changed} }

func (*sqlTool) Definition() Definition {
	return define(fact.SQL, sqlDescription, json.RawMessage(sqlParameters))
}

func (t *sqlTool) Run(ctx context.Context, c Call) Result {
	var args struct{ Query, Database string }
	if err := json.Unmarshal(c.Arguments, &args); err != nil {
		return sqlFailure(sessiondb.Result{}, fault.JSON(err))
	}
	if args.Database != "" && args.Database != "session" {
		return sqlFailure(sessiondb.Result{}, fmt.Errorf("there is no database %q; leave it out to use the session's", args.Database))
	}
	db, err := t.db()
	if err != nil {
		return sqlFailure(sessiondb.Result{}, err)
	}
	r, err := db.Exec(ctx, args.Query)
	if r.Changed {
		t.changed()
	}
	switch {
	case ctx.Err() != nil:
		return Result{Outcome: Interrupted, Text: TextInterrupted}
	case err != nil:
		return sqlFailure(r, err)
	}
	return Result{Outcome: Success, Text: r.Text()}
}

// sqlFailure says what failed, which statements had run before it, and what to do.
func sqlFailure(r sessiondb.Result, err error) Result {
	var f *fault.Error
	if errors.As(err, &f) {
		err = f.Err // the operation is the tool
	}
	text := "The SQL failed: " + err.Error() + "."
	if n := len(r.Statements); n > 0 {
		text += fmt.Sprintf("\nThe %d statement(s) before it were carried out and need not be repeated.\n\n%s", n, r.Text())
	} else {
		text += "\nNothing was changed. Mend the query and call the tool again."
	}
	return Result{Outcome: Failure, Text: text, Error: err.Error()}
}
