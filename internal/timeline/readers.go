package timeline

import (
	"cmp"
	"path/filepath"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/lazy"
	"github.com/sidestick-dev/sidestick/internal/shellword"
	"github.com/sidestick-dev/sidestick/internal/tool/fact"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// readers says how the event of each type becomes a row; all others are [Other].
var readers = lazy.Value[map[wire.EventType]func(r *Reader, d *details) Row]{Make: func() map[wire.EventType]func(r *Reader, d *details) Row {
	return map[wire.EventType]func(r *Reader, d *details) Row{
		"user.message": asks,
		"assistant.message": func(_ *Reader, d *details) Row {
			return Row{Kind: Model, Title: d.Model, Body: d.Content, Sources: sources(d)}
		},
		"assistant.reasoning": func(_ *Reader, d *details) Row { return Row{Kind: Thinking, Body: d.Content} },
		"assistant.intent":    func(_ *Reader, d *details) Row { return Row{Kind: Intent, Title: d.Intent} },
		"assistant.usage":     func(_ *Reader, d *details) Row { return Row{Kind: Usage, Title: used(d)} },

		wire.MessageDelta:               piece,
		wire.ReasoningDelta:             piece,
		wire.ToolCallDelta:              piece,
		"tool.execution_start":          starts,
		"tool.execution_partial_result": func(_ *Reader, d *details) Row { return Row{Kind: Output, Body: d.PartialOutput} },
		"tool.execution_progress":       func(_ *Reader, d *details) Row { return Row{Kind: Output, Body: d.Progress} },
		"tool.execution_complete":       completes,
		"tool.user_requested":           starts,

		"permission.requested": func(r *Reader, d *details) Row {
			return Row{Kind: Asked, Title: readRequest(d.PermissionRequest).Title(r.cwd)}
		},
		"permission.completed":  decided,
		"user_input.requested":  func(_ *Reader, d *details) Row { return Row{Kind: Question, Title: d.Question, Body: list(d.Choices)} },
		"user_input.completed":  func(_ *Reader, d *details) Row { return Row{Kind: Reply, Title: d.Answer} },
		"elicitation.requested": func(_ *Reader, d *details) Row { return Row{Kind: Question, Title: d.Message} },
		"elicitation.completed": func(_ *Reader, d *details) Row { return Row{Kind: Reply, Title: d.Outcome} },
		"auto_mode_switch.requested": func(*Reader, *details) Row {
			return Row{Kind: Question, Title: "the rate limit of the model is used up: continue on another one?"}
		},
		"session_limits_exhausted.requested": func(*Reader, *details) Row {
			return Row{Kind: Question, Title: "the AI credits of the session are used up: raise the limit?"}
		},
		"exit_plan_mode.requested": func(_ *Reader, d *details) Row {
			return Row{Kind: Question, Title: "go ahead with this plan?", Body: d.Summary}
		},
		"exit_plan_mode.completed": planned,

		"subagent.started": func(r *Reader, d *details) Row {
			r.name(d)
			return Row{Kind: Agent, Title: r.agent(d) + " begins" + after(": ", cmp.Or(d.Task.Description, d.Description)), Of: line(r.agent(d))}
		},
		"subagent.completed": func(r *Reader, d *details) Row {
			if d.Canceled {
				return Row{Kind: Agent, Title: r.agent(d) + " was stopped" + spent(d), Of: line(r.agent(d))}
			}
			return Row{Kind: Agent, Title: r.agent(d) + " is done" + spent(d), Of: line(r.agent(d))}
		},
		"subagent.failed": func(r *Reader, d *details) Row {
			return Row{Kind: Agent, Title: r.agent(d) + " failed" + after(": ", string(d.Error)), Of: line(r.agent(d)), Failed: true}
		},

		"session.error": func(_ *Reader, d *details) Row {
			return Row{Kind: Error, Title: d.Message, Body: d.Message, Failed: true}
		},
		"model.call_failure": func(_ *Reader, d *details) Row {
			return Row{Kind: Warning, Title: after("the model call failed: ", d.ErrorMessage)}
		},
		"session.mcp_server_status_changed": serverState,
		"assistant.turn_retry": func(_ *Reader, d *details) Row {
			return Row{Kind: Warning, Title: "the answer broke off, and is asked for again" + after(": ", d.Reason)}
		},
		"session.warning":     func(_ *Reader, d *details) Row { return Row{Kind: Warning, Title: d.Message, Body: d.Message} },
		"session.info":        func(_ *Reader, d *details) Row { return Row{Kind: Info, Title: d.Message} },
		"system.notification": func(_ *Reader, d *details) Row { return Row{Kind: Info, Title: notice(d.Content)} },
		"skill.invoked":       func(_ *Reader, d *details) Row { return Row{Kind: Info, Title: "skill " + d.Name} },
		"session.compaction_start": func(_ *Reader, d *details) Row {
			return Row{Kind: Compaction, Title: "summarizing the conversation"}
		},

		"session.compaction_complete": compacted,
		"session.context_cleared": func(_ *Reader, d *details) Row {
			return Row{Kind: Compaction, Title: "the conversation starts again from nothing"}
		},
		"session.truncation": func(_ *Reader, d *details) Row {
			return Row{Kind: Compaction, Title: Count(d.RemovedTokens) + " tokens of old messages are no longer sent"}
		},

		"session.start": func(r *Reader, d *details) Row {
			r.moved(d.Context.Cwd)
			return Row{Kind: State, Title: "begins" + after(" in ", Exposed(d.Context.Cwd))}
		},
		"session.resume": func(r *Reader, d *details) Row {
			r.moved(d.Context.Cwd)
			return Row{Kind: State, Title: "resumed"}
		},
		"session.context_changed": func(r *Reader, d *details) Row {
			r.moved(d.Cwd)
			return Row{Kind: State, Title: "works in " + Exposed(d.Cwd)}
		},
		"session.model_change": func(_ *Reader, d *details) Row {
			if d.Effort != "" && d.NewModel == d.PreviousModel {
				return Row{Kind: State, Title: "effort is now " + d.Effort}
			}
			return Row{Kind: State, Title: after("model is now ", d.NewModel)}
		},
		"session.mode_changed":           func(_ *Reader, d *details) Row { return Row{Kind: State, Title: d.NewMode + " mode"} },
		"session.permissions_changed":    func(_ *Reader, d *details) Row { return Row{Kind: State, Title: "permissions: " + d.Mode} },
		"session.title_changed":          func(_ *Reader, d *details) Row { return Row{Kind: State, Title: after("title: ", d.Title)} },
		"session.plan_changed":           func(_ *Reader, d *details) Row { return Row{Kind: State, Title: "the plan was changed"} },
		"session.workspace_file_changed": func(_ *Reader, d *details) Row { return Row{Kind: State, Title: d.Operation + " " + Exposed(d.Path)} },
		"session.shutdown":               func(_ *Reader, d *details) Row { return Row{Kind: State, Title: "closed"} },
		"abort":                          cutOff,
		"session.task_complete":          func(_ *Reader, d *details) Row { return Row{Kind: Done, Title: d.Summary, Body: d.Summary} },
		"session.idle":                   func(_ *Reader, d *details) Row { return Row{Kind: Idle, Title: stopped(d), Failed: d.Aborted} },
	}
}}

// serverState is the state of an MCP server, if that needs the user.
func serverState(_ *Reader, d *details) Row {
	switch d.Status {
	case "failed":
		return Row{Kind: Warning, Title: "MCP server " + d.ServerName + " cannot be used" + after(": ", string(d.Error))}
	case "needs-auth":
		return Row{Kind: Warning, Title: "MCP server " + d.ServerName + " wants you to sign in: sidestick mcp login " + shellword.Argument(d.ServerName)}
	}
	return Row{Kind: State, Title: "MCP server " + d.ServerName + " is " + d.Status}
}

// cutOff is an answer that was interrupted, or, if the model had written nothing, that it was.
func cutOff(_ *Reader, d *details) Row {
	if d.CutOff.Content == "" {
		return Row{Kind: State, Title: "aborted", Failed: true}
	}
	body := strings.TrimRight(d.CutOff.Content, " \t\r\n") + "\n\n(interrupted)"
	if d.CutOff.Omitted > 0 {
		body = "(The beginning of this answer was not kept: it was too long.)\n\n" + body
	}
	return Row{Kind: Model, Body: body}
}

func piece(_ *Reader, d *details) Row { return Row{Kind: Piece, Body: d.DeltaContent + d.InputDelta} }

// names are the files of instructions with these ids, in which the name follows the kind.
func names(ids []string) string {
	var files []string
	for _, id := range ids {
		_, name, _ := strings.Cut(id, ":")
		files = append(files, name)
	}
	return strings.Join(files, ", ")
}

// asks is a person's message, or one that the runtime wrote in autopilot.
func asks(_ *Reader, d *details) Row {
	if d.Continuation {
		return Row{Kind: Info, Title: "continues without a prompt", Body: d.Content}
	}
	if len(d.Instructions) > 0 { // the files that they are in say enough
		return Row{Kind: Info, Title: "gets the instructions " + line(names(d.Instructions))}
	}
	row := Row{Kind: User, Body: d.Content}
	if d.From != "user" {
		row.From = line(d.From)
	}
	for _, a := range d.Attachments {
		name := cmp.Or(a.Name, filepath.Base(cmp.Or(a.Path, a.FilePath, a.Type, "a file")))
		if len(row.Attached) < maxAttached {
			row.Attached = append(row.Attached, exposedLine(name))
		}
	}
	return row
}

// maxAttached bounds the attachments of a message that are shown.
const maxAttached = 100

func starts(r *Reader, d *details) Row {
	a := readArgs(d.Arguments, r.cwd)
	c := call{tool: d.ToolName, title: a.titleOf(d.ToolName, d.Arguments), shell: a.text("shellId")}
	r.begin(d.call(), c)
	row := Row{Kind: Tool, Title: c.title, Tool: line(c.tool)}
	if whole := strings.TrimSpace(a.text("command")); strings.Contains(whole, "\n") || len(whole) > maxTitle {
		row.Body = Exposed(whole)
	}
	return row
}

// Interrupted is the title of the [Result] of a call that was cut off: by the user, or by the end of the
// process.
const Interrupted = "interrupted"

// interruptedCall is the error of such a call, in words for the model. Source: tool.TextInterrupted.
const interruptedCall = "The execution of this tool, or a previous tool was interrupted."

func completes(r *Reader, d *details) Row {
	c := r.end(d.call())
	if c.tool == fact.Confirmation {
		return confirmed(c, d)
	}
	if !isTrue(d.Success) {
		if string(d.Error) == interruptedCall {
			return Row{Kind: Result, Title: Interrupted, Failed: true, Of: c.title, Tool: line(c.tool)}
		}
		title, _ := firstLine(string(d.Error))
		return Row{
			Kind: Result, Title: "failed" + after(": ", title), Body: string(d.Error), Failed: true, Exit: d.Shell.ExitCode, Of: c.title, Tool: line(c.tool),
		}
	}
	row := result(c.tool, d.Result.Content, d.Shell.ExitCode)
	row.Of, row.Tool, row.Sandboxed = c.title, line(c.tool), d.Sandboxed
	row.Shell, row.Running = shellAfter(c, d.Result.Content, row.Exit)
	if !d.Sandboxed && fact.Of(c.tool).Result != fact.FirstOf && strings.Contains(d.Result.Content, "\n"+SecondRun) {
		row.Title = "second run, OUTSIDE the sandbox: " + row.Title
	}
	if d.Result.Detailed != "" {
		row.Body = d.Result.Detailed
		if fact.Of(c.tool).Result == fact.Diff {
			row.Body, row.Diff = Exposed(row.Body), true
		}
	}
	return row
}

func planned(_ *Reader, d *details) Row {
	if !isTrue(d.Approved) {
		return Row{Kind: Reply, Title: "no" + after(": ", d.Feedback)}
	}
	return Row{Kind: Reply, Title: "yes" + after(", ", strings.ReplaceAll(d.Action, "_", " "))}
}

func compacted(_ *Reader, d *details) Row {
	if !isTrue(d.Success) {
		return Row{Kind: Compaction, Title: "the conversation could not be summarized" + after(": ", string(d.Error)), Failed: true}
	}
	title := "the conversation was summarized"
	if d.PreTokens > 0 && d.PostTokens > 0 {
		title += ": " + Count(d.PreTokens) + " → " + Count(d.PostTokens) + " tokens"
	}
	return Row{Kind: Compaction, Title: title}
}

// agent names a sub-agent: by the name that its starter gave it, if that is known, and by its
// definition.
func (r *Reader) agent(d *details) string {
	kind := cmp.Or(d.DisplayName, d.AgentName)
	if name := r.names[d.agent]; name != "" {
		return "agent " + name + " (" + kind + ")"
	}
	return "agent " + kind
}

// notice is what a notice of the runtime says to the user, without what is for the model.
func notice(text string) string {
	text = strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(text), "<system_notification>"), "</system_notification>")
	text, _, _ = strings.Cut(text, " Use read_agent with ")
	return strings.TrimSpace(text)
}

// spent is what a sub-agent took, in parentheses; nothing if it is not known.
func spent(d *details) string {
	var parts []string
	if d.ToolCalls > 0 {
		parts = append(parts, Plural(int(d.ToolCalls), "call"))
	}
	if d.TotalTokens > 0 {
		parts = append(parts, Count(d.TotalTokens)+" tokens")
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

func stopped(d *details) string {
	if d.Aborted {
		return "aborted"
	}
	return ""
}

func used(d *details) string {
	if d.InputTokens+d.OutputTokens == 0 {
		return "not counted by the provider"
	}
	text := Count(d.InputTokens) + " tokens in, " + Count(d.OutputTokens) + " out"
	if cost, ok := d.cost(); ok {
		text += ", " + Dollars(cost)
	}
	return text
}

// list is choices, one a line, numbered from 1.
func list(choices []string) string {
	var b strings.Builder
	for i, c := range choices {
		b.WriteString(Count(int64(i+1)) + " " + c + "\n")
	}
	return b.String()
}

// after is text behind its label; neither if there is not text.
func after(label, text string) string {
	if text == "" {
		return ""
	}
	return label + text
}
