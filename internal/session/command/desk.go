package command

import (
	"context"
	"io"

	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/plugin"
	"github.com/sidestick-dev/sidestick/internal/schedule"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Desk is what the commands of this program do in a session.
type Desk interface {
	// Model returns the model that the next turn uses, "" for the first that the provider lists.
	Model(ctx context.Context) (string, error)
	SwitchModel(ctx context.Context, name string) error
	Mode(ctx context.Context) (wire.Mode, error)
	// SetMode returns [fault.Invalid] for a mode that is none.
	SetMode(ctx context.Context, mode wire.Mode) error
	Name(ctx context.Context) (string, error)
	// SetName returns [fault.Invalid] for a name that is none.
	SetName(ctx context.Context, name string) error
	// Cwd returns the directory that the session works in.
	Cwd(ctx context.Context) (string, error)
	// SetWorkingDirectory makes the session work in another directory, which must be there, and returns its
	// absolute name.
	SetWorkingDirectory(ctx context.Context, dir string) (at string, err error)
	// Retry continues a run that has failed or was interrupted.
	Retry(ctx context.Context) error
	// Summarize makes the conversation shorter; focus is what matters most, "" for nothing special. It
	// returns how many tokens fewer the conversation has.
	Summarize(ctx context.Context, focus string) (removed int64, err error)
	Usage(ctx context.Context) (wire.UsageMetrics, error)
	// Changed are the files that the tools of the session have changed. unknown is why that is not known, "" if it is.
	Changed(ctx context.Context) (list []wire.RewindFile, unknown string, err error)
	// Window says what fills the window of the model, in rows, and how large it is.
	Window(ctx context.Context) (rows []string, of string, err error)
	// Servers are the MCP servers of the session.
	Servers() Servers
	// Agents are the agents that the session can call or be led by, the built-in ones first.
	Agents(ctx context.Context) ([]wire.AgentInfo, error)
	// Effort is how much the model reasons, "" if nobody has chosen it.
	Effort(ctx context.Context) (string, error)
	// SetReasoningEffort sets it from the next turn on.
	SetReasoningEffort(ctx context.Context, effort string) error
	// Work is what the session has to do and does: to-dos, agents, and commands in the background.
	Work(ctx context.Context) ([]Work, error)
	// Background lets the agent, or the commands, that calls wait for continue in the background. It reports whether there
	// was any.
	Background(ctx context.Context) (bool, error)
	// Plugins are the plugins that the session uses.
	Plugins(ctx context.Context) ([]plugin.Plugin, error)
	// Destination says where the next message goes, or why nowhere, and how long a prompt may be; "" if that is not known.
	Destination(ctx context.Context) (model, window string, err error)
	// Export writes the session in a format of [export.Formats].
	Export(ctx context.Context, format string, out io.Writer) error
	// StartFleet asks the agent to distribute the work to sub-agents; prompt is what for, "" for the to-dos.
	StartFleet(ctx context.Context, prompt string) error
	// Schedule adds a scheduled prompt, and Schedules lists them.
	Schedule(ctx context.Context, e schedule.Entry) (wire.ScheduleEntry, error)
	Schedules(ctx context.Context) ([]wire.ScheduleEntry, error)
	Permissions() Permissions
}

// Servers are the MCP servers of a session.
type Servers interface {
	// List returns them with their states.
	List(ctx context.Context) (wire.MCPServerList, error)
	// ServerPrompts are the slash commands of their prompts, and ServerPrompt returns the message of one; ok is false if there
	// is none with that name.
	ServerPrompts(ctx context.Context) []wire.CommandInfo
	ServerPrompt(ctx context.Context, name, input string) (p wire.CommandPrompt, ok bool, err error)
}

// Work is something that a session has to do or does. Its texts are raw.
type Work struct{ Kind, State, Text string }

// Permissions are what the tools of a session may do, as its clients see and change them with
// session.permissions.*: a command changes nothing that these methods refuse.
type Permissions interface {
	// Mode returns the permission mode.
	Mode(ctx context.Context) (wire.PermissionMode, error)
	// SetMode returns the mode that is then in force; [fault.Denied] if that is not the wanted one.
	SetMode(ctx context.Context, mode wire.PermissionMode) (wire.PermissionMode, error)
	// Rules and Sandbox are the rules in force, and what the sandbox changes about them.
	Rules(ctx context.Context) (permit.Rules, error)
	Sandbox(ctx context.Context) (permit.Sandboxing, error)
	// Location is the place for which approvals are stored; dir is "" for that of the session.
	Location(ctx context.Context, dir string) (wire.PermissionLocation, error)
	// Reset revokes the approvals of the session, and with withLocation those of its location.
	Reset(ctx context.Context, withLocation bool) error
	// Folders are the folders that the session may work in.
	Folders(ctx context.Context) (wire.PermissionFolders, error)
	AddFolder(ctx context.Context, path string) error
}
