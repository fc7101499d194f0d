package keymap

// Focus is a part of the interface that takes keys.
type Focus string

// The parts that take keys.
const (
	Global     Focus = "global"     // wherever the user is
	Editor     Focus = "editor"     // the input box
	Empty      Focus = "empty"      // the input box while it is empty; it goes before Editor
	Completion Focus = "completion" // the completions above the input box; they go before Editor
	Question   Focus = "question"   // a question that has the keys
	Pager      Focus = "pager"
	List       Focus = "list"
	History    Focus = "history" // the list of earlier input; it goes before List
)

// Action is something that the interface does when a key is pressed.
type Action struct {
	Name    string   // one of the constants of this package, and its name in the settings file
	Focus   Focus    // where its keys work
	Keys    []string // the first is the one that a footer shows; none: only the command does it
	Command string   // the slash command with the same effect, "" if there is none
	Help    string   // what it does, in one line without a full stop
	Group   string   // its heading on the help page
	Fixed   bool     // its keys cannot be changed
}

// The actions wherever the user is.
const (
	Cancel  = "global.cancel"
	Redraw  = "global.redraw"
	Suspend = "global.suspend"
)

// The actions of the input box.
const (
	Send           = "editor.send"
	Newline        = "editor.newline"
	Queue          = "editor.queue"
	Interrupt      = "editor.interrupt"
	Mode           = "editor.mode"
	Up             = "editor.up"
	Down           = "editor.down"
	Left           = "editor.left"
	Right          = "editor.right"
	WordLeft       = "editor.word-left"
	WordRight      = "editor.word-right"
	LineStart      = "editor.line-start"
	LineEnd        = "editor.line-end"
	TextStart      = "editor.text-start"
	TextEnd        = "editor.text-end"
	Backspace      = "editor.backspace"
	Delete         = "editor.delete"
	KillWordLeft   = "editor.kill-word-left"
	KillWordRight  = "editor.kill-word-right"
	KillToStart    = "editor.kill-to-start"
	KillToEnd      = "editor.kill-to-end"
	Yank           = "editor.yank"
	YankPop        = "editor.yank-pop"
	Undo           = "editor.undo"
	Redo           = "editor.redo"
	Older          = "editor.older"
	Newer          = "editor.newer"
	SearchHistory  = "editor.search-history"
	ExternalEditor = "editor.external"
	Stash          = "editor.stash"
	Attach         = "editor.attach"
	Output         = "editor.output"
	Tasks          = "editor.tasks"
	Background     = "editor.background"
	Model          = "editor.model"
	Waiting        = "editor.waiting"
	Reasoning      = "editor.reasoning"
)

// The actions of the input box while it is empty.
const (
	HandOver = "empty.hand-over"
	Leave    = "empty.leave"
	Rewind   = "empty.rewind"
	Keys     = "empty.keys"
)

// The actions of completions.
const (
	CompletionAccept = "completion.accept"
	CompletionEnter  = "completion.enter"
	CompletionUp     = "completion.up"
	CompletionDown   = "completion.down"
	CompletionClose  = "completion.close"
)

// The actions of questions.
const (
	QuestionYes      = "question.yes"
	QuestionSandbox  = "question.sandbox"
	QuestionSession  = "question.session"
	QuestionLocation = "question.location"
	QuestionNo       = "question.no"
	QuestionStop     = "question.stop"
	QuestionNumber   = "question.number"
	QuestionUp       = "question.up"
	QuestionDown     = "question.down"
	QuestionNext     = "question.next"
	QuestionPrevious = "question.previous"
	QuestionToggle   = "question.toggle"
	QuestionChoose   = "question.choose"
	QuestionPageUp   = "question.page-up"
	QuestionPageDown = "question.page-down"
	QuestionWhole    = "question.whole"
	QuestionLater    = "question.later"
)

// The actions of the pager.
const (
	PagerDown         = "pager.down"
	PagerUp           = "pager.up"
	PagerPageDown     = "pager.page-down"
	PagerPageUp       = "pager.page-up"
	PagerHalfDown     = "pager.half-down"
	PagerHalfUp       = "pager.half-up"
	PagerTop          = "pager.top"
	PagerEnd          = "pager.end"
	PagerSearch       = "pager.search"
	PagerNext         = "pager.next"
	PagerPrevious     = "pager.previous"
	PagerNextMark     = "pager.next-mark"
	PagerPreviousMark = "pager.previous-mark"
	PagerEdit         = "pager.edit"
	PagerClose        = "pager.close"
)

// The actions of lists. Each list has those that its footer shows.
const (
	ListUp          = "list.up"
	ListDown        = "list.down"
	ListPageUp      = "list.page-up"
	ListPageDown    = "list.page-down"
	ListFirst       = "list.first"
	ListLast        = "list.last"
	ListChoose      = "list.choose"
	ListClose       = "list.close"
	ListPreviewUp   = "list.preview-up"
	ListPreviewDown = "list.preview-down"
	ListWhole       = "list.whole"
	ListView        = "list.view"
	ListToggle      = "list.toggle"
	ListRename      = "list.rename"
	ListDelete      = "list.delete"
	ListSend        = "list.send"
	ListMoveUp      = "list.move-up"
	ListMoveDown    = "list.move-down"
	HistoryOlder    = "history.older"
)
