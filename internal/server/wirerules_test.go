package server_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"

	"github.com/sidestick-dev/sidestick/internal/server"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// parse reads a message of the server and checks the rules that hold for every message;
// at least one of the six SDKs fails on a message that breaks one. With an error it
// returns what it could read.
func parse(body []byte) (message, error) {
	m := message{raw: body}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(body, &fields); err != nil {
		return m, err
	}
	if string(fields["jsonrpc"]) != `"2.0"` {
		return m, errors.New(`jsonrpc is not "2.0"`)
	}
	if fields["method"] == nil {
		return m, m.parseAnswer(fields)
	}
	_ = json.Unmarshal(fields["method"], &m.method)
	for _, not := range []string{"result", "error"} {
		if fields[not] != nil {
			return m, fmt.Errorf("a message with a method and %q", not)
		}
	}
	if !bytes.HasPrefix(fields["params"], []byte("{")) {
		return m, errors.New("params are not an object")
	}
	if fields["id"] != nil {
		return m, m.parseRequest(fields["id"])
	}
	switch m.method {
	case "gitHubTelemetry.event", "$/cancelRequest":
		return m, nil
	case "session.event":
		return m, m.parseEvent(fields["params"])
	case "session.lifecycle":
		var p struct{ SessionID, Type string }
		err := json.Unmarshal(fields["params"], &p)
		m.session, m.news = p.SessionID, p.Type
		return m, err
	}
	return m, errors.New("no client knows this method")
}

// outsideSchema are the requests to clients that every SDK knows, although the schema does not list them.
var outsideSchema = []string{"userInput.request", "exitPlanMode.request", "autoModeSwitch.request", "hooks.invoke", "systemMessage.transform"}

// parseRequest checks a request of the server to its client.
func (m *message) parseRequest(id json.RawMessage) error {
	if !slices.Contains(server.CalledOnClients(), m.method) && !slices.Contains(outsideSchema, m.method) {
		return errors.New("no client knows this method")
	}
	if !integer.Match(id) {
		return errors.New("the id of a request is not an integer")
	}
	return nil
}

func (m *message) parseAnswer(fields map[string]json.RawMessage) error {
	m.id, m.result = string(fields["id"]), fields["result"]
	if m.id == "" {
		return errors.New("an answer without an id")
	}
	if (fields["result"] == nil) == (fields["error"] == nil) {
		return errors.New("an answer has a result or an error, and one of them only")
	}
	if fields["error"] == nil {
		return nil
	}
	if err := json.Unmarshal(fields["error"], &m.failure); err != nil {
		return err
	}
	if m.failure.Code == 0 || m.failure.Message == "" {
		return errors.New("an error has a code and a message")
	}
	return nil
}

var (
	integer = regexp.MustCompile(`^\d+$`)
	uuidV4  = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)
	utc     = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`)
)

func (m *message) parseEvent(params json.RawMessage) error {
	var p struct {
		SessionID string
		Event     json.RawMessage
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return err
	}
	m.session, m.event.raw = p.SessionID, p.Event
	if err := json.Unmarshal(p.Event, &m.event); err != nil {
		return err
	}
	e := &m.event
	kind, known := wire.Kinds[wire.EventType(e.Type)]
	switch {
	case m.session == "":
		return errors.New("an event without a sessionId")
	case !uuidV4.MatchString(e.ID), e.ParentID != nil && !uuidV4.MatchString(*e.ParentID):
		return errors.New("id or parentId is not a UUID")
	case !bytes.Contains(p.Event, []byte(`"parentId":`)):
		return errors.New("parentId is absent; the first event has null")
	case !utc.MatchString(e.Timestamp):
		return errors.New("timestamp is not in UTC with milliseconds")
	case !bytes.HasPrefix(e.Data, []byte("{")):
		return errors.New("data is not an object")
	case !known || kind.By == "":
		return errors.New("an event of a type that wire.Kinds does not say this program emits")
	case !kind.Persisted() && !e.Ephemeral:
		return errors.New("an event that wire.Kinds says is ephemeral is not marked so")
	}
	return nil
}

// checkChain compares the events of a session that one client was sent with the log:
// the persisted ones are a part of the log, byte for byte and in order, and the parent
// of each event is the last persisted one.
func checkChain(told []event, log []json.RawMessage) error {
	at := -1 // place in the log of the last persisted event
	for _, e := range told {
		if e.Ephemeral {
			if at >= 0 && parent(e) != idOf(log[at]) {
				return fmt.Errorf("%s names %q as its parent, not the last persisted event", e.Type, parent(e))
			}
			continue
		}
		next := at + 1
		if at < 0 {
			for next < len(log) && !bytes.Equal(log[next], e.raw) {
				next++
			}
		}
		if next >= len(log) || !bytes.Equal(log[next], e.raw) {
			return fmt.Errorf("%s was told and is not the next in the log:\n%s", e.Type, e.raw)
		}
		if next > 0 && parent(e) != idOf(log[next-1]) {
			return fmt.Errorf("%s names %q as its parent, not the event before it", e.Type, parent(e))
		}
		at = next
	}
	return nil
}

func parent(e event) string {
	if e.ParentID == nil {
		return ""
	}
	return *e.ParentID
}

func idOf(line json.RawMessage) string {
	var e event
	_ = json.Unmarshal(line, &e) // "" equals no id
	return e.ID
}
