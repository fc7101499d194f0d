// Package page has the lists and texts that fill the screen: sessions, models, help, the changes of
// files and others. Each is made of plain data: the caller reads the data, gives it to the function
// that makes entries, and does what the user chooses.
//
//	l := page.Sessions(keys, exchange)
//	l.Set(page.SessionItems(sessions, now))
//	...
//	switch o := l.Key(key); o.Action {
//	case keymap.ListChoose: // resume o.Item.ID
//
// Every list with a preview also has ListWhole: [Whole] opens the preview in the pager.
//
// The data need not be harmless: the pages make it so.
//
// # To change something
//
// A new list: a type for its data, a function that makes the [list.List], and one that makes its entries, in a file
// here; data, clean and pages in page_test.go have each of them, for the golden files (`go test ./internal/tui/page
// -update`) and for the test of hostile texts. app/front/pick_*.go reads the data, and returns the list as a tui.Picker, whose Do carries out what
// the user chooses; pick_skills.go is a short example, and filler.go fills lists that change while they are open.
// A command or a key opens it: packages session/slash and keymap.
//
// A new text for the pager: a function that returns a [pager.Pager], such as Help. A command opens it with Read of
// tui.Effect; app/front/read_*.go are examples.
//
// A view of a list (Tab): the list has ListView among its Actions, and the caller keeps which view is shown, sets
// View of the list, and fills it anew. That of sessions is a [SessionView] in sessions.go, and
// app/front/pick_sessions.go (found) says which sessions are in it; that of changes is in app/front/pick_diff.go (diffModes).
//
// How lists look, and their keys, is in package list; the pager is in package pager.
package page
