package keymap

import "github.com/sidestick-dev/sidestick/internal/lazy"

// defaults is the table of this program.
var defaults = lazy.Value[*Table]{Make: func() *Table { return newTable(actions()) }}

// Default is the table of this program. Do not change what it returns.
func Default() *Table { return defaults.Get() }

// group is the actions of one heading. Its order is that of the help page.
type group struct {
	name    string
	focus   Focus
	actions []Action
}

// actions are all actions, in the order of the help page.
func actions() (all []Action) {
	for _, g := range [...]group{sending(), looking(), anywhere(), moving(), editing(), recalling(), completing(), answering(), deciding(), paging(), listing(), finding()} {
		for _, a := range g.actions {
			a.Group = g.name
			if a.Focus == "" {
				a.Focus = g.focus
			}
			all = append(all, a)
		}
	}
	return all
}

func sending() group {
	return group{"Send and stop", Editor, []Action{
		{Name: Send, Keys: []string{"enter"}, Help: "send the message; while the agent works, queue it"},
		{Name: HandOver, Focus: Empty, Keys: []string{"enter"}, Help: "send the queued messages now, while the agent works"},
		{Name: Newline, Keys: []string{"alt+enter", "ctrl+j", "shift+enter"}, Help: `a new line; a \ before enter does the same`},
		{Name: Queue, Keys: []string{"tab"}, Help: "go to the question that waits; without one, queue the message"},
		{Name: Interrupt, Keys: []string{"esc"}, Help: "stop your ! command, else interrupt the agent; queued messages are held"},
		{Name: Mode, Keys: []string{"shift+tab"}, Command: "/mode", Help: "the next mode: interactive, plan, autopilot"},
		{Name: Background, Keys: []string{"ctrl+x b"}, Command: "/background", Help: "let the agent or the command that a call waits for continue in the background"},
		{Name: Rewind, Focus: Empty, Keys: []string{"esc esc"}, Command: "/rewind", Help: "go back to an earlier message, and restore the files"},
		{Name: Leave, Focus: Empty, Keys: []string{"ctrl+d"}, Command: "/quit", Help: "leave"},
	}}
}

func looking() group {
	return group{"Look", Editor, []Action{
		{Name: Keys, Focus: Empty, Keys: []string{"?"}, Command: "/help", Help: "show the keys and commands"},
		{Name: Output, Keys: []string{"ctrl+o"}, Command: "/show", Help: "read the session in the pager, from the last tool call; on a folded paste: unfold it"},
		{Name: Tasks, Keys: []string{"ctrl+t"}, Command: "/tasks", Help: "to-dos, agents and background jobs"},
		{Name: Model, Keys: []string{"alt+p"}, Command: "/model", Help: "choose the model"},
		{Name: Waiting, Keys: []string{"ctrl+x q"}, Command: "/queue", Help: "the queued messages: edit, send, move or drop them"},
		{Name: Reasoning, Keys: []string{"alt+r"}, Command: "/reasoning", Help: "show more or less of the model's reasoning"},
	}}
}

func anywhere() group {
	return group{"Anywhere", Global, []Action{
		{Name: Cancel, Keys: []string{"ctrl+c"}, Fixed: true, Help: "close what is open, else stop your ! command, else interrupt the agent, else clear the input box; twice: leave"},
		{Name: Redraw, Keys: []string{"ctrl+l"}, Help: "draw the screen again; what has scrolled away stays"},
		{Name: Suspend, Keys: []string{"ctrl+z"}, Help: "suspend; fg continues"},
	}}
}

func moving() group {
	return group{"Move in the input box", Editor, []Action{
		{Name: Up, Keys: []string{"up"}, Help: "the row above; from the first row: the queued message, then earlier input"},
		{Name: Down, Keys: []string{"down"}, Help: "the row below; from the last row: later input"},
		{Name: Left, Keys: []string{"left", "ctrl+b"}, Help: "left"},
		{Name: Right, Keys: []string{"right", "ctrl+f"}, Help: "right"},
		{Name: WordLeft, Keys: []string{"alt+b", "ctrl+left", "alt+left"}, Help: "one word left"},
		{Name: WordRight, Keys: []string{"alt+f", "ctrl+right", "alt+right"}, Help: "one word right"},
		{Name: LineStart, Keys: []string{"ctrl+a", "home"}, Help: "the start of the line"},
		{Name: LineEnd, Keys: []string{"ctrl+e", "end"}, Help: "the end of the line"},
		{Name: TextStart, Keys: []string{"alt+<", "ctrl+home"}, Help: "the start of the text"},
		{Name: TextEnd, Keys: []string{"alt+>", "ctrl+end"}, Help: "the end of the text"},
	}}
}

func editing() group {
	return group{"Edit", Editor, []Action{
		{Name: Backspace, Keys: []string{"backspace"}, Help: "delete the character before the cursor"},
		{Name: Delete, Keys: []string{"delete", "ctrl+d"}, Help: "delete the character at the cursor"},
		{Name: KillWordLeft, Keys: []string{"ctrl+w", "alt+backspace"}, Help: "cut the word before the cursor"},
		{Name: KillWordRight, Keys: []string{"alt+d"}, Help: "cut the word after the cursor"},
		{Name: KillToStart, Keys: []string{"ctrl+u"}, Help: "cut to the start of the line"},
		{Name: KillToEnd, Keys: []string{"ctrl+k"}, Help: "cut to the end of the line"},
		{Name: Yank, Keys: []string{"ctrl+y"}, Help: "insert what was cut"},
		{Name: YankPop, Keys: []string{"alt+y"}, Help: "after that: what was cut before"},
		{Name: Undo, Keys: []string{"ctrl+_"}, Help: "undo"},
		{Name: Redo, Keys: []string{"alt+_"}, Help: "redo"},
		{Name: ExternalEditor, Keys: []string{"ctrl+g", "ctrl+x ctrl+e"}, Command: "/editor", Help: "write the message in $VISUAL or $EDITOR"},
		{Name: Attach, Keys: []string{"ctrl+v"}, Command: "/paste", Help: "attach the image or the file of the clipboard"},
		{Name: Stash, Keys: []string{"alt+s"}, Command: "/stash", Help: "put the draft aside; again: take it back"},
	}}
}

func recalling() group {
	return group{"Earlier input", Editor, []Action{
		{Name: Older, Keys: []string{"ctrl+p"}, Help: "earlier input"},
		{Name: Newer, Keys: []string{"ctrl+n"}, Help: "later input"},
		{Name: SearchHistory, Keys: []string{"ctrl+r"}, Help: "search the earlier input of this folder in the input box"},
	}}
}

func completing() group {
	return group{"Completions (after @ and /)", Completion, []Action{
		{Name: CompletionAccept, Keys: []string{"tab"}, Help: "take the completion"},
		{Name: CompletionEnter, Keys: []string{"enter"}, Help: "the same; a command only if it begins with what was typed, or was chosen with an arrow"},
		{Name: CompletionUp, Keys: []string{"up", "ctrl+p"}, Help: "the one above"},
		{Name: CompletionDown, Keys: []string{"down", "ctrl+n"}, Help: "the one below"},
		{Name: CompletionClose, Keys: []string{"esc"}, Help: "close the completions"},
	}}
}

func answering() group {
	return group{"Permission questions", Question, []Action{
		{Name: QuestionYes, Keys: []string{"y"}, Help: "yes, once"},
		{Name: QuestionSandbox, Keys: []string{"s"}, Help: "yes, until you leave: everything that stays in the sandbox"},
		{Name: QuestionSession, Keys: []string{"a"}, Help: "yes, for this session"},
		{Name: QuestionLocation, Keys: []string{"l"}, Help: "yes, in every session in this repository or folder"},
		{Name: QuestionNo, Keys: []string{"n"}, Help: "no, and say why"},
		{Name: QuestionStop, Keys: []string{"q"}, Help: "stop the run"},
	}}
}

func deciding() group {
	return group{"Every question", Question, []Action{
		{Name: QuestionNumber, Keys: []string{"1", "2", "3", "4", "5", "6", "7", "8", "9"}, Fixed: true, Help: "the answer with that number"},
		{Name: QuestionUp, Keys: []string{"up", "ctrl+p"}, Help: "the answer above"},
		{Name: QuestionDown, Keys: []string{"down", "ctrl+n"}, Help: "the answer below"},
		{Name: QuestionNext, Keys: []string{"tab"}, Help: "the next field"},
		{Name: QuestionPrevious, Keys: []string{"shift+tab"}, Help: "the field before"},
		{Name: QuestionToggle, Keys: []string{"space"}, Help: "choose or unchoose, where several answers can be chosen"},
		{Name: QuestionChoose, Keys: []string{"enter"}, Help: "give the answer that is marked"},
		{Name: QuestionPageUp, Keys: []string{"pgup", "ctrl+u"}, Help: "scroll the details up"},
		{Name: QuestionPageDown, Keys: []string{"pgdown", "ctrl+d"}, Help: "scroll the details down"},
		{Name: QuestionWhole, Keys: []string{"ctrl+o"}, Help: "read all of it in the pager"},
		{Name: QuestionLater, Keys: []string{"esc"}, Help: "back to the input box; the question waits"},
	}}
}

func paging() group {
	return group{"Pager", Pager, []Action{
		{Name: PagerDown, Keys: []string{"j", "down", "enter"}, Help: "one row down"},
		{Name: PagerUp, Keys: []string{"k", "up"}, Help: "one row up"},
		{Name: PagerPageDown, Keys: []string{"space", "pgdown", "f", "ctrl+f"}, Help: "one screen down"},
		{Name: PagerPageUp, Keys: []string{"b", "pgup", "ctrl+b"}, Help: "one screen up"},
		{Name: PagerHalfDown, Keys: []string{"ctrl+d", "d"}, Help: "half a screen down"},
		{Name: PagerHalfUp, Keys: []string{"ctrl+u", "u"}, Help: "half a screen up"},
		{Name: PagerTop, Keys: []string{"g", "home"}, Help: "the beginning"},
		{Name: PagerEnd, Keys: []string{"G", "end"}, Help: "the end; what is added is followed from there"},
		{Name: PagerSearch, Keys: []string{"/"}, Help: "search; capitals count if the text has some"},
		{Name: PagerNext, Keys: []string{"n"}, Help: "the next match"},
		{Name: PagerPrevious, Keys: []string{"N"}, Help: "the match before"},
		{Name: PagerNextMark, Keys: []string{"right"}, Help: "the next message of yours"},
		{Name: PagerPreviousMark, Keys: []string{"left"}, Help: "the message of yours before"},
		{Name: PagerEdit, Keys: []string{"e"}, Help: "open the text in your editor"},
		{Name: PagerClose, Keys: []string{"q", "esc"}, Help: "close the pager"},
	}}
}

func listing() group {
	return group{"Lists (typed text filters)", List, []Action{
		{Name: ListUp, Keys: []string{"up", "ctrl+p"}, Help: "the entry above"},
		{Name: ListDown, Keys: []string{"down", "ctrl+n"}, Help: "the entry below"},
		{Name: ListPageUp, Keys: []string{"pgup"}, Help: "one screen up"},
		{Name: ListPageDown, Keys: []string{"pgdown"}, Help: "one screen down"},
		{Name: ListFirst, Keys: []string{"home"}, Help: "the first entry"},
		{Name: ListLast, Keys: []string{"end"}, Help: "the last entry"},
		{Name: ListChoose, Keys: []string{"enter"}, Help: "choose the entry"},
		{Name: ListClose, Keys: []string{"esc"}, Help: "clear the filter; without one, close the list"},
		{Name: ListPreviewUp, Keys: []string{"alt+up"}, Help: "scroll the preview up"},
		{Name: ListPreviewDown, Keys: []string{"alt+down"}, Help: "scroll the preview down"},
		{Name: ListWhole, Keys: []string{"ctrl+o"}, Help: "read the whole entry in the pager"},
		{Name: ListView, Keys: []string{"tab"}, Help: "the next view, such as the sessions of all folders"},
		{Name: ListToggle, Keys: []string{"ctrl+t"}, Help: "switch the entry on or off"},
		{Name: ListRename, Keys: []string{"ctrl+r"}, Help: "rename the entry"},
		{Name: ListDelete, Keys: []string{"ctrl+x"}, Help: "delete the entry; the second press does it"},
		{Name: ListSend, Keys: []string{"alt+enter"}, Help: "send the queued message now"},
		{Name: ListMoveUp, Keys: []string{"shift+up", "ctrl+up"}, Help: "move the queued message up"},
		{Name: ListMoveDown, Keys: []string{"shift+down", "ctrl+down"}, Help: "move the queued message down"},
	}}
}

func finding() group {
	return group{"Search of earlier input", History, []Action{
		{Name: HistoryOlder, Keys: []string{"ctrl+r"}, Help: "the next older match"},
	}}
}
