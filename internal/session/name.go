package session

import (
	"context"
	"strings"
	"unicode/utf8"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// maxName bounds a name, in characters. Source: the SDK's schema.
const maxName = 100

// Name is what the session is called: the name that it was given, else the first
// line of its first message, else "".
func (t Settings) Name(ctx context.Context) (name string, err error) {
	err = t.s.do(ctx, func() error { name = t.s.state.Label(); return nil })
	return name, err
}

// SetName gives the session the name that a person chose. [fault.Invalid] if it is
// blank or longer than 100 characters.
func (t Settings) SetName(ctx context.Context, name string) error {
	name = strings.TrimSpace(name)
	switch n := utf8.RuneCountInString(name); {
	case n == 0:
		return fault.New(fault.Invalid, "session.name.set", t.s.id, "the name is empty")
	case n > maxName:
		return fault.New(fault.Invalid, "session.name.set", t.s.id, "the name has %d characters, want %d at most", n, maxName)
	}
	return t.s.do(ctx, func() error { return t.rename(wire.SessionName{Name: name, User: true}) })
}

// SetAutoName gives the session a name that was made from its conversation, cut to
// 100 characters, unless a person has chosen one or the new one is blank. It
// reports whether it did.
func (t Settings) SetAutoName(ctx context.Context, name string) (applied bool, err error) {
	name = strings.TrimSpace(name)
	if runes := []rune(name); len(runes) > maxName {
		name = strings.TrimSpace(string(runes[:maxName-1])) + "…"
	}
	err = t.s.do(ctx, func() error {
		if applied = name != "" && !t.s.state.Name.User; !applied {
			return nil
		}
		return t.rename(wire.SessionName{Name: name})
	})
	return applied && err == nil, err
}

func (t Settings) rename(n wire.SessionName) error {
	if err := t.s.log.record(nameEvent(n)); err != nil {
		return err
	}
	t.s.Workspace().describe()
	t.s.log.emit(&wire.SessionTitleChanged{Title: n.Name})
	return nil
}

// nameEvent is the event that keeps a name.
func nameEvent(n wire.SessionName) wire.Data {
	info := &wire.SessionInfo{InfoType: wire.InfoSessionNamed, Message: "The session is called " + n.Name + "."}
	return wire.WithJSON(info, wire.FieldNamed, n)
}
