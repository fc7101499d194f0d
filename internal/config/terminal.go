package config

// Terminal are the settings of the terminal interface.
type Terminal struct {
	// Theme is "auto", "light", "dark" or "mono". $NO_COLOR makes it "mono".
	Theme Setting[string]
	// Notifications says when the terminal shows a notification because a question waits or a run
	// has ended: "unfocused", if the window is not in use; "always"; or "off". Bell says whether
	// the bell rings then, too.
	Notifications Setting[string]
	Bell          Setting[bool]
	// Reasoning says how the reasoning of the model is shown: "collapsed", "full" or "hidden".
	Reasoning Setting[string]
	// Vim says whether the input box has the keys of vi.
	Vim Setting[bool]
	// Keys are other keys for actions: the name of an action, and its keys. Package keymap checks
	// both; nil is none.
	Keys Setting[map[string][]string]
	// Editor is the command of the editor, with its arguments; "" if there is none.
	Editor Setting[string]
}

// terminal reads them.
func (g given) terminal() Terminal {
	t := Terminal{
		Theme:         or(g.text("theme", ""), "auto"),
		Notifications: or(g.text("notifications", ""), "unfocused"),
		Bell:          g.on("bell", false, true),
		Reasoning:     or(g.text("reasoning", ""), "collapsed"),
		Vim:           g.on("vim", false, false),
		Keys:          Setting[map[string][]string]{From: Unset},
		Editor:        first(g.text("editor", ""), g.env.get("VISUAL"), g.env.get("EDITOR")), // these two are for every program
	}
	if v := g.file(row("keys")); v.From != Unset {
		t.Keys = Setting[map[string][]string]{v.Table, v.From}
	}
	if none := g.env.get("NO_COLOR"); none.Value != "" {
		t.Theme = Setting[string]{"mono", none.From}
	}
	return t
}

// or is a setting, or its default.
func or(s Setting[string], otherwise string) Setting[string] { return first(s, fallback(otherwise)) }
