package server

import (
	"maps"
	"slices"
	"strings"
)

// What tests compare with the SDK's own list and with the kinds of faults.
var (
	Codes   = codes
	ErrorOf = errorOf
	Lacking = lacking

	EndWhenVanished = (*Server).endWhenVanished
	Unacknowledged  = unacknowledged

	Relay = relay
)

// Methods returns the names of the methods that are there.
func Methods() []string { return slices.Sorted(maps.Keys(methods)) }

// Unimplemented returns the names of the methods that are not, one for each line
// of the list.
func Unimplemented() (names []string) {
	for _, l := range unimplemented {
		names = append(names, strings.Fields(l.methods)...)
	}
	return names
}

// CalledOnClients returns the names of the methods that go the other way.
func CalledOnClients() []string { return strings.Fields(calledOnClients) }
