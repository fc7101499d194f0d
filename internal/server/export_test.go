package server

import (
	"maps"
	"slices"
	"strings"
)

// Values that tests compare with the SDK's own list and with the kinds of faults.
var (
	Codes   = codes.Get()
	ErrorOf = (&conn{}).errorOf
	Lacking = whyMissing

	EndWhenVanished = (*Server).endWhenVanished
	Unacknowledged  = unacknowledged
	HungUp          = hungUp

	Relay = relay
)

// Methods returns the names of the methods that exist.
func Methods() []string { return slices.Sorted(maps.Keys(methods)) }

// Unimplemented returns the names of the methods that do not exist, in the order of the
// list.
func Unimplemented() (names []string) {
	for _, l := range unimplemented {
		names = append(names, strings.Fields(l.methods)...)
	}
	return names
}

// OfPreviews returns the names of the methods of newer SDKs that do not exist.
func OfPreviews() (names []string) {
	for _, l := range ofPreviews {
		names = append(names, strings.Fields(l.methods)...)
	}
	return names
}

// CalledOnClients returns the names of the methods that a server calls on clients.
func CalledOnClients() []string { return strings.Fields(calledOnClients) }

// NeverCalled returns the reasons and the methods of clients that this server does not call.
func NeverCalled() [][2]string { return groups(neverCalled) }

// Held is how many bytes clients make the server hold.
func (s *Server) Held() int { return int(s.memory.Used()) }

// EventsOfPreviews returns the events of newer SDKs that this server never sends.
func EventsOfPreviews() []string { return strings.Fields(eventsOfPreviews) }

// FieldsOfPreviews returns the reasons and the fields of events of newer SDKs that this server never sets.
func FieldsOfPreviews() [][2]string { return groups(fieldsOfPreviews) }

// Missing returns the reasons and the methods of the groups that do not exist.
func Missing() [][2]string { return groups(unimplemented) }

// MissingOfPreviews is Missing for the methods of newer SDKs.
func MissingOfPreviews() [][2]string { return groups(ofPreviews) }

func groups(list []lack) (out [][2]string) {
	for _, l := range list {
		out = append(out, [2]string{l.reason, l.methods})
	}
	return out
}

// Unheeded are the methods whose parameters are not compared with what is read of them: those of the list, and
// those that do so themselves.
func Unheeded() (list []string) {
	for name, m := range methods {
		if m.params == nil || unheeded[name] != "" {
			list = append(list, name)
		}
	}
	return list
}

// Reads are the methods that change nothing in the session that they name, and name the parameters that they
// do not read in the answer.
func Reads() (list []string) {
	for _, name := range Methods() {
		if m := methods[name]; m.params != nil && unheeded[name] == "" && !changes(name) {
			list = append(list, name)
		}
	}
	return list
}
