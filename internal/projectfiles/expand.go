package projectfiles

import (
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Bounds of reading a text as commands: its bytes, how deep commands are in the words of others, the files that one
// pattern stands for, and the names that are compared with patterns.
const mostText, mostDepth, mostMatches, mostCompared = 16 << 10, 3, 100, 10_000

// ownFolder are variables that lead to the folder of a project; elsewhere are those that lead out of it, and those whose
// value names no file.
var (
	ownFolder = []string{"CLAUDE_PROJECT_DIR", "PWD"}
	elsewhere = []string{"HOME", "TMPDIR", "?", "#", "$", "!"}
)

// saying are commands whose words are text.
var saying = []string{"echo", "printf", "test", "[", "export", "return", "exit"}

// shell looks at the words of a text as a shell makes them of it: without quotes, with the variables that are known, and
// with the files that patterns stand for. What is no command is read up to its first error.
func (s *scripts) shell(text string, depth int) {
	if len(text) > mostText {
		s.unknown = append(s.unknown, "a command of more than 16 KiB")
		return
	}
	for stmt, err := range syntax.NewParser(syntax.Variant(syntax.LangBash)).StmtsSeq(strings.NewReader(text)) {
		if err != nil {
			return
		}
		syntax.Walk(stmt, func(node syntax.Node) bool {
			switch n := node.(type) {
			case *syntax.Redirect:
				return n.Op == syntax.RdrIn || n.Hdoc != nil || n.Op == syntax.WordHdoc
			case *syntax.CallExpr:
				return s.call(n, depth)
			case *syntax.Word:
				s.expand(n, depth, false)
			}
			return true
		})
	}
}

// call looks at a command. Its result says whether to look inside.
func (s *scripts) call(c *syntax.CallExpr, depth int) bool {
	if len(c.Args) == 0 {
		return true
	}
	program := c.Args[0].Lit()
	if program == "tee" {
		return false
	}
	for _, arg := range c.Args {
		s.expand(arg, depth, !slices.Contains(saying, program))
	}
	return true
}

// expand looks at one word. names says that it may name a file.
func (s *scripts) expand(word *syntax.Word, depth int, names bool) {
	split := *word // a walk does not know the parts that a split makes
	syntax.SplitBraces(&split)
	w := expanding{folder: s.folder}
	w.parts(split.Parts, false)
	switch {
	case len(w.pattern) > longestWord && w.varies:
	case w.varies && strings.Trim(w.pattern, "*/.-") != "":
		s.matches(w.pattern)
	case w.varies:
	case strings.ContainsAny(w.text, " \t\n'\"") && depth < mostDepth:
		s.shell(w.text, depth+1)
	default:
		s.add(w.text)
	}
	if w.unknown && names {
		var b strings.Builder
		if syntax.NewPrinter().Print(&b, word) == nil {
			s.unknown = append(s.unknown, b.String())
		}
	}
}

// expanding is a word while it is put together.
type expanding struct {
	folder        string
	text, pattern string // as it is, and as [path.Match] takes it
	varies        bool   // it is a pattern
	unknown       bool   // a part of it cannot be known
}

func (w *expanding) literal(text string) {
	w.text += text
	for _, r := range text {
		if strings.ContainsRune(`*?[\`, r) {
			w.pattern += `\`
		}
		w.pattern += string(r)
	}
}

func (w *expanding) anything(unknown bool) {
	w.pattern += "*"
	w.varies, w.unknown = true, w.unknown || unknown
}

func (w *expanding) parts(parts []syntax.WordPart, quoted bool) {
	for _, part := range parts {
		switch p := part.(type) {
		case *syntax.Lit:
			w.lit(p.Value, quoted)
		case *syntax.SglQuoted:
			if p.Dollar && strings.Contains(p.Value, `\`) {
				w.anything(true)
			} else {
				w.literal(p.Value)
			}
		case *syntax.DblQuoted:
			w.parts(p.Parts, true)
		case *syntax.ParamExp:
			w.variable(p)
		case *syntax.BraceExp, *syntax.ExtGlob:
			w.anything(false)
		default:
			w.anything(true)
		}
	}
}

func (w *expanding) lit(text string, quoted bool) {
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && i+1 < len(text) && (!quoted || strings.IndexByte("$`\"\\\n", text[i+1]) >= 0):
			i++
			if text[i] != '\n' {
				w.literal(text[i : i+1])
			}
		case !quoted && strings.IndexByte("*?[]", c) >= 0:
			w.varies = true
			w.text, w.pattern = w.text+text[i:i+1], w.pattern+text[i:i+1]
		default:
			w.text += text[i : i+1]
			if strings.IndexByte(`*?[\`, c) >= 0 {
				w.pattern += `\`
			}
			w.pattern += text[i : i+1]
		}
	}
}

// variable puts the value of a variable in: of those that lead to the folder, and otherwise what stands in the word for
// the case that it has none.
func (w *expanding) variable(p *syntax.ParamExp) {
	name := ""
	if p.Param != nil {
		name = p.Param.Value
	}
	plain := !p.Excl && !p.Length && p.Index == nil && p.Slice == nil && p.Repl == nil
	byDefault := plain && p.Exp != nil && slices.Contains([]syntax.ParExpOperator{
		syntax.DefaultUnset, syntax.DefaultUnsetOrNull, syntax.AssignUnset, syntax.AssignUnsetOrNull,
	}, p.Exp.Op)
	switch {
	case slices.Contains(ownFolder, name) && (byDefault || plain && p.Exp == nil):
		w.literal(w.folder)
	case byDefault && p.Exp.Word != nil:
		w.parts(p.Exp.Word.Parts, true)
		w.unknown = true
	default:
		w.anything(!slices.Contains(elsewhere, name))
	}
}

// matches adds the files that a pattern stands for.
func (s *scripts) matches(pattern string) {
	for _, base := range slices.Clone(s.bases) {
		at, rest := []string{base}, pattern
		if below, ok := strings.CutPrefix(filepath.ToSlash(pattern), filepath.ToSlash(s.folder)+"/"); ok {
			at, rest = []string{s.folder}, below
		} else if path.IsAbs(pattern) {
			return
		}
		for part := range strings.SplitSeq(rest, "/") {
			at = s.step(at, part)
		}
		for _, file := range at {
			s.add(file)
		}
	}
}

// step returns what one part of a pattern stands for in some folders.
func (s *scripts) step(folders []string, part string) (next []string) {
	for _, folder := range folders {
		if !strings.ContainsAny(part, `*?[\`) {
			next = append(next, filepath.Join(folder, part))
			continue
		}
		entries, err := s.disk.ReadDir(folder)
		if err != nil {
			continue
		}
		for _, e := range entries {
			s.compared++
			if s.compared > mostCompared || len(next) >= mostMatches {
				s.unknown = append(s.unknown, "more files than can be looked at, by a pattern")
				return next
			}
			if matched(part, e) {
				next = append(next, filepath.Join(folder, e.Name()))
			}
		}
	}
	return next
}

func matched(part string, e fs.DirEntry) bool {
	ok, err := path.Match(part, e.Name())
	return err == nil && ok && (strings.HasPrefix(part, ".") || !strings.HasPrefix(e.Name(), "."))
}
