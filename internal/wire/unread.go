package wire

import (
	"fmt"
	"maps"
	"reflect"
	"strings"
	"sync"
)

// Unread are settings that a client has sent and that have no effect.
type Unread struct {
	// Settings are those to warn of, with their paths, in the order of the parameters.
	Settings []Setting
	// More is how many there are beside Settings, whose number is bounded.
	More int
	// Refused is the first one that must be refused; nil if there is none.
	Refused *Setting
}

const (
	maxUnread     = 40 // settings that are named
	maxUnreadName = 60 // bytes of the name of a setting that this version does not know
)

// Unread settings are found by comparing what a client has sent with the types that it is decoded
// into: a member without a field is not read. unreadSettings says why, and which fields are decoded
// all the same and have no effect. So a setting cannot be forgotten at any depth.

// UnreadSettings returns which settings in the parameters of session.create or session.resume
// have no effect. Fields that no version is known to have are among them.
func UnreadSettings(params Raw) Unread { return unreadOf(reflect.TypeFor[Config](), params) }

// UnreadParams returns which of the parameters of a method of a session have no effect. They are decoded
// into a struct of type t.
func UnreadParams(t reflect.Type, params Raw) Unread {
	w := comparison{}
	known := membersOf(t)
	if _, has := known["sessionId"]; !has { // it says which session the call is for
		known = maps.Clone(known)
		known["sessionId"] = member{name: "sessionId"}
	}
	w.members(known, params, "", limits[t])
	return w.found
}

// UnreadServer returns the same for the configuration of an MCP server; path is what comes before the
// names of its fields.
func UnreadServer(path string, config Raw) Unread {
	w := comparison{}
	w.object(reflect.TypeFor[MCPServerConfig](), config, path)
	return w.found
}

// Add adds the settings of other.
func (u *Unread) Add(other Unread) {
	u.Settings, u.More = append(u.Settings, other.Settings...), u.More+other.More
	if u.Refused == nil {
		u.Refused = other.Refused
	}
}

// Named says which settings have no effect and why, as a client reads it; "" if there are none.
func (u *Unread) Named() string {
	if len(u.Settings) == 0 {
		return ""
	}
	named := make([]string, 0, len(u.Settings)+1)
	for _, s := range u.Settings {
		named = append(named, s.Field+": "+s.Why)
	}
	if u.More > 0 {
		named = append(named, fmt.Sprintf("and %d more", u.More))
	}
	return "These settings have no effect in this version. " + strings.Join(named, "; ") + "."
}

func unreadOf(t reflect.Type, sent Raw) Unread {
	w := comparison{}
	w.object(t, sent, "")
	return w.found
}

// comparison finds the settings that have no effect.
type comparison struct {
	found Unread
	// all also reports unknown members whose value asks for nothing.
	all bool
}

// object looks at the members of an object that is decoded into a struct of type t. path is what comes
// before their names.
func (w *comparison) object(t reflect.Type, object Raw, path string) {
	w.members(membersOf(t), object, path, limits[t])
}

// limits are the types of objects whose members all limit something: an unknown one is refused,
// because its sender believes that it holds.
var limits = map[reflect.Type]bool{reflect.TypeFor[SessionLimits](): true, reflect.TypeFor[Budget](): true}

// members is object for an object that can have these members. refuses says that others are refused.
func (w *comparison) members(known members, object Raw, path string, refuses bool) {
	for key, value := range object.Members() {
		switch m, ok := known.find(string(key)); {
		case !ok:
			w.judge(Setting{Field: path + shortName(string(key)), Why: whyUnknown, Refused: refuses}, value)
		case m.unread != nil:
			s := *m.unread
			s.Field = path + s.Field
			w.judge(s, value)
		case m.inner != nil:
			w.value(m.inner, value, path+m.name)
		}
	}
}

// whyUnknown is the reason for a setting that no version is known to have.
const whyUnknown = "this version does not know it"

// value looks at the objects in a value that is decoded into type t.
func (w *comparison) value(t reflect.Type, value Raw, path string) {
	switch t.Kind() {
	case reflect.Struct:
		w.object(t, value, path+".")
	case reflect.Slice:
		for element := range value.Elements() {
			w.value(indirect(t.Elem()), element, path+"[]")
		}
	case reflect.Map:
		for key, element := range value.Members() {
			w.value(indirect(t.Elem()), element, path+"."+shortName(string(key)))
		}
	}
}

// judge adds a setting if its value asks for something.
func (w *comparison) judge(s Setting, value Raw) {
	if !w.all && !s.asks(value) {
		return
	}
	if s.Refused && w.found.Refused == nil {
		w.found.Refused = &s
	}
	for _, other := range w.found.Settings {
		if other.Field == s.Field {
			return
		}
	}
	if len(w.found.Settings) >= maxUnread {
		w.found.More++
		return
	}
	w.found.Settings = append(w.found.Settings, s)
}

// asks reports whether a value asks for something that the setting does not do.
func (s *Setting) asks(value Raw) bool {
	switch {
	case s.Kept == "*" || contains(s.Kept, value):
		return false
	case s.Kept == "{}":
		return !isEmptyValue(value)
	case s.Off && string(value) == "false", s.Refused && len(value) > 0 && (value[0] == '{' || value[0] == '[' && s.Off):
		return true
	}
	return !isEmptyValue(value)
}

func contains(values string, value Raw) bool {
	for v := range strings.SplitSeq(values, " ") {
		if v == string(value) {
			return true
		}
	}
	return false
}

func shortName(name string) string {
	if len(name) > maxUnreadName {
		name = name[:maxUnreadName] + "…"
	}
	return strings.Trim(fmt.Sprintf("%q", name), `"`)
}

// isEmptyValue reports whether a value is empty: null, false, 0, "", or a list or object with
// only such values.
func isEmptyValue(value Raw) bool {
	switch string(value) {
	case "null", "false", "0", `""`:
		return true
	}
	if len(value) == 0 || value[0] != '{' && value[0] != '[' {
		return false
	}
	for _, inner := range value.Members() {
		if !isEmptyValue(inner) {
			return false
		}
	}
	for inner := range value.Elements() {
		if !isEmptyValue(inner) {
			return false
		}
	}
	return true
}

// member is a member that a client can send in an object.
type member struct {
	name   string
	unread *Setting     // nil: it has an effect
	inner  reflect.Type // the type of its value, if that has structs in it that are looked at
}

type members map[string]member

// find returns the member that encoding/json takes a name for, which ignores the case. A setting without an
// effect is found in the same way, because it would be read so if it had one.
func (known members) find(name string) (member, bool) {
	if m, ok := known[name]; ok {
		return m, true
	}
	for other, m := range known {
		if strings.EqualFold(other, name) {
			return m, true
		}
	}
	return member{}, false
}

var knownMembers sync.Map // of reflect.Type: members

// membersOf returns the members of objects that are decoded into a struct of type t.
func membersOf(t reflect.Type) members {
	if known, ok := knownMembers.Load(t); ok {
		return known.(members)
	}
	known := members{}
	known.add(t)
	knownMembers.Store(t, known)
	return known
}

func (known members) add(t reflect.Type) {
	for f := range t.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "":
			known.add(indirect(f.Type))
		case name == "-" || name == "":
		default:
			known[name] = member{name: name, inner: lookedAt(f)}
		}
	}
	for i, s := range unreadSettings[t] {
		known[s.Field] = member{name: s.Field, unread: &unreadSettings[t][i]}
	}
}

// sentAs are the types of values that are decoded later than the object that they are in, or that have fewer
// members there than their own type; the tag "sent" of a field names them.
var sentAs = map[string]reflect.Type{"MCPServer": reflect.TypeFor[MCPServerConfig](), "SendItem": reflect.TypeFor[SendItem]()}

// reported are the types that say themselves which of their members are not known.
var reported = map[reflect.Type]bool{reflect.TypeFor[SandboxConfig](): true, reflect.TypeFor[ManagedSettings](): true}

// lookedAt is the type of a field's value if it has structs in it, else nil.
func lookedAt(f reflect.StructField) reflect.Type {
	if later := sentAs[f.Tag.Get("sent")]; later != nil {
		switch f.Type.Kind() {
		case reflect.Map:
			return reflect.MapOf(f.Type.Key(), later)
		case reflect.Slice:
			return reflect.SliceOf(later)
		}
		return later
	}
	t := indirect(f.Type)
	last := t
	for last.Kind() == reflect.Slice || last.Kind() == reflect.Map {
		last = indirect(last.Elem())
	}
	if last.Kind() != reflect.Struct || reported[last] {
		return nil
	}
	return t
}

func indirect(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Pointer {
		return t.Elem()
	}
	return t
}
