package clientfs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/sessiondb"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// database is the SQLite database of a session.
type database struct{ remote }

// Database returns the database of a session. It calls nothing. [fault.Unavailable] if the client
// has no databases.
func (s *Storage) Database(session string) (sessiondb.Executor, error) {
	if !s.opts.SQLite {
		return nil, &fault.Error{
			Op: "clientfs.Database", On: session, Kind: fault.Unavailable, Err: errNoDatabase,
			Hint: "do without the database, or have the client declare the capability sqlite",
		}
	}
	return database{remote{s, session}}, nil
}

var errNoDatabase = errors.New("the client that keeps the session has no databases")

// Run implements [sessiondb.Executor].
func (d database) Run(ctx context.Context, o sessiondb.Order) (sessiondb.Answer, error) {
	var answer wire.StorageQueried
	err := d.call(ctx, "sqliteQuery", wire.StorageQuery{SessionID: d.session, Query: o.Text, QueryType: wire.StorageQueryType(o.Way)}, &answer)
	if err != nil {
		return sessiondb.Answer{}, err
	}
	return answerOf(answer)
}

// Bounds of a result: rows are shown to a model, which reads a thousand, and SQLite has at most 2,000
// columns unless it is built otherwise.
const (
	maxRows    = 1001
	maxColumns = 2000
)

// answerOf converts the result of a statement. An error of the client is taken for one of the
// SQL, because the methods do not tell them apart and the model can correct that.
func answerOf(from wire.StorageQueried) (sessiondb.Answer, error) {
	if e := from.Error; e != nil {
		text := string(e.Code)
		if e.Message != nil && *e.Message != "" {
			text = fault.Bounded(*e.Message)
		}
		return sessiondb.Answer{}, fault.New(fault.Invalid, "client.sessionFs.sqliteQuery", "", "%s", text)
	}
	if len(from.Columns) > maxColumns {
		return sessiondb.Answer{}, unavailable("sqliteQuery", fmt.Errorf("a result has %d columns, and at most %d are taken", len(from.Columns), maxColumns))
	}
	to := sessiondb.Answer{Columns: from.Columns, Affected: from.RowsAffected}
	if from.LastInsertRowid != nil {
		to.LastID = *from.LastInsertRowid
	}
	for _, row := range from.Rows[:min(len(from.Rows), maxRows)] {
		cells := make([]string, len(from.Columns))
		for i, column := range from.Columns {
			cells[i] = cell(row[column])
		}
		to.Rows = append(to.Rows, cells)
	}
	return to, nil
}

// cell returns a value as text.
func cell(value any) string {
	switch v := value.(type) {
	case nil:
		return "NULL"
	case string:
		return v
	}
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value) // cannot happen: it comes from JSON
	}
	return string(text)
}

// Together implements [sessiondb.Executor].
func (d database) Together(ctx context.Context, list []sessiondb.Order) ([]sessiondb.Answer, error) {
	params := wire.StorageTransaction{SessionID: d.session}
	for _, o := range list {
		params.Statements = append(params.Statements, wire.StorageStatement{Query: o.Text, QueryType: wire.StorageQueryType(o.Way)})
	}
	var answer wire.StorageTransacted
	if err := d.call(ctx, "sqliteTransaction", params, &answer); err != nil {
		return nil, err
	}
	if e := answer.Error; e != nil {
		return nil, transactionFailed(e)
	}
	var answers []sessiondb.Answer
	for _, result := range answer.Results {
		a, err := answerOf(result)
		if err != nil {
			return nil, err
		}
		answers = append(answers, a)
	}
	return answers, nil
}

// transactionFailed says whether a transaction may be tried again.
func transactionFailed(e *wire.StorageTransactionFailed) error {
	const op = "client.sessionFs.sqliteTransaction"
	text := fault.Bounded(e.Message)
	switch e.ErrorClass {
	case "busyOrLocked":
		return fault.New(fault.Unavailable, op, "", "the database is in use, and nothing was changed; try again: %s", text)
	case "postCommitAmbiguous":
		return fault.New(fault.Unavailable, op, "", "it is unknown whether the transaction was committed; look before you repeat it: %s", text)
	}
	return fault.New(fault.Invalid, op, "", "%s", text)
}

// Exists implements [sessiondb.Executor].
func (d database) Exists(ctx context.Context) (bool, error) {
	var answer wire.StorageSqliteExistence
	err := d.call(ctx, "sqliteExists", wire.StorageSqliteExists{SessionID: d.session}, &answer)
	return answer.Exists, err
}
