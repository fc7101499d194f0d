package mcp

import (
	"encoding/json"
	"errors"
	"net/url"
	"reflect"
	"slices"
	"strings"
)

// NotShown takes the place of a value of a configuration in what a client reads that has not brought it.
const NotShown = "«not shown»"

// shownFields are the fields of a configuration that contain no credential.
var shownFields = []string{"type", "transport", "command", "cwd", "tools", "timeout", "source", "description", "displayName"}

// Concealed returns a configuration as clients read it that have not brought it: with the names of variables
// and headers and without their values, without arguments, without the user and the query of an address, and
// without the value of any field that is not known to contain no credential. A configuration that is no object
// becomes an empty one.
func Concealed(sent json.RawMessage) json.RawMessage {
	var fields map[string]any
	if json.Unmarshal(sent, &fields) != nil {
		return json.RawMessage(`{}`)
	}
	for name, value := range fields {
		switch address, text := value.(string); {
		case name == "url" && text:
			fields[name] = concealedAddress(address)
		case !slices.Contains(shownFields, name):
			fields[name] = hidden(value)
		}
	}
	concealed, err := json.Marshal(fields)
	if err != nil {
		return json.RawMessage(`{}`) // cannot happen: it was JSON
	}
	return concealed
}

// hidden returns a value with [NotShown] in place of each text in it.
func hidden(value any) any {
	switch v := value.(type) {
	case string:
		return NotShown
	case []any:
		for i := range v {
			v[i] = hidden(v[i])
		}
	case map[string]any:
		for name := range v {
			v[name] = hidden(v[name])
		}
	}
	return value
}

func concealedAddress(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return NotShown
	}
	if u.User == nil && u.RawQuery == "" && u.Fragment == "" {
		return address
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return u.String() + "?" + NotShown
}

// Restored returns a configuration with the values of the stored one in the places of [NotShown], so that a
// client can change the rest of what it has read. The error says that a value is not known, or that the values
// would go to another program or address.
func Restored(sent, stored json.RawMessage) (json.RawMessage, error) {
	if !strings.Contains(string(sent), NotShown) {
		return sent, nil
	}
	var now, shown, was any
	if err := errors.Join(json.Unmarshal(sent, &now), json.Unmarshal(Concealed(stored), &shown)); err != nil {
		return nil, errUnknownValue
	}
	_ = json.Unmarshal(stored, &was) // what cannot be read has no values
	to, _ := now.(map[string]any)
	before, _ := shown.(map[string]any)
	for _, name := range []string{"type", "url", "command", "args", "cwd"} { // where the values go
		if !reflect.DeepEqual(to[name], before[name]) {
			return nil, errElsewhere
		}
	}
	restored, err := restore(now, shown, was)
	if err != nil {
		return nil, err
	}
	return json.Marshal(restored)
}

var errUnknownValue = errors.New("a value is " + NotShown + ", which stands for a value that this client was not shown; send the value itself")

var errElsewhere = errors.New("with the values that are " + NotShown + " to this client, the server must stay the same program or address; send the values themselves to change it")

// restore returns now with the values of was, where now has what was shown for them.
func restore(now, shown, was any) (_ any, err error) {
	switch v := now.(type) {
	case string:
		switch {
		case !strings.Contains(v, NotShown):
		case now == shown:
			return was, nil
		default:
			return nil, errUnknownValue
		}
	case []any:
		before, _ := shown.([]any)
		values, _ := was.([]any)
		for i := range v {
			if i >= len(before) || i >= len(values) {
				before, values = append(before, nil), append(values, nil)
			}
			if v[i], err = restore(v[i], before[i], values[i]); err != nil {
				return nil, err
			}
		}
	case map[string]any:
		before, _ := shown.(map[string]any)
		values, _ := was.(map[string]any)
		for name := range v {
			if v[name], err = restore(v[name], before[name], values[name]); err != nil {
				return nil, err
			}
		}
	}
	return now, nil
}
