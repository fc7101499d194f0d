package prompt

import (
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/lazy"
)

// Filling replaces what the text of a slash command or skill in the form of Claude Code has in place of other text:
// arguments, variables and commands. What takes their place is not looked at again, so neither the user's words nor the
// output of a command can become a command.
type Filling struct {
	// Input is what the user wrote after the name, and Names are the names of its words ("arguments").
	Input string
	Names []string
	// Loaded says that nobody can write arguments: $0 and the like stay, and $ARGUMENTS is nothing.
	Loaded bool
	// Variables are the values of ${NAME}.
	Variables map[string]string
	// Run runs a command and returns its output; why says why it did not run. nil: none runs, because of Refused.
	Run     func(command string) (output, why string)
	Refused string

	words   []string
	said    strings.Builder // the text without commands and their output
	used    bool            // the text has a place for what the user wrote
	omitted []string
	ran     int // commands
	size    int // bytes of all replacements
}

// Bounds of commands in a text: how many run, and the bytes of one output.
const (
	mostCommands = 20
	maxOutput    = 16 << 10
)

// inText finds the commands in a text: !`…` at the start of a line or after a space, and blocks that begin with ```!.
var inText = lazy.Value[*regexp.Regexp]{Make: func() *regexp.Regexp {
	return regexp.MustCompile("(?m)^```!([^\\n]*\\n(?:.*\\n)*?)```[ \\t]*$|(^|[ \\t])!`([^`\\n]+)`")
}}

// claudePlace finds the places of arguments and variables.
var claudePlace = lazy.Value[*regexp.Regexp]{Make: func() *regexp.Regexp {
	return regexp.MustCompile(`\$ARGUMENTS\[\d{1,2}\]|\$ARGUMENTS\b|\$\d{1,2}\b|\$\{CLAUDE_[A-Z_]+\}|\$[A-Za-z_][A-Za-z0-9_]*\b`)
}}

// Text returns a text with everything in its place. What the user wrote comes after it if it has no place for that.
func (f *Filling) Text(body string) string {
	f.words = quotedWords(f.Input)
	var b strings.Builder
	at := 0
	for _, m := range inText.Get().FindAllStringSubmatchIndex(body, -1) {
		b.WriteString(f.say(body[at:m[0]]))
		at = m[1]
		if m[2] >= 0 {
			b.WriteString(f.command(body[m[0]:m[1]], body[m[2]:m[3]]))
			continue
		}
		b.WriteString(body[m[4]:m[5]])
		b.WriteString(f.command(body[m[5]:m[1]], body[m[6]:m[7]]))
	}
	b.WriteString(f.say(body[at:]))
	text := strings.TrimSpace(b.String())
	if !f.used && strings.TrimSpace(f.Input) != "" {
		text += "\n\nARGUMENTS: " + strings.TrimSpace(f.Input)
	}
	return text
}

// Omitted says which commands of the text did not run, and why.
func (f *Filling) Omitted() []string { return f.omitted }

// Long reports whether the text has more than it may have with what the user wrote.
func (f *Filling) Long() bool { return f.size > maxExpanded }

// Said is the text without its commands and their output, for [Disk.Mentioned]: what a command has printed mentions nothing.
func (f *Filling) Said() string { return f.said.String() }

// command returns the output of a command, or the text as it is.
func (f *Filling) command(as, command string) string {
	command = strings.TrimSpace(f.plain(command))
	why := f.Refused
	output := ""
	switch {
	case command == "":
		return as
	case f.ran >= mostCommands:
		why = "a text has at most " + strconv.Itoa(mostCommands) + " commands"
	case f.Run != nil:
		f.ran++
		output, why = f.Run(command)
	}
	if why != "" || f.Run == nil {
		f.omitted = append(f.omitted, oneLine(command, maxLine)+" ("+oneLine(why, 4*maxLine)+")")
		return as
	}
	output = strings.ToValidUTF8(output, "")
	if len(output) > maxOutput {
		output = strings.ToValidUTF8(output[:maxOutput], "") + "\n[Cut after " + bytesShown(maxOutput) + ".]"
	}
	return strings.TrimSpace(output)
}

// say is plain for what [Filling.Said] returns.
func (f *Filling) say(text string) string {
	text = f.plain(text)
	f.said.WriteString(text)
	return text
}

// plain returns a part of the text without commands.
func (f *Filling) plain(text string) string {
	return claudePlace.Get().ReplaceAllStringFunc(text, func(place string) string {
		value, known := f.value(place)
		if !known {
			return place
		}
		if f.size += len(value); f.size > maxExpanded {
			return ""
		}
		return value
	})
}

// argument is what the user may write in place of an argument in a rule: one word, without the characters that would make
// the rule cover more.
var argument = lazy.Value[*regexp.Regexp]{Make: func() *regexp.Regexp {
	return regexp.MustCompile(`^[\pL\pN._/@=+,-]+$`)
}}

// Rule returns a rule of allowed-tools with everything in its place. What the user wrote must not make the rule cover more
// than its author meant: why says that it could, "" if it does not. A place in a rule is none for the text.
func (f *Filling) Rule(rule string) (filled, why string) {
	g := Filling{Input: f.Input, Names: f.Names, Loaded: f.Loaded, Variables: f.Variables, words: quotedWords(f.Input)}
	filled = claudePlace.Get().ReplaceAllStringFunc(rule, func(place string) string {
		value, known := g.value(place)
		if !known {
			return place
		}
		if !strings.HasPrefix(place, "${") && !argument.Get().MatchString(value) {
			why = place + " stands for more or less than one plain word"
		}
		return value
	})
	return filled, why
}

func (f *Filling) value(place string) (value string, known bool) {
	if name, ok := strings.CutPrefix(place, "${"); ok {
		value, known = f.Variables[strings.TrimSuffix(name, "}")]
		return value, known
	}
	name := place[1:]
	if name == "ARGUMENTS" {
		f.used = true
		return strings.TrimSpace(f.Input), true
	}
	if f.Loaded {
		return "", false
	}
	n, err := strconv.Atoi(strings.TrimSuffix(strings.TrimPrefix(name, "ARGUMENTS["), "]"))
	if err != nil {
		if n = slices.Index(f.Names, name); n < 0 {
			return "", false
		}
	}
	f.used = true
	if n < len(f.words) {
		return f.words[n], true
	}
	return "", true
}

// quotedWords returns the words of a text; quotes keep words together.
func quotedWords(text string) (words []string) {
	var b strings.Builder
	quote, begun := rune(0), false
	for _, r := range text {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && (r == '"' || r == '\'') && !begun:
			quote, begun = r, true
		case quote == 0 && (r == ' ' || r == '\t' || r == '\n'):
			if begun {
				words = append(words, b.String())
			}
			b.Reset()
			begun = false
		default:
			b.WriteRune(r)
			begun = true
		}
	}
	if begun {
		words = append(words, b.String())
	}
	return words
}

// mentioned finds @path in a text.
var mentioned = lazy.Value[*regexp.Regexp]{Make: func() *regexp.Regexp {
	return regexp.MustCompile(`(?:^|[\s(])@([A-Za-z0-9_.~/-]*[A-Za-z0-9_/-])`)
}}

// mostMentioned bounds the files of a text that are attached.
const mostMentioned = 20

// Mentioned returns the files that a text mentions as @path, as blocks that follow the text. Files outside of the folder
// root, once links are resolved, are not attached, and neither are those that mayRead gives a reason against; omitted says
// which. What is no file of the folder is no mention.
func (d Disk) Mentioned(text, root string, mayRead func(path string) (why string)) (blocks, omitted []string) {
	seen := map[string]bool{}
	for _, m := range mentioned.Get().FindAllStringSubmatch(text, -1) {
		name := m[1]
		if seen[name] || len(seen) >= mostMentioned {
			continue
		}
		seen[name] = true
		path := name
		if !filepath.IsAbs(path) {
			path = filepath.Join(root, filepath.FromSlash(name))
		}
		info, err := d.stat(path)
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		c, err := d.readText(path, root, maxAttached)
		why := ""
		if err != nil {
			why = reason(err)
		} else {
			why = mayRead(path)
		}
		if why != "" {
			omitted = append(omitted, "@"+oneLine(name, maxLine)+" ("+oneLine(why, 4*maxLine)+")")
			continue
		}
		blocks = append(blocks, textBlock(name, "text/plain", []byte(c.text)))
	}
	return blocks, omitted
}
