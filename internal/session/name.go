package session

import (
	"cmp"
	"context"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// maxName bounds a name, in characters. Source: the SDK's schema.
const maxName = 100

// sessionNamed is the type of the session.info event that keeps a name. The event
// of the protocol, session.title_changed, is ephemeral, and a name is not.
const sessionNamed = "session_named"

// named is a name as the log holds it, a field of its event beside those that the
// protocol knows.
type named struct {
	Name string `json:"name"`
	User bool   `json:"user"` // a person chose it; false: it was made from the conversation
}

// Name is what the session is called: the name that it was given, else the first
// line of its first message, else "".
func (s *Session) Name(ctx context.Context) (name string, err error) {
	err = s.do(ctx, func() error { name = s.label(); return nil })
	return name, err
}

func (h *history) label() string { return cmp.Or(h.name.Name, h.title) }

// SetName gives the session the name that a person chose. [fault.Invalid] if it is
// blank or longer than 100 characters.
func (s *Session) SetName(ctx context.Context, name string) error {
	name = strings.TrimSpace(name)
	switch n := utf8.RuneCountInString(name); {
	case n == 0:
		return fault.New(fault.Invalid, "session.name.set", s.id, "the name is empty")
	case n > maxName:
		return fault.New(fault.Invalid, "session.name.set", s.id, "the name has %d characters, want %d at most", n, maxName)
	}
	return s.do(ctx, func() error { return s.rename(named{name, true}) })
}

// SetAutoName gives the session a name that was made from its conversation, cut to
// 100 characters, unless a person has chosen one or the new one is blank. It
// reports whether it did.
func (s *Session) SetAutoName(ctx context.Context, name string) (applied bool, err error) {
	name = strings.TrimSpace(name)
	if runes := []rune(name); len(runes) > maxName {
		name = strings.TrimSpace(string(runes[:maxName-1])) + "…"
	}
	err = s.do(ctx, func() error {
		if applied = name != "" && !s.name.User; !applied {
			return nil
		}
		return s.rename(named{name, false})
	})
	return applied && err == nil, err
}

func (s *Session) rename(n named) error {
	kept, err := json.Marshal(n)
	if err != nil {
		return err
	}
	info := &wire.SessionInfo{InfoType: sessionNamed, Message: "The session is called " + n.Name + "."}
	if err := s.record(wire.WithField(info, "named", kept)); err != nil {
		return err
	}
	s.describeWorkspace()
	s.emit(&wire.SessionTitleChanged{Title: n.Name})
	return nil
}

func (h *history) isNamed(data wire.Raw) {
	var n named
	if json.Unmarshal(data.Get("named"), &n) == nil && n.Name != "" {
		h.name = n
	}
}
