package mcp

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/jsonc"
)

// Given returns the servers in a text that the user gives on the command line, in the form of the user's file, with
// the values of the variables that it refers to. folder is the project. The error is [fault.Invalid] if a
// server cannot be started as it is written, or if the text has a field that would have no effect.
func (f *Files) Given(text []byte, folder string) (map[string]json.RawMessage, error) {
	invalid := func(name string, err error) error {
		return &fault.Error{Op: "mcp.configure", On: name, Kind: fault.Invalid, Err: err}
	}
	if len(text) > maxFile {
		return nil, invalid("", fmt.Errorf("it has more than %d KiB", maxFile>>10))
	}
	var fields map[string]json.RawMessage
	if err := fault.DecodeObject(jsonc.Plain(text), &fields); err != nil {
		return nil, invalid("", fault.JSON(err))
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if name != fieldServers && name != "$schema" {
			return nil, invalid("", fmt.Errorf("the field %s would have no effect; the servers are in mcpServers", fault.Bounded(name)))
		}
	}
	d, err := readDocument(text, fieldServers)
	switch {
	case err != nil:
		return nil, invalid("", fault.JSON(err))
	case fields[fieldServers] == nil:
		return nil, invalid("", errors.New(`there is no field mcpServers: {"mcpServers": {"NAME": {"command": "PROGRAM"}}}`))
	}
	for _, name := range slices.Sorted(maps.Keys(d.servers)) {
		expanded, err := f.Expand(d.servers[name], folder)
		if err != nil {
			return nil, invalid(name, err)
		}
		if _, err := parse(name, expanded); err != nil {
			return nil, err
		}
		d.servers[name] = WithSource(expanded, sourceUser)
	}
	return d.servers, nil
}
