// Package prompt is what a model reads: the system message, the instructions a
// project brings, skills, the blocks around a person's message, and the summary
// that stands for a conversation too long to be sent.
//
// # Reading order
//
//   - [Sections] is the system message as named parts, [System] what a client makes
//     of it.
//   - [ReadInstructions] finds AGENTS.md and its kin; [FindSkills] finds skills, and
//     [Disk.Load] reads one when it is needed, not before.
//   - [User] turns a message and its attachments into what is sent, [ForExtension] (in
//     extension.go) into what a Copilot Extensions agent gets; [Visible] is a
//     conversation as a model without eyes gets it.
//   - [Decide] says when a conversation has to become shorter, [Trim] takes the bulk
//     of old tool results out, [NewCompaction] plans the rest.
//
// # Files
//
//   - prompt.go, section.go, customize.go, mode.go: the system message, its parts, and what
//     a client changes of it; notice.go: blocks that the runtime adds to a conversation
//   - instructions.go, discover.go, instructionfiles.go: AGENTS.md and the like; skill.go, skills.go,
//     frontmatter.go: skills and their front matter
//   - user.go, attach.go, attachfile.go, reference.go, picture.go: a message with its
//     attachments; extension.go: the same for a Copilot Extensions agent
//   - measure.go, compactiondecision.go, trim.go, compact.go, keptmessages.go, summary.go: how long a
//     conversation is, and how it becomes shorter
//   - disk.go: how files are read
//
// # What a caller can rely on
//
//   - Nothing here is volatile. The same files and values give the same bytes, so
//     providers' caches hold; the only time is the one that [User] is given.
//   - Files are read through a [Disk], only regular ones, never more than a bound, and
//     nothing is ever written. What is cut or left out is said in the text.
//   - Nothing here fails a session. What cannot be read becomes a warning.
//   - Only [Disk], and with it [ReadInstructions], [FindSkills] and [User], look at the
//     outside; all else is functions of values.
//
// # What is absent
//
// No events are recorded and no model is called: package session does both. Tools
// describe themselves, in package tool.
//
// Texts that recordings of the protocol match to the letter are marked so. Source:
// docs/protocol.md, "What the model reads".
package prompt

import (
	"slices"
	"strings"
)

// join puts a blank line between what is not empty.
func join(parts ...string) string {
	return strings.Join(slices.DeleteFunc(slices.Clone(parts), func(p string) bool { return p == "" }), "\n\n")
}

// oneLine is text as part of a line: white space of any kind is one blank. At most
// limit runes of it are kept.
func oneLine(text string, limit int) string {
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "\ufffd")), " ")
	if runes := []rune(text); len(runes) > limit {
		return strings.TrimSpace(string(runes[:limit-1])) + "…"
	}
	return text
}

// attribute is text between the quotes of an XML-like attribute.
func attribute(text string) string {
	return strings.NewReplacer(`&`, "&amp;", `"`, "&quot;", "<", "&lt;", ">", "&gt;").Replace(oneLine(text, maxLine))
}

// maxLine bounds, in runes, what clients and files contribute to one line.
const maxLine = 500
