package input

import "unicode"

// control is the key of a control character.
func control(c byte) Event {
	switch c {
	case '\r':
		return named("enter", 0)
	case '\t':
		return named("tab", 0)
	case 0x7f:
		return named("backspace", 0)
	case 0:
		return char(' ', ctrl)
	}
	if c <= 0x1a {
		return char(rune(c)+'a'-1, ctrl)
	}
	return char(rune(c)+'@', ctrl) // \ ] ^ _
}

// letter is the name of the key of a control sequence that ends with a letter, "" for none.
// Source: xterm's control sequences; a to d are the arrows with Shift of rxvt.
func letter(c byte) (name string, mod modifiers) {
	switch {
	case c >= 'A' && c <= 'D':
		return arrow(c - 'A'), 0
	case c >= 'a' && c <= 'd':
		return arrow(c - 'a'), shift
	case c >= 'P' && c <= 'S':
		return function(int(c-'P') + 1), 0
	}
	switch c {
	case 'E':
		return "begin", 0
	case 'F':
		return "end", 0
	case 'H':
		return "home", 0
	case 'Z':
		return "tab", shift
	}
	return "", 0
}

func arrow(i byte) string { return [...]string{"up", "down", "right", "left"}[i] }

// number is the name of the key of CSI number ~. Source: xterm, rxvt and the Linux console.
func number(n int) string {
	switch {
	case n >= 11 && n <= 15:
		return function(n - 10)
	case n >= 17 && n <= 21:
		return function(n - 11)
	case n >= 23 && n <= 26:
		return function(n - 12)
	case n == 28 || n == 29:
		return function(n - 13)
	case n >= 31 && n <= 34:
		return function(n - 14)
	}
	switch n {
	case 1, 7:
		return "home"
	case 2:
		return "insert"
	case 3:
		return "delete"
	case 4, 8:
		return "end"
	case 5:
		return "pgup"
	case 6:
		return "pgdown"
	}
	return ""
}

// linuxFunction is a key of the Linux console: ESC [ [ and a letter.
func linuxFunction(c byte) Event {
	if c < 'A' || c > 'E' {
		return nil
	}
	return named(function(int(c-'A')+1), 0)
}

// shiftKey is a key that begins with ESC O: the keypad, and what xterm sends in its application
// mode.
func shiftKey(number []byte, c byte) Event {
	mod := modifiers(0)
	if p := parameters(number); len(p) > 0 {
		mod = modifier(p[0].value)
	}
	switch {
	case c >= 'a' && c <= 'd':
		return named(arrow(c-'a'), ctrl|mod)
	case c == 'M':
		return named("enter", mod)
	case c == 'I':
		return named("tab", mod)
	case c == 'X':
		return char('=', mod)
	case c == ' ':
		return char(' ', mod)
	case c >= 'j' && c <= 'y':
		return char(rune("*+,-./0123456789"[c-'j']), mod)
	}
	if name, m := letter(c); name != "" && c != 'Z' {
		return named(name, mod|m)
	}
	return nil
}

// controlKey is the event of a control sequence, nil if it is none that is known.
func controlKey(body []byte, last byte) Event {
	if len(body) > 0 && body[0] >= '<' && body[0] <= '?' {
		if last == 'y' && (string(body) == "?2004;1$" || string(body) == "?2004;3$") {
			return pasteMarked{}
		}
		return nil // another answer
	}
	p := parameters(body)
	switch last {
	case 'I', 'O':
		if len(body) == 0 {
			return Focus{In: last == 'I'}
		}
	case 'u':
		return unicodeKey(p)
	case '~':
		return tilde(body, 0)
	case '^':
		return tilde(body, ctrl)
	case '@':
		return tilde(body, ctrl|shift)
	}
	name, mod := letter(last)
	if name == "" || len(p) > 2 || len(p) > 0 && p[0].value > 1 || released(p) {
		return nil
	}
	if len(p) == 2 {
		mod |= modifier(p[1].value)
	}
	return named(name, mod)
}

// tilde is the key of a sequence that ends with ~, or its like with modifiers in rxvt.
func tilde(body []byte, mod modifiers) Event {
	p := parameters(body)
	if len(p) == 0 || released(p) {
		return nil
	}
	if len(p) > 1 {
		mod |= modifier(p[1].value)
	}
	if p[0].value == 200 {
		return pasteBegins{}
	}
	if p[0].value == 27 && len(p) == 3 {
		return coded(p[2].value, 0, 0, mod) // modifyOtherKeys of xterm
	}
	name := number(p[0].value)
	if name == "" {
		return nil
	}
	return named(name, mod)
}

// unicodeKey is a key of kitty's protocol: CSI code:shifted:base ; modifiers:kind ; text u.
// Source: https://sw.kovidgoyal.net/kitty/keyboard-protocol/
func unicodeKey(p []parameter) Event {
	if len(p) == 0 || released(p) {
		return nil
	}
	mod := modifiers(0)
	if len(p) > 1 {
		mod = modifier(p[1].value)
	}
	return coded(p[0].value, p[0].sub[0], p[0].sub[1], mod)
}

// released reports whether the third kind of event, the release of a key, was sent.
func released(p []parameter) bool { return len(p) > 1 && p[1].sub[0] == 3 }

// coded is the key of a code point, which Shift makes shifted, and which has base on a keyboard
// with Latin letters; 0 is not known.
func coded(code, shifted, base int, mod modifiers) Event {
	if name := coding(code); name != "" {
		return named(name, mod)
	}
	if r := keypad(code); r != 0 {
		return char(r, mod)
	}
	r := rune(code)
	if mod&(ctrl|alt) != 0 && code > 0x7f && base > ' ' && base < 0x7f {
		r = rune(base)
	} else if mod&shift != 0 && shifted > ' ' && !(mod&ctrl != 0 && unicode.IsLetter(r)) {
		r, mod = rune(shifted), mod&^shift
	}
	if code >= 57344 && code <= 63743 || r < ' ' || !unicode.IsPrint(r) {
		return nil // keys that have no name here, such as Shift alone
	}
	return char(r, mod)
}
