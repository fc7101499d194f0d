package wire

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
	"sync"
)

// Marshal encodes v like [json.Marshal] with two differences: a nil list or map that is not
// marked as optional becomes [] or {}, at any depth of exported struct fields, and <, > and
// & are not escaped. It does not change v. A [json.RawMessage] is copied unchanged, with the
// order of its keys.
func Marshal(v any) ([]byte, error) {
	rv := reflect.ValueOf(v)
	if rv.Kind() == reflect.Pointer && !rv.IsNil() {
		rv = rv.Elem()
	}
	if rv.Kind() == reflect.Struct && mayLack(rv.Type()) {
		filled := reflect.New(rv.Type())
		filled.Elem().Set(rv)
		fill(filled.Elem())
		v = filled.Interface()
	}
	e := encoders.Get().(*encoder)
	defer e.release()
	if err := e.json.Encode(v); err != nil {
		return nil, err
	}
	return bytes.Clone(bytes.TrimSuffix(e.text.Bytes(), []byte("\n"))), nil
}

// encoder is a JSON encoder with its buffer, used again and again.
type encoder struct {
	text bytes.Buffer
	json *json.Encoder
}

var encoders = sync.Pool{New: func() any {
	e := &encoder{}
	e.json = json.NewEncoder(&e.text)
	e.json.SetEscapeHTML(false)
	return e
}}

// maxReused is the largest buffer, in bytes, that an encoder keeps: most events are smaller,
// and one large event is not to hold its memory for ever.
const maxReused = 16 << 10

func (e *encoder) release() {
	if e.text.Cap() <= maxReused {
		e.text.Reset()
		encoders.Put(e)
	}
}

// lacking caches the results of mayLack, a bool for each type.
var lacking sync.Map

// mayLack reports whether values of a struct type can have a nil list or map that fill
// would replace. Most types of events cannot, and need no copy.
func mayLack(t reflect.Type) bool {
	if known, ok := lacking.Load(t); ok {
		return known.(bool)
	}
	lacks := search(t, map[reflect.Type]bool{})
	lacking.Store(t, lacks)
	return lacks
}

// search reports whether t contains a required list or map. seen are the types already
// searched.
func search(t reflect.Type, seen map[reflect.Type]bool) bool {
	if t.Kind() != reflect.Struct || seen[t] {
		return false
	}
	seen[t] = true
	for i := range t.NumField() {
		field := t.Field(i)
		if !field.IsExported() && !field.Anonymous {
			continue
		}
		switch kind := field.Type.Kind(); kind {
		case reflect.Map:
			if !optional(field) {
				return true
			}
		case reflect.Slice:
			if !optional(field) && field.Type.Elem().Kind() != reflect.Uint8 || search(field.Type.Elem(), seen) {
				return true
			}
		case reflect.Struct:
			if search(field.Type, seen) {
				return true
			}
		case reflect.Pointer:
			if search(field.Type.Elem(), seen) {
				return true
			}
		}
	}
	return false
}

// optional reports whether a nil field is left out.
func optional(field reflect.StructField) bool {
	tag := field.Tag.Get("json")
	return strings.Contains(tag, ",omit") || tag == "-"
}

// gap is a field of a struct in which fill may have something to replace.
type gap struct {
	index    int
	required bool // a nil list or map is replaced itself, and not only what is inside
}

// gaps caches the results of gapsOf, a []gap for each struct type.
var gaps sync.Map

// gapsOf returns the fields of a struct type that fill looks at. Looking at every field of
// every value would take a third of the time of Marshal.
func gapsOf(t reflect.Type) (list []gap) {
	if known, ok := gaps.Load(t); ok {
		return known.([]gap)
	}
	for i := range t.NumField() {
		field := t.Field(i)
		if !field.IsExported() && !field.Anonymous {
			continue
		}
		inner, required := field.Type, false
		switch inner.Kind() {
		case reflect.Map:
			required = !optional(field)
		case reflect.Slice:
			inner = inner.Elem()
			required = !optional(field) && inner.Kind() != reflect.Uint8
		case reflect.Pointer:
			inner = inner.Elem()
		}
		if required || inner.Kind() == reflect.Struct && mayLack(inner) {
			list = append(list, gap{i, required})
		}
	}
	gaps.Store(t, list)
	return list
}

// fill replaces required nil lists and maps in the struct v, which must be a copy. Structs
// behind pointers and inside lists are copied before they are changed.
func fill(v reflect.Value) {
	for _, g := range gapsOf(v.Type()) {
		switch f := v.Field(g.index); f.Kind() {
		case reflect.Slice:
			if f.IsNil() && g.required {
				f.Set(reflect.MakeSlice(f.Type(), 0, 0))
			}
			fillList(f)
		case reflect.Map:
			if f.IsNil() {
				f.Set(reflect.MakeMap(f.Type()))
			}
		case reflect.Struct:
			fill(f)
		case reflect.Pointer:
			if !f.IsNil() {
				p := reflect.New(f.Type().Elem())
				p.Elem().Set(f.Elem())
				fill(p.Elem())
				f.Set(p)
			}
		}
	}
}

// fillList fills the structs of a list, in a copy of it.
func fillList(f reflect.Value) {
	if f.Len() == 0 || f.Type().Elem().Kind() != reflect.Struct {
		return
	}
	c := reflect.MakeSlice(f.Type(), f.Len(), f.Len())
	reflect.Copy(c, f)
	for i := range c.Len() {
		fill(c.Index(i))
	}
	f.Set(c)
}

// RepairSurrogates replaces escaped lone surrogates (\ud800 without its other half) in valid
// JSON by \ufffd: models send them, and a client that decodes strictly drops the connection
// because of one. JSON without any is returned unchanged.
func RepairSurrogates(raw []byte) []byte {
	if !bytes.Contains(raw, []byte(`\u`)) {
		return raw
	}
	out := make([]byte, 0, len(raw))
	for i := 0; i < len(raw); {
		if raw[i] != '\\' || i+1 >= len(raw) {
			out = append(out, raw[i])
			i++
			continue
		}
		n := 2
		switch unit := surrogate(raw[i:]); {
		case raw[i+1] == 'u' && unit == 0:
			n = 6
		case unit >= 0xd800 && unit < 0xdc00 && surrogate(raw[i+6:]) >= 0xdc00:
			n = 12
		case unit != 0:
			out = append(out, `\ufffd`...)
			i += 6
			continue
		}
		n = min(n, len(raw)-i)
		out = append(out, raw[i:i+n]...)
		i += n
	}
	return out
}

// surrogate returns the code unit of the \u escape at the start of s if it is a surrogate,
// otherwise 0.
func surrogate(s []byte) uint64 {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return 0
	}
	unit, err := strconv.ParseUint(string(s[2:6]), 16, 16)
	if err != nil || unit < 0xd800 || unit > 0xdfff {
		return 0
	}
	return unit
}

// WithField returns data with an additional field whose value is the given JSON, unchanged;
// nil adds nothing. Use it for fields whose generated types would drop unknown members.
func WithField(data Data, name string, value json.RawMessage) Data {
	if value == nil {
		return data
	}
	body, err := Marshal(data)
	if err != nil {
		return data
	}
	body = body[:len(body)-1]
	if len(body) > 1 {
		body = append(body, ',')
	}
	body = AppendString(body, name)
	body = append(body, ':')
	body = append(body, value...)
	return &RawData{EventType: data.Type(), Raw: append(body, '}')}
}
