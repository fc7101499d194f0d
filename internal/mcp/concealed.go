package mcp

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"reflect"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/wire"
)

// NotShown takes the place of a value of a configuration in what a client reads that has not brought it.
const NotShown = "«not shown»"

// shownFields are the fields of a configuration that contain no credential.
var shownFields = []string{"type", "transport", "command", "cwd", "tools", "excludeTools", "timeout", "source", "description", "displayName", "deferTools", "alwaysLoad"}

// changeable are the fields that a client can change although it was not shown all values: they do not say which
// program runs, how, or where the values are sent.
var changeable = []string{"tools", "excludeTools", "timeout", "description", "displayName", "deferTools", "alwaysLoad", "enabled", "disabled"}

// Concealed returns a configuration as clients read it that have not brought it: with the names of variables
// and headers and without their values, without arguments, with no more of an address than its scheme and host, and
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

// concealedAddress returns an address with [NotShown] in place of all that may be a credential: many services
// put one into the path.
func concealedAddress(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return NotShown
	}
	open := url.URL{Scheme: u.Scheme, Host: u.Host}
	if text := open.String(); address == text || address == text+"/" {
		return address
	}
	return open.String() + "/" + NotShown
}

// Restored returns a configuration with the values of the stored one in the places of [NotShown], so that a
// client can change the rest of what it has read: its tools, its time limit and its description. The error says
// that a value is not known, or which field would have the values used in another way. stored is nil if there is
// none.
func Restored(sent, stored json.RawMessage) (json.RawMessage, error) {
	var now, shown, was any
	if json.Unmarshal(sent, &now) != nil || !isMarked(now) {
		return sent, nil
	}
	if json.Unmarshal(stored, &was) != nil || json.Unmarshal(Concealed(stored), &shown) != nil {
		return nil, errUnknownValue
	}
	restored, err := restore(now, shown, was)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(restored)
	if err != nil {
		return nil, err
	}
	if err := unchanged(text, stored); err != nil {
		return nil, err
	}
	return text, nil
}

// unchanged reports the first field that differs between two configurations and is not changeable. It compares them
// by the exact names of fields, which also refuses a name that differs from a known one in its case only, and
// again as [parse] reads them.
func unchanged(sent, stored json.RawMessage) error {
	var now, was map[string]any
	var nowRead, wasRead wire.MCPServerConfig
	if json.Unmarshal(sent, &now) != nil || json.Unmarshal(stored, &was) != nil {
		return errUnknownValue
	}
	names := maps.Clone(now)
	maps.Copy(names, was)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		value, had := now[name], was[name]
		if !slices.Contains(changeable, name) && !reflect.DeepEqual(value, had) {
			return fmt.Errorf("the field %q differs from the stored one; %w", name, errElsewhere())
		}
	}
	if json.Unmarshal(sent, &nowRead) != nil || json.Unmarshal(stored, &wasRead) != nil {
		return errElsewhere()
	}
	for _, c := range []*wire.MCPServerConfig{&nowRead, &wasRead} {
		c.Tools, c.Excluded, c.Timeout = nil, nil, 0
	}
	if !reflect.DeepEqual(nowRead, wasRead) {
		return errElsewhere()
	}
	return nil
}

var errUnknownValue = errors.New("a value is " + NotShown + ", which stands for a value that this client was not shown; send the value itself")

// errElsewhere is a function so that no code runs at the start of the program.
func errElsewhere() error {
	return errors.New("with values that are " + NotShown + " to this client, it can change only " + strings.Join(changeable, ", ") + "; send the values themselves to change more")
}

// isMarked reports whether a text in a value has [NotShown], also as clients write it in addresses.
func isMarked(value any) bool {
	switch v := value.(type) {
	case string:
		plain, err := url.PathUnescape(v)
		return strings.Contains(v, NotShown) || err == nil && strings.Contains(plain, NotShown)
	case []any:
		return slices.ContainsFunc(v, isMarked)
	case map[string]any:
		for name, one := range v {
			if isMarked(name) || isMarked(one) {
				return true
			}
		}
	}
	return false
}

// restore returns now with the values of was, where now has what was shown for them.
func restore(now, shown, was any) (_ any, err error) {
	switch v := now.(type) {
	case string:
		switch {
		case !isMarked(v):
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
			if isMarked(name) {
				return nil, errUnknownValue
			}
			if v[name], err = restore(v[name], before[name], values[name]); err != nil {
				return nil, err
			}
		}
	}
	return now, nil
}
