package prompt

import (
	"fmt"
	"slices"
	"strings"
)

// filled is what a text in the form of Claude Code is filled with.
type filled struct {
	input  string
	folder string // that the file lies in
	// loaded is set for a skill that the model loads: nobody has written arguments, so $1 is a part of an example.
	loaded bool
	// refused is why no command of the text runs; nil if they may.
	refused error
}

// textFieldsWithoutEffect are the fields of such a file that have no effect in this version.
var textFieldsWithoutEffect = []string{"model", "effort", "disallowed-tools", "context", "agent", "background", "hooks", "shell", "mode", "tools"}

// claudeText returns the text of a command or skill in the form of Claude Code. Its allowed tools hold for the commands in
// the text.
func (d Disk) claudeText(name, body string, table map[string]any, with filled, use Use) (out TemplateText, err error) {
	out.Unused = unusedFields(table)
	f := Filling{Input: with.input, Names: list(table["arguments"], words), Variables: variables(with.folder, use), Loaded: with.loaded}
	given := list(table["allowed-tools"], words)
	var allowed []string
	for _, tool := range given {
		rule, why := f.Rule(tool)
		if why != "" {
			out.Unused = append(out.Unused, "allowed-tools: "+oneLine(tool, maxLine)+" ("+why+")")
			continue
		}
		allowed = append(allowed, rule)
	}
	switch {
	case with.refused != nil:
		f.Refused = with.refused.Error()
	case use.Run == nil:
		f.Refused = "commands in it are not run here"
	default:
		f.Run = func(command string) (string, string) { return use.Run(command, allowed) }
	}
	out.Text = f.Text(body)
	if f.Long() {
		return TemplateText{}, fmt.Errorf("the text of /%s has more than %s with what you wrote", name, bytesShown(maxExpanded))
	}
	for _, command := range f.Omitted() {
		out.Unused = append(out.Unused, "the command "+command)
	}
	if len(given) > 0 {
		out.Unused = append(out.Unused, "allowed-tools beyond the commands in its text")
	}
	if use.MayRead != nil && use.Root != "" && !with.loaded {
		blocks, omitted := d.Mentioned(f.Said(), use.Root, use.MayRead)
		out.Text = strings.Join(append([]string{out.Text}, blocks...), "\n\n")
		out.Unused = append(out.Unused, omitted...)
	}
	return out, nil
}

func unusedFields(table map[string]any) (unused []string) {
	for _, key := range textFieldsWithoutEffect {
		if table[key] != nil {
			unused = append(unused, key)
		}
	}
	return unused
}

// variables are those that a text in the form of Claude Code may name.
func variables(folder string, use Use) map[string]string {
	return map[string]string{
		"CLAUDE_SKILL_DIR": folder, "CLAUDE_PLUGIN_ROOT": pluginOf(folder), "CLAUDE_PROJECT_DIR": use.Root, "CLAUDE_SESSION_ID": use.SessionID,
	}
}

// pluginOf is the folder of the plugin that a folder of commands or skills belongs to: the one above the last "commands" or
// "skills" in its path.
func pluginOf(folder string) string {
	parts := strings.Split(strings.ReplaceAll(folder, "\\", "/"), "/")
	for i := len(parts) - 1; i > 0; i-- {
		if slices.Contains([]string{"commands", "skills"}, parts[i]) {
			return strings.Join(parts[:i], "/")
		}
	}
	return folder
}

// Filled returns a skill whose text is in the form of Claude Code with everything in its place. refused is why no command
// of it runs. loaded says that the model loads it. unused says what of it has no effect.
func (d Disk) Filled(s SkillText, input string, loaded bool, refused error, use Use) (_ SkillText, unused []string, err error) {
	front, body := split(s.Content)
	table, err := fields(front)
	if s.Read != nil || isRefused(err) {
		return s, nil, nil
	}
	folder := s.Path[:max(0, strings.LastIndexAny(s.Path, "/\\"))]
	out, err := d.claudeText(s.Name, body, table, filled{input: input, folder: folder, loaded: loaded, refused: refused}, use)
	if err != nil {
		return s, nil, err
	}
	head, ok := strings.CutSuffix(s.Content, body)
	if !ok || out.Text == strings.TrimSpace(body) { // nothing had to be filled in, and the text stays to the byte
		return s, out.Unused, nil
	}
	s.Content = head + out.Text + body[len(strings.TrimRight(body, "\n")):]
	return s, out.Unused, nil
}

// PromptFieldsWithoutEffect says which fields of a file with a prompt have no effect, by its path and its text.
func PromptFieldsWithoutEffect(path, text string) (problems []string) {
	front, _ := split(text)
	table, err := fields(front)
	if isRefused(err) {
		return []string{fmt.Sprintf("left out: front matter: %v", err)}
	}
	_, unused := templateMode(table)
	if !strings.HasSuffix(path, ".prompt.md") {
		unused = unusedFields(table)
	}
	for _, field := range unused {
		problems = append(problems, field+" has no effect")
	}
	return problems
}

// Powers returns what a file with a slash command or skill in the form of Claude Code allows, and the commands in its
// text, both as they are written and whole. It reads the file as [Disk.LoadCounted] does; the error says why nothing
// in it is used.
func Powers(content []byte) (allowed, commands []string, err error) {
	c, err := textOf(content[:min(len(content), maxSkill)], int64(len(content)), maxSkill)
	if err != nil {
		return nil, nil, err
	}
	front, body := split(c.text)
	table, err := fields(front)
	if isRefused(err) {
		return nil, nil, fmt.Errorf("front matter: %w", err)
	}
	for _, m := range inText.Get().FindAllStringSubmatch(body, -1) {
		if command := strings.TrimSpace(m[1] + m[3]); command != "" {
			commands = append(commands, command)
		}
	}
	return list(table["allowed-tools"], words), commands, nil
}
