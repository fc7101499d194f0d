package wire

import "reflect"

// Member is what this program makes of a member of a client's settings.
type Member struct {
	Unread *Setting     // nil: it has an effect
	Inner  reflect.Type // the type of its value, if the members of that are looked at
}

// MembersOf returns the members of objects that are decoded into a struct of type t.
func MembersOf(t reflect.Type) map[string]Member { return exported(membersOf(t)) }

// UpdateMembers returns the members of the parameters of session.options.update; those that a
// client cannot change there are left out.
func UpdateMembers() map[string]Member {
	out := exported(updateMembers())
	for name, m := range out {
		if m.Unread != nil && m.Unread.Why == whyFixed {
			delete(out, name)
		}
	}
	return out
}

func exported(known members) map[string]Member {
	out := map[string]Member{}
	for name, m := range known {
		out[name] = Member{m.unread, m.inner}
	}
	return out
}

// UnreadFields returns the settings on which this version does not act, by the type that the object
// which has them is decoded into.
func UnreadFields() map[reflect.Type][]Setting { return unreadSettings }
