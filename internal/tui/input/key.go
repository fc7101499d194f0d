package input

import (
	"strconv"
	"unicode"
)

// modifiers are the keys that were held, as the bits that terminals send.
type modifiers int

const (
	shift modifiers = 1 << iota
	alt
	ctrl
	super
	hyper
	meta
	held = iota // how many there are; Caps Lock and Num Lock follow them
)

// modifier is the modifiers of a parameter, which is one more than their bits.
func modifier(n int) modifiers { return modifiers(max(n-1, 0)) & (1<<held - 1) }

// String is the modifiers as the beginning of a name.
func (m modifiers) String() (s string) {
	for _, p := range [...]struct {
		bit  modifiers
		name string
	}{{super, "super+"}, {hyper, "hyper+"}, {meta, "meta+"}, {ctrl, "ctrl+"}, {alt, "alt+"}, {shift, "shift+"}} {
		if m&p.bit != 0 {
			s += p.name
		}
	}
	return s
}

// named is a key that writes nothing.
func named(name string, mod modifiers) Event {
	if name == "esc" {
		mod &^= alt // the same bytes as Esc twice
	}
	return Key{Name: mod.String() + name}
}

// char is the key of a character.
func char(r rune, mod modifiers) Event {
	if mod&ctrl != 0 && mod&^(ctrl|alt|shift) == 0 {
		switch r {
		case 'i':
			return named("tab", mod&^ctrl)
		case 'm':
			return named("enter", mod&^ctrl)
		case '[':
			return named("esc", mod&^ctrl)
		}
	}
	if mod&shift != 0 && mod&ctrl == 0 {
		r, mod = unicode.ToUpper(r), mod&^shift
	}
	name := string(r)
	if r == ' ' {
		name = "space"
	}
	k := Key{Name: mod.String() + name}
	if mod == 0 {
		k.Text = string(r)
	}
	return k
}

// withAlt is a key that was pressed with Alt.
func withAlt(ev Event) Event {
	k, ok := ev.(Key)
	if !ok {
		return nil
	}
	return Key{Name: addAlt(k.Name)}
}

// addAlt puts alt into a name, behind ctrl.
func addAlt(name string) string {
	at := 0
	for _, before := range [...]string{"super+", "hyper+", "meta+", "ctrl+"} {
		if len(name) > at+len(before) && name[at:at+len(before)] == before {
			at += len(before)
		}
	}
	if name[at:] == "esc" || len(name) > at+4 && name[at:at+4] == "alt+" {
		return name
	}
	return name[:at] + "alt+" + name[at:]
}

func function(n int) string { return "f" + strconv.Itoa(n) }

// coding is the name of a key by its code in the protocols of kitty and xterm, "" for characters.
func coding(code int) string {
	switch code {
	case 8, 127, 57347:
		return "backspace"
	case 9, 57346:
		return "tab"
	case 13, 57345, 57414:
		return "enter"
	case 27, 57344:
		return "esc"
	}
	names := [...]string{"insert", "delete", "left", "right", "up", "down", "pgup", "pgdown", "home", "end"}
	if i := code - 57348; i >= 0 && i < len(names) {
		return names[i]
	}
	if code >= 57364 && code <= 57398 {
		return function(code - 57363)
	}
	keypad := [...]string{"left", "right", "up", "down", "pgup", "pgdown", "home", "end", "insert", "delete", "begin"}
	if i := code - 57417; i >= 0 && i < len(keypad) {
		return keypad[i]
	}
	return ""
}

// keypad is the character of a key of the keypad in kitty's protocol, 0 if it is none.
func keypad(code int) rune {
	const keys = "0123456789./*-+\r=,"
	if i := code - 57399; i >= 0 && i < len(keys) && keys[i] != '\r' {
		return rune(keys[i])
	}
	return 0
}

// parameter is a number of a control sequence, and the two that may follow it after colons.
type parameter struct {
	value int
	sub   [2]int
}

// maxParameter bounds a number. Code points and function keys are smaller.
const maxParameter = unicode.MaxRune + 1

// parameters parses the numbers of a control sequence. A missing one is 0.
func parameters(body []byte) []parameter {
	if len(body) == 0 {
		return nil
	}
	var buf [4]parameter
	out := append(buf[:0], parameter{})
	part := 0
	for _, c := range body {
		p := &out[len(out)-1]
		switch {
		case c == ';':
			out, part = append(out, parameter{}), 0
		case c == ':':
			part++
		case c < '0' || c > '9':
		case part == 0:
			p.value = min(p.value*10+int(c-'0'), maxParameter)
		case part <= len(p.sub):
			p.sub[part-1] = min(p.sub[part-1]*10+int(c-'0'), maxParameter)
		}
	}
	return out
}
