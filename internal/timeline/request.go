package timeline

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/lazy"
	"github.com/sidestick-dev/sidestick/internal/lookalike"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Request is what the user is asked to permit. Which fields are set depends on Kind. Their
// texts are those of the event: pass them through [Harmless] before printing.
type Request struct {
	ID         string `json:"-"` // of the request, which the answer names
	ResolvedBy bool   `json:"-"` // a hook has decided; the user is not asked
	Changed    string `json:"-"` // how the definition of the tool differs from the one that the user has approved; "" if it does not
	Printed    string `json:"-"` // by the first run of a command that would run again; set by the caller

	Kind       string `json:"kind"` // "shell", "write", "read", "url", "mcp", "custom-tool" and others
	ToolCallID string `json:"toolCallId"`
	Intention  string `json:"intention"` // what for, in one line

	// A command: all of it, the programs in it, where it runs, what it may touch, and
	// why the rules could not decide.
	Command   string    `json:"fullCommandText"`
	Programs  []Program `json:"commands"`
	Cwd       string    `json:"resolvedWorkingDirectory"`
	Paths     []string  `json:"possiblePaths"`
	Addresses []Address `json:"possibleUrls"`
	Redirects bool      `json:"hasWriteFileRedirection"`
	Warning   string    `json:"warning"`
	Leaves    bool      `json:"requestSandboxBypass"` // it asks to run outside the sandbox

	// A file: its name, and the change as a unified diff, or all of a new one.
	FileName string  `json:"fileName"`
	Diff     string  `json:"diff"`
	Contents *string `json:"newFileContents"`
	Path     string  `json:"path"`         // that is read
	Resolved string  `json:"resolvedPath"` // FileName or Path with every symbolic link resolved

	URL            string `json:"url"`
	RedirectedFrom string `json:"redirectedFrom"`

	// A tool of a client or an MCP server, and its arguments.
	ToolName    string          `json:"toolName"`
	Description string          `json:"toolDescription"`
	ServerName  string          `json:"serverName"`
	Args        json.RawMessage `json:"args"`

	// Personal requests are decided by the user each time: no rule covers one.
	Personal bool `json:"managedApprovalRequired"`

	// SessionApproval is false if an approval cannot cover later calls; nil means true.
	SessionApproval *bool `json:"canOfferSessionApproval"`
}

// Program is one program of a command: its name for approvals, such as "git status".
type Program struct {
	Name     string `json:"identifier"`
	ReadOnly bool   `json:"readOnly"`
}

// Address is an address in a command.
type Address struct {
	URL string `json:"url"`
}

// ReadRequest returns the request of a permission.requested event. ok is false for any
// other event, and for a request without an id, which cannot be answered.
func ReadRequest(e wire.Event) (q Request, ok bool) {
	if e.Type != "permission.requested" {
		return Request{}, false
	}
	d := read(e)
	q = readRequest(d.PermissionRequest)
	q.ID, q.ResolvedBy, q.Changed = d.RequestID, d.ByHook, d.Changed
	return q, d.RequestID != ""
}

func readRequest(raw json.RawMessage) Request {
	var q Request
	_ = json.Unmarshal(raw, &q)
	return q
}

// Title says in one line what would be done: "run $ git push", "write main.go".
// Paths below cwd are shortened.
func (q Request) Title(cwd string) string {
	switch q.Kind {
	case "shell":
		first, further := command(q.Command)
		return exposedLine("run " + after("$ ", first) + further)
	case "write":
		verb := "change "
		if q.Contents != nil {
			verb = "write "
		}
		return exposedLine(verb + RelativePath(q.FileName, cwd) + DiffCount(q.Diff))
	case "read":
		return exposedLine("read " + RelativePath(q.Path, cwd))
	case "url":
		return exposedLine("fetch " + lookalike.With(q.URL) + after(", redirected from ", lookalike.With(q.RedirectedFrom)))
	case "mcp":
		return exposedLine("call " + q.ToolName + " of the MCP server " + q.ServerName + rest(q.Args))
	case "custom-tool", "":
		if title, message, ok := q.Confirmation(); ok {
			return line("confirm: " + either(title, message))
		}
		return exposedLine("call " + q.ToolName + rest(q.Args))
	}
	return exposedLine(strings.TrimSpace(q.Kind + " " + q.ToolName + rest(q.Args)))
}

// Host is the host of the address that would be fetched, "" if it names none.
func (q Request) Host() string {
	u, err := url.Parse(q.URL)
	if err != nil {
		return ""
	}
	return u.Host
}

// Hosts are the hosts that a command would connect to, as far as its text shows.
func (q Request) Hosts() []string {
	var hosts []string
	for _, a := range q.Addresses {
		if u, err := url.Parse(a.URL); err == nil && u.Host != "" {
			hosts = append(hosts, lookalike.With(u.Host))
		} else if a.URL != "" {
			hosts = append(hosts, lookalike.With(a.URL))
		}
	}
	return slices.Compact(hosts)
}

// DiffCount is how many lines a unified diff adds and removes, such as " (+3 −1)"; "" if
// none.
func DiffCount(diff string) string {
	added, removed := 0, 0
	inside := false // a hunk; the names of the files stand before the first
	for l := range strings.Lines(diff) {
		switch {
		case strings.HasPrefix(l, "@@"):
			inside = true
		case !inside:
		case strings.HasPrefix(l, "+"):
			added++
		case strings.HasPrefix(l, "-"):
			removed++
		}
	}
	if added+removed == 0 {
		return ""
	}
	return " (+" + Count(int64(added)) + " −" + Count(int64(removed)) + ")"
}

// decisions describes the result of a request, by its name in the protocol.
var decisions = lazy.Value[map[string]string]{Make: func() map[string]string {
	return map[string]string{
		"approved":                           "yes",
		"approved-for-session":               "yes, for this session",
		"approved-for-location":              "yes, for this location",
		"cancelled":                          "withdrawn",
		"denied-by-rules":                    "no, by a rule",
		"denied-interactively-by-user":       "no",
		"denied-by-content-exclusion-policy": "no, by a policy",
		"denied-by-permission-request-hook":  "no, by a hook",

		"denied-no-approval-rule-and-could-not-request-from-user": unanswerable,
	}
}}

const unanswerable = "no, there was no user to ask"

// Unanswerable reports whether a permission.completed event says that a request was denied
// because there was no user to ask.
func Unanswerable(e wire.Event) bool {
	return e.Type == "permission.completed" && decisions.Get()[read(e).Result.Kind] == unanswerable
}

func decided(_ *Reader, d *details) Row {
	text := either(decisions.Get()[d.Result.Kind], d.Result.Kind)
	return Row{
		Kind: Answered, Title: text + after(": ", either(d.Result.Feedback, d.Result.Message)),
		Failed: !strings.HasPrefix(d.Result.Kind, "approved"),
	}
}
