package code

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/tui/row"
)

// marks are how the tests write roles: k(func) is a keyword.
var marks = map[row.Style]string{
	row.Keyword: "k", row.String: "s", row.Comment: "c", row.Number: "n", row.Name: "f", row.Heading: "h", row.Quote: "q",
	row.Code: "v", row.Added: "a", row.Removed: "r", row.Hunk: "p",
}

func marked(name, text string) string {
	var b strings.Builder
	s := Named(name).Scanner()
	for i, line := range strings.Split(text, "\n") {
		if i > 0 {
			b.WriteString("\n")
		}
		for _, span := range s.Line(line) {
			if m := marks[span.Style]; m != "" {
				b.WriteString(m + "⟨" + span.Text + "⟩")
			} else {
				b.WriteString(span.Text)
			}
		}
	}
	return b.String()
}

func TestLanguages(t *testing.T) {
	for _, tc := range []struct{ name, text, want string }{
		{"go", "func f(a int) { return 0x1F + 1.5e-3 } // x", "k⟨func⟩ f⟨f⟩(a k⟨int⟩) { k⟨return⟩ n⟨0x1F⟩ + n⟨1.5e-3⟩ } c⟨// x⟩"},
		{"go", "x := `raw\nstill \\` + \"a\\\"b\" /* c\nd */ y", "x := s⟨`raw⟩\ns⟨still \\`⟩ + s⟨\"a\\\"b\"⟩ c⟨/* c⟩\nc⟨d */⟩ y"},
		{"python", "def f():\n  '''doc\n  end''' # c\n  return None", "k⟨def⟩ f⟨f⟩():\n  s⟨'''doc⟩\ns⟨  end'''⟩ c⟨# c⟩\n  k⟨return⟩ n⟨None⟩"},
		{"TS", "const a = `x ${1}\n`; let $b: string", "k⟨const⟩ a = s⟨`x ${1}⟩\ns⟨`⟩; k⟨let⟩ $b: k⟨string⟩"},
		{"rust", "/* a /* b */ c */ let s: &'a str = r#\"x\"y\"#; '\"'", "c⟨/* a /* b */ c */⟩ k⟨let⟩ s: &'a k⟨str⟩ = s⟨r#\"x\"y\"#⟩; s⟨'\"'⟩"},
		{"c++", "#include <x>\nint a = R\"(b\"c)\";", "k⟨#include⟩ <x>\nk⟨int⟩ a = s⟨R\"(b\"c)\"⟩;"},
		{"sh", "if [ -n \"$a\" ]; then x=${#a} # c\nfi", "k⟨if⟩ [ -n s⟨\"$a\"⟩ ]; k⟨then⟩ x=${#a} c⟨# c⟩\nk⟨fi⟩"},
		{"sql", "Select 'it''s' FROM t -- x", "k⟨Select⟩ s⟨'it''s'⟩ k⟨FROM⟩ t c⟨-- x⟩"},
		{"json", `{"a": "b", "c": [1, true]}`, `{f⟨"a"⟩: s⟨"b"⟩, f⟨"c"⟩: [n⟨1⟩, n⟨true⟩]}`},
		{"yaml", "key: 'v' # c\n- a.b: yes", "f⟨key⟩: s⟨'v'⟩ c⟨# c⟩\n- f⟨a.b⟩: n⟨yes⟩"},
		{"toml", "[x]\na-b = \"c\"", "[x]\nf⟨a-b⟩ = s⟨\"c\"⟩"},
		{"html", "<!-- a\nb --><a href=\"x\">t</a>", "c⟨<!-- a⟩\nc⟨b -->⟩k⟨<a⟩ f⟨href⟩=s⟨\"x\"⟩k⟨>⟩tk⟨</a>⟩"},
		{"css", "@media { a { color: #fff; /* x */ } }", "k⟨@media⟩ { a { f⟨color⟩: #fff; c⟨/* x */⟩ } }"},
		{"lua", "--[[ a\nb ]] local x = nil", "c⟨--[[ a⟩\nc⟨b ]]⟩ k⟨local⟩ x = n⟨nil⟩"},
		{"haskell", "{- a {- b -} -} f x = case x of", "c⟨{- a {- b -} -}⟩ f x = k⟨case⟩ x k⟨of⟩"},
		{"dockerfile", "FROM golang:1 # x", "k⟨FROM⟩ golang:n⟨1⟩ c⟨# x⟩"},
		{"diff", "@@ -1 +1 @@\n-a\n+b\n c", "p⟨@@ -1 +1 @@⟩\nr⟨-a⟩\na⟨+b⟩\n c"},
		{"markdown", "# a\n> b\n```\nc\n```\n- d", "h⟨# a⟩\nq⟨> b⟩\nc⟨```⟩\nv⟨c⟩\nc⟨```⟩\nk⟨-⟩ d"},
		{"nothing known", "func \"a\" // b", "func \"a\" // b"},
	} {
		if got := marked(tc.name, tc.text); got != tc.want {
			t.Errorf("%s:\n%s\nwant:\n%s", tc.name, got, tc.want)
		}
	}
}

// A string that cannot go on over lines ends with its line, even without its mark.
func TestAnOpenStringEndsWithItsLine(t *testing.T) {
	if got, want := marked("go", "\"a\nfunc"), "s⟨\"a⟩\nk⟨func⟩"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestNames(t *testing.T) {
	for file, want := range map[string]string{
		"main.go": "go", "a/b/C.PY": "python", `src\x.tsx`: "js", "Dockerfile": "dockerfile", "Makefile": "make", ".bashrc": "sh", "x.unknown": "", "noext": "", "": "",
		"app.component.html": "html", "go.mod": "go", "Cargo.toml": "toml",
	} {
		if got := OfFile(file).Name(); got != want {
			t.Errorf("%s is %q, want %q", file, got, want)
		}
	}
	if got := Named(" C# ").Name(); got != "csharp" {
		t.Errorf("C# is %q", got)
	}
	seen := map[string]string{}
	for _, l := range languages.Get() {
		for name := range strings.FieldsSeq(l.names) {
			if seen[name] != "" {
				t.Errorf("%s names %s and %s", name, seen[name], l.Name())
			}
			seen[name] = l.Name()
		}
	}
}

func TestExpand(t *testing.T) {
	for in, want := range map[string]string{"\ta": "    a", "a\tb": "a   b", "漢\tb": "漢  b", "abcd\te": "abcd    e", "x": "x"} {
		if got := Expand(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

// A copy of a scanner goes on from the same line.
func TestAScannerIsAValue(t *testing.T) {
	s := Named("go").Scanner()
	s.Line("/* a")
	copied := s
	s.Line("*/ b")
	if diff := cmp.Diff(row.Of("c", row.Comment), copied.Line("c")); diff != "" {
		t.Error("-want +got:\n" + diff)
	}
}

func FuzzLine(f *testing.F) {
	for _, l := range languages.Get() {
		f.Add(l.Name(), "a \"b\\\" 'c' /* d -- <e f='g'> # h\n*/ `i` {- j -} r#\"k\"# 0x1e+5 1.5e-3 l: m =")
	}
	f.Fuzz(func(t *testing.T, name, text string) {
		s := Named(name).Scanner()
		for line := range strings.SplitSeq(text, "\n") {
			r := s.Line(line)
			if r.String() != line {
				t.Fatalf("%q became %q", line, r)
			}
			for _, span := range r {
				if span.Text == "" {
					t.Fatalf("an empty piece in %q", r)
				}
			}
		}
	})
}

func BenchmarkLine(b *testing.B) {
	text := `	if err := run(ctx, "step 3", 0x1f); err != nil { // try it
		return fmt.Errorf("run %s: %w", name, err)
	}
	for i := range 100 { values = append(values, i*2) }`
	lines := strings.Split(text, "\n")
	for _, name := range []string{"go", "python", "json", "html", "sql"} {
		b.Run(name, func(b *testing.B) {
			s := Named(name).Scanner()
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				for _, l := range lines {
					s.Line(l)
				}
			}
		})
	}
}
