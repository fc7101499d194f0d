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
//   - sessions.go: stored sessions (`/sessions`, `--resume`).
//   - models.go: models of all providers (`/model`).
//   - history.go: earlier input (`/history`).
//   - help.go: keys and commands (`/help`, `?`).
//   - tasks.go: to-dos, agents and background jobs (`/tasks`).
//   - servers.go: MCP servers (`/mcp`).
//   - inventory.go: agents and skills (`/agents`, `/skills`).
//   - rules.go: permission rules (`/rules`).
//   - review.go: the changes of files (`/diff`).
//   - rewind.go: messages to which the session can be rewound (`/rewind`).
//   - queue.go: what is queued (`/queue`).
//   - window.go: what fills the context window (`/context`).
//   - text.go: a few choices, such as modes, and what the pages have in common.
package page
