// Package prompt builds the texts that are sent to a model: the system message, a project's
// instructions, skills, the text that is added to a user's message, and the summary that
// replaces a conversation that is too long.
//
// # Reading order
//
//   - [Sections] returns the system message as named parts, [System] applies a client's
//     changes to it.
//   - [ReadInstructions] finds AGENTS.md and similar files; [FindSkills] finds skills, and
//     [Disk.Load] reads one when it is needed, not before. [FindAgents] finds files that define
//     agents, and [FindTemplates] those with prompts, which are slash commands.
//   - [User] turns a message and its attachments into the text to send, [ForExtension] into
//     a message for a Copilot Extensions agent; [Visible] removes pictures for a model
//     without image input.
//   - [Decide] says when a conversation has to become shorter, [Trim] shortens old tool
//     results, [NewCompaction] plans a summary.
//
// # Where files are searched
//
// The folders of a project, of the user and of plugins, with the endings of their files, are in
// projectfiles/table.go, from which the names that the model does not write unasked are made, too.
// They are read in discover.go and instructions.go for instructions, in skills.go
// (SkillFolders), in agentfiles.go (AgentFolders) and in templates.go (TemplateFolders,
// FindTemplates). A new folder of one of these changes no other code. Package session/discovery
// decides whether a project is trusted and asks for the folders here; package session/command makes
// the slash commands. Pages for users: docs/project-files.md, docs/prompts.md; for prompts in files,
// docs/plugins.md; for agents, docs/tools.md.
//
// # Guarantees
//
//   - The output depends only on the input: the same files and values give the same bytes, so
//     providers' caches stay valid. The only time is the one passed to [User].
//   - Files are read through a [Disk]: only regular ones, each up to a limit. Nothing is
//     written. The text says what was cut or left out.
//   - Unreadable files cause warnings, never errors.
//   - Only [Disk], and with it [ReadInstructions], [FindSkills] and [User], read files; all
//     other functions depend on their arguments alone.
//
// # What this package does not do
//
// It records no events and calls no model: package session does both. It does not describe
// tools: package tool does.
//
// A comment says so where recordings of the protocol match a text exactly. Source:
// docs/prompts.md.
package prompt

import (
	"slices"
	"strings"
)

// join joins the parts that are not empty with blank lines.
func join(parts ...string) string {
	return strings.Join(slices.DeleteFunc(slices.Clone(parts), func(p string) bool { return p == "" }), "\n\n")
}

// oneLine returns text for use within a line: each run of white space becomes one space, and
// at most limit runes are kept.
func oneLine(text string, limit int) string {
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "\ufffd")), " ")
	if runes := []rune(text); len(runes) > limit {
		return strings.TrimSpace(string(runes[:limit-1])) + "…"
	}
	return text
}

// attribute escapes text for the value of an XML-like attribute.
func attribute(text string) string {
	return strings.NewReplacer(`&`, "&amp;", `"`, "&quot;", "<", "&lt;", ">", "&gt;").Replace(oneLine(text, maxLine))
}

// maxLine bounds, in runes, the text of clients and files within one line.
const maxLine = 500
