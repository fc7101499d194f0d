package tui

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"os"
	"time"

	"github.com/sidestick-dev/sidestick/internal/follow"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/question"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/tui/cell"
	"github.com/sidestick-dev/sidestick/internal/tui/complete"
	"github.com/sidestick-dev/sidestick/internal/tui/composer"
	"github.com/sidestick-dev/sidestick/internal/tui/keymap"
	"github.com/sidestick-dev/sidestick/internal/tui/screen"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Options are what the interface needs of the program around it. All are required but where the
// field says otherwise.
type Options struct {
	// Open opens the first session. It runs beside the interface, because opening takes ten times as
	// long as the first frame: the sandboxes of the machine are tried. If it fails, Run does.
	Open     func(ctx context.Context) (Session, error)
	Commands Commands
	History  History
	Drafts   Drafts // nil: nothing is kept of what is in the input box
	Terminal Terminal
	// Resizes tells that the terminal has changed its size; see terminal.Resizes.
	Resizes <-chan os.Signal
	// Stop stops the process until the shell continues it; see terminal.Stop.
	Stop   func() error
	Getenv func(string) string
	Keys   *keymap.Table
	// Files lists the files of a session that can stand after an @. It runs beside the interface. s is nil
	// before the first session.
	Files func(ctx context.Context, s Session) (*complete.List, error)
	// Pasted returns the files that a pasted text names, if it names nothing else; they are attached. It
	// runs beside the interface. nil: pasted paths stay text.
	Pasted func(text string) []composer.Attachment
	// Mentioned returns the files that the text of a message to a session names after an @, which go
	// with the message, and a warning about those that do not; "" for none. It runs beside the interface.
	Mentioned func(s Session, text string) (files []composer.Attachment, warning string)
	// Clipboard returns the image or the files of the clipboard. It runs beside the interface.
	Clipboard func(ctx context.Context) ([]composer.Attachment, error)
	// Edit lets the user edit a text in their editor, which has the terminal until Edit returns.
	Edit func(ctx context.Context, text string) (string, error)
	// EditFile lets the user edit a file in their editor, which has the terminal until EditFile returns. It makes the
	// folders of a file that is not there.
	EditFile func(ctx context.Context, path string) error
	// Keep puts a text somewhere that the terminal does not take for its clipboard, and returns a
	// sentence for the user that says where. It runs beside the interface.
	Keep func(ctx context.Context, text string) (where string, err error)
	// Words returns the message that the user sees for an error. It runs beside the interface. s is the session
	// that is shown, nil before the first.
	Words func(s Session, err error) string
	// Cells say how the conversation is shown.
	Cells cell.Options
	// Notify says when a notice is shown on the desktop because a question waits or a run ends:
	// "unfocused", while the window does not have the focus; "always"; or "off". Bell rings with it.
	Notify string
	Bell   bool
	// Theme is "light", "dark" or "mono"; anything else finds out what the terminal has.
	Theme string
	// Vi gives the input box the keys of vi.
	Vi bool
	// First is done as soon as the first session is shown, if it is not nil.
	First func(ctx context.Context, s Session) (Effect, error)
	// Name is the name and the version of the program, which the first row shows; "" for no such row.
	Name string
	// Mode is the mode of the agent at first: interactive, plan or autopilot; "" is that of the session.
	Mode string
	// Leaving is closed when the process is asked to end.
	Leaving <-chan struct{}
}

// Terminal is the terminal of the user; *terminal.TTY is one.
type Terminal interface {
	screen.Device
	Keys() (keys <-chan []byte, stop func(), err error)
}

// Session is the session that is shown: one in this process, or one on a server. Its methods may be
// called by several goroutines.
type Session interface {
	ID() string
	// Describe returns what the status line shows before the first event says it, and what no event
	// says. New reports whether the session has no messages yet.
	Describe(ctx context.Context) (Description, error)
	// Events yields what happens from the moment at which the session was entered, until ctx ends or
	// the session is closed. It is called once.
	Events(ctx context.Context) iter.Seq2[follow.Event, error]
	// Explain returns what the user reads of a failed run: what has failed, and what the user can do. It is
	// called beside the interface.
	Explain(ctx context.Context, f follow.Failure) string
	// Records yields the events of the log, from the first.
	Records(ctx context.Context) iter.Seq2[wire.Event, error]
	// Calls yields the questions that are asked by calls, such as ask_user.
	Calls() <-chan *Call
	// Retries yields retries of model calls. Nobody waits for them to be received.
	Retries() <-chan Retry

	// Send sends a message. While the agent works it is queued, or, with mode "immediate", reaches
	// the model with its next call. A held queue goes on after the message. The error is [ErrUncertain]
	// if the session may have taken the message.
	Send(ctx context.Context, m wire.Send) error
	// Interrupt ends the run. The queue is held.
	Interrupt(ctx context.Context) error
	// SetMode makes a mode that of the session, which is in it when it is opened again.
	SetMode(ctx context.Context, mode string) error
	// Queue lists what waits.
	Queue(ctx context.Context) (Queue, error)
	// Unqueue takes a message out of the queue; false if it has begun.
	Unqueue(ctx context.Context, id string) (removed bool, err error)
	// HandOver sends what is queued now: to the model at work, or as the next run. A run that was
	// interrupted when a process ended continues.
	HandOver(ctx context.Context) error
	// SendNow is HandOver for one item of the queue. sent is false if no run is in progress that the item
	// could reach.
	SendNow(ctx context.Context, id string) (sent bool, err error)
	// MoveTo moves an item of the queue to a position, from 0.
	MoveTo(ctx context.Context, id string, position int) error
	// Shell runs a command of the user, which the model learns of with its next call.
	Shell(ctx context.Context, command string) error

	// Permission returns a permission request as a question; nil if it needs no answer any more.
	Permission(ctx context.Context, r timeline.Request, cwd string) (*question.Question, error)
	// AnswerPermission answers it. note is a line for the user, "" for none. ends reports whether the
	// answer ends the run, so that what the user wrote with a denial is the next message.
	AnswerPermission(ctx context.Context, id string, a permit.Answer) (note string, ends bool, err error)
	// AnswerForm answers an elicitation.
	AnswerForm(ctx context.Context, id string, a wire.ElicitationAnswer) error
	// ShellFolder is where the next shell command starts, "" if it is not known.
	ShellFolder(ctx context.Context) (string, error)
	// Context is what fills the context window with the next model call, estimated.
	Context(ctx context.Context) (cell.Context, error)
	// Todos is the list of what the agent has to do.
	Todos(ctx context.Context) ([]cell.Todo, error)

	// Leave ends the use of the session. It is called once, last.
	Leave(ctx context.Context) error
}

// ErrUncertain says that it is not known whether a session has taken a message: it did not answer.
var ErrUncertain = errors.New("it is not known whether the message was sent")

// Description is what is known of a session before its events.
type Description struct {
	Model, Mode, Folder, Branch string
	Server                      string // the address of the server that has the session; "" for this process
	New                         bool   // the session has no messages
	Working                     bool   // a run is under way
	AllowAll                    bool   // the user is asked nothing
}

// Queue is what waits to be sent.
type Queue struct {
	Items    []Queued // the next one first
	Steering []string // texts that the model gets with its next call
	// Held items wait until the user sends something, or sends the queued messages now. Interrupted means that
	// a process ended while the agent worked: handing over continues the run.
	Held, Interrupted bool
}

// Queued is one item of the queue.
type Queued struct {
	ID, Text string
	Command  bool // a slash command, which cannot be edited
}

// Call is a question that the session asks by a call. Ctx ends when the session withdraws it.
type Call struct {
	Ctx    context.Context
	Method string
	Params json.RawMessage
	// Reply answers the call. It is called once and does not block.
	Reply func(value any, err error)
}

// Retry says that a model call is made again.
type Retry struct {
	Next       int           // the attempt that follows, from 2
	Wait, Left time.Duration // until then, and for how long the call is tried again after that
	Why        string
}

// Commands are the slash commands of the program, and the prompts of skills and files. The interface
// owns which session is shown, and passes it.
type Commands interface {
	// List returns the commands for completion, without their slashes.
	List(ctx context.Context, s Session) ([]complete.Candidate, error)
	// Arguments returns the arguments of commands for completion, by the names of the commands.
	Arguments(ctx context.Context, s Session) (map[string][]complete.Candidate, error)
	// Run carries out a command in a session, beside the interface. name has no slash.
	Run(ctx context.Context, s Session, name, arg string) (Effect, error)
}

// History has the earlier input of the user in this folder, the oldest first. Add is called with
// each line that is sent. The function that it returns, if it is not nil, stores the line beside the interface.
type History interface {
	Lines() []string
	Add(line string) (store func(ctx context.Context))
}

// Drafts keeps what is in the input box, in case the process is killed. Its methods are called beside the interface, one
// at a time.
type Drafts interface {
	// Take returns what was in the input box of a terminal in this folder that has ended without its user sending it or
	// emptying the box; ok is false for nothing. notice says so to the user.
	Take(ctx context.Context) (d composer.Draft, notice string, ok bool)
	// Keep stores a draft; a blank one removes what was stored.
	Keep(ctx context.Context, d composer.Draft) error
	// Close lets other terminals have what was stored last.
	Close()
}
