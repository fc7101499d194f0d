package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/jsonc"
	"github.com/sidestick-dev/sidestick/internal/spelling"
)

// File is a settings file that was read.
type File struct {
	Path    string
	Project bool   // it is the project's, and not the user's own
	Trusted bool   // the user trusts the folder of the project, and has agreed to the file
	Changed string // why a file in a trusted folder is not Trusted; "" if the folder is not
	values  map[string]Value
}

// ParseFile reads the text of a settings file: an object, which may have comments and trailing
// commas. The error is [fault.Invalid]; it names the line and the column, in characters from 1, of
// the first thing that is wrong. Every value in it is checked by itself.
func ParseFile(path string, text []byte) (File, error) {
	r := &fileReader{path: path, text: jsonc.Plain(text), values: map[string]Value{}}
	r.dec = json.NewDecoder(bytes.NewReader(r.text))
	r.dec.UseNumber()
	if len(bytes.TrimSpace(r.text)) == 0 {
		return File{Path: path}, nil
	}
	if err := r.file(); err != nil {
		f := fault.New(fault.Invalid, "config.ParseFile", "", "%s:%s: %w", path, r.position(), err)
		var hinted *hint
		if f.Hint = EditHint; errors.As(err, &hinted) {
			f.Hint = hinted.text
		}
		return File{}, f
	}
	return File{Path: path, values: r.values}, nil
}

// EditHint is the hint of an error of [ParseFile] that has no better one.
const EditHint = "to correct it: sidestick config edit"

// Has reports whether the file has a setting.
func (f File) Has(key string) bool { _, ok := f.values[key]; return ok }

// hint is an error with what to do about it.
type hint struct {
	error
	text string
}

// fileReader reads one file.
type fileReader struct {
	path   string
	text   []byte
	dec    *json.Decoder
	at     int // where what is being read begins
	values map[string]Value
}

// maxDepth bounds how deep objects can be: the table has names of three fields.
const maxDepth = 4

func (r *fileReader) file() error {
	if !utf8.Valid(r.text) {
		for r.at < len(r.text) {
			c, n := utf8.DecodeRune(r.text[r.at:])
			if c == utf8.RuneError && n == 1 {
				break
			}
			r.at += n
		}
		return errors.New("the text is not UTF-8")
	}
	var whole json.RawMessage
	if err := json.Unmarshal(r.text, &whole); err != nil { // a decoder does not count from the beginning
		return r.syntax(err)
	}
	return r.object("", 0)
}

// object reads an object whose fields have a prefix.
func (r *fileReader) object(prefix string, depth int) error {
	r.mark()
	switch token, err := r.dec.Token(); {
	case err != nil:
		return r.syntax(err)
	case token != json.Delim('{') && prefix == "":
		return errors.New("want an object in braces")
	case token != json.Delim('{'):
		return fmt.Errorf("want %s to be an object in braces", strings.TrimSuffix(prefix, "."))
	}
	seen := map[string]bool{}
	for r.dec.More() {
		r.mark()
		token, err := r.dec.Token()
		if err != nil {
			return r.syntax(err)
		}
		field, _ := token.(string) // a key is one
		if seen[field] {
			return fmt.Errorf("the setting %q is there twice", fault.Bounded(prefix+field))
		}
		seen[field] = true
		if err := r.field(prefix+field, depth); err != nil {
			return err
		}
	}
	r.mark()
	_, err := r.dec.Token()
	return r.syntax(err)
}

// field reads the value of a field.
func (r *fileReader) field(name string, depth int) error {
	k, known := FindKey(name)
	switch {
	case known:
		return r.value(&k)
	case isGroup(name) && depth < maxDepth:
		return r.object(name+".", depth+1)
	case name == "$schema": // editors write it
		var ignored json.RawMessage
		return r.syntax(r.dec.Decode(&ignored))
	}
	return unknownKey(name)
}

// isGroup reports whether there are settings in an object of a name.
func isGroup(name string) bool {
	return slices.ContainsFunc(Keys(), func(k Key) bool { return strings.HasPrefix(k.Name, name+".") })
}

// value reads the value of a setting.
func (r *fileReader) value(k *Key) error {
	r.mark()
	at := r.at
	var raw json.RawMessage
	if err := r.dec.Decode(&raw); err != nil {
		return r.syntax(err)
	}
	r.at = at
	v, wrong := k.read(raw)
	if wrong == "" {
		wrong = k.check(v)
	}
	if wrong != "" {
		return fmt.Errorf("%s: %s", k.Name, wrong)
	}
	v.From = fmt.Sprintf("file %s:%d", r.path, 1+bytes.Count(r.text[:at], []byte("\n")))
	r.values[k.Name] = v
	return nil
}

// read returns a value of the kind of the setting, or what is wrong with it.
func (k *Key) read(raw json.RawMessage) (v Value, wrong string) {
	switch k.Kind {
	case Switch:
		var on *bool
		if json.Unmarshal(raw, &on) != nil || on == nil {
			return v, "want true or false, without quotes"
		}
		v.Text = fmt.Sprint(*on)
	case Number:
		if raw[0] == '"' || raw[0] != '-' && (raw[0] < '0' || raw[0] > '9') {
			return v, "want a whole number, without quotes"
		}
		v.Text = string(raw)
	case List:
		if raw[0] != '[' || json.Unmarshal(raw, &v.List) != nil || hasNull(raw) {
			return v, `want a list of texts, such as ["one", "two"]`
		}
	case Table:
		return k.readTable(raw)
	default:
		if raw[0] != '"' || json.Unmarshal(raw, &v.Text) != nil {
			return v, "want a text in quotes"
		}
	}
	return v, ""
}

// hasNull reports whether a list has a null, which package json takes for an empty text.
func hasNull(raw json.RawMessage) bool {
	var all []*string
	return json.Unmarshal(raw, &all) == nil && slices.Contains(all, nil)
}

func (k *Key) readTable(raw json.RawMessage) (v Value, wrong string) {
	const want = `want an object of texts or lists of texts, such as {"interrupt": "esc"}`
	var fields map[string]json.RawMessage
	if raw[0] != '{' || json.Unmarshal(raw, &fields) != nil {
		return v, want
	}
	v.Table = map[string][]string{}
	for name, raw := range fields {
		var list []string
		if raw[0] == '"' {
			list = make([]string, 1)
			_ = json.Unmarshal(raw, &list[0]) // raw is a string of valid JSON
		} else if raw[0] != '[' || json.Unmarshal(raw, &list) != nil || hasNull(raw) {
			return v, want
		}
		v.Table[name] = list
	}
	return v, ""
}

// unknownKey is the error of a name that the table does not have.
func unknownKey(name string) error {
	err := fmt.Errorf("there is no setting %q", fault.Bounded(name))
	if at := slices.Index(notInFiles(), strings.ToLower(name)); at >= 0 {
		return &hint{err, "keys are not kept in this file; to store one: sidestick keys set PROVIDER"}
	}
	if meant := nearest(name); meant != "" {
		return &hint{err, "did you mean " + meant + "?"}
	}
	return &hint{err, "sidestick config show lists all settings"}
}

// notInFiles are the names under which people look for keys.
func notInFiles() []string { return []string{"apikey", "api_key", "key", "token", "apikeys"} }

// nearest is the key that a misspelt name most likely stands for, "" if none is near. A name
// without its group counts, too.
func nearest(name string) string {
	var full, last []string
	for _, k := range Keys() {
		full = append(full, k.Name)
		last = append(last, k.Name[strings.LastIndexByte(k.Name, '.')+1:])
	}
	if i := slices.Index(full, spelling.Closest(name, full)); i >= 0 {
		return full[i]
	}
	if i := slices.Index(last, spelling.Closest(name[strings.LastIndexByte(name, '.')+1:], last)); i >= 0 {
		return full[i]
	}
	return ""
}

// mark remembers where the next value begins.
func (r *fileReader) mark() {
	r.at = int(r.dec.InputOffset())
	for r.at < len(r.text) && strings.IndexByte(" \t\r\n,:", r.text[r.at]) >= 0 {
		r.at++
	}
}

func (r *fileReader) syntax(err error) error {
	var syntax *json.SyntaxError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &syntax):
		r.at = max(0, min(int(syntax.Offset)-1, len(r.text)))
		return fmt.Errorf("it is not JSON: %w", syntax)
	}
	return fault.JSON(err)
}

// position is where the reader is, as "LINE:COLUMN".
func (r *fileReader) position() string {
	before := r.text[:r.at]
	line := before[bytes.LastIndexByte(before, '\n')+1:]
	return fmt.Sprintf("%d:%d", 1+bytes.Count(before, []byte("\n")), 1+utf8.RuneCount(line))
}
