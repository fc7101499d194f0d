package fault_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

// Functions of the program mean nothing to clients, who know the method that they called.
func TestForClientNamesTheMethod(t *testing.T) {
	exists := fault.New(fault.Conflict, "files.Create", "s1", "the session exists")
	for _, tc := range []struct {
		name string
		err  error
		want string
	}{
		{"a function", exists, "session.create s1: the session exists"},
		{"a method stays", fault.New(fault.Invalid, "session.mode.set", "s1", "no such mode"), "session.mode.set s1: no such mode"},
		{"what is no function stays", fault.New(fault.Invalid, "skills", "x", "no"), "skills x: no"},
		{"without an operation", fault.New(fault.Invalid, "", "", "name is missing"), "name is missing"},
		{"behind a wrapper", fmt.Errorf("while saving: %w", exists), "while saving: session.create s1: the session exists"},
		{"in another fault", fault.New(fault.Conflict, "sessions.fork", "s2", "no copy: %w", exists), "sessions.fork s2: no copy: s1: the session exists"},
		{"in a function", fault.New(fault.Conflict, "session.Close", "s2", "%w", exists), "session.create s2: s1: the session exists"},
		{"joined", errors.Join(exists, fault.New(fault.Denied, "files.Delete", "/x", "no")), "session.create s1: the session exists\nsession.create /x: no"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := fault.ForClient(tc.err, "session.create"); got != tc.want {
				t.Errorf("ForClient = %q, want %q", got, tc.want)
			}
		})
	}
}

func TestMessageOfJoinedFaults(t *testing.T) {
	err := errors.Join(fault.New(fault.Conflict, "a.B", "", "one"), fault.New(fault.Denied, "c.D", "", "two"))
	if got := fault.Message(err); got != "one\ntwo" {
		t.Errorf("Message = %q", got)
	}
}

func TestBounded(t *testing.T) {
	for _, text := range []string{"", "short", strings.Repeat("x", 4096)} {
		if got := fault.Bounded(text); got != text {
			t.Errorf("Bounded of %d bytes is %d bytes", len(text), len(got))
		}
	}
	for _, long := range []string{"begin" + strings.Repeat("x", 5000) + "end", "begin" + strings.Repeat("\u20ac", 5000) + "end"} {
		got := fault.Bounded(long)
		if len(got) > 4096 || !utf8.ValidString(got) || !strings.HasPrefix(got, "begin") || !strings.HasSuffix(got, "end") {
			t.Errorf("Bounded of %d bytes = %q", len(long), got)
		}
	}
}
