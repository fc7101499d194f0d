package tool_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/tool"
)

// searched is a small repository with everything a search can trip over.
func searched(t *testing.T) place {
	p := newPlace(t, map[string]string{
		".git/config": "needle", ".gitignore": "*.log\n/build/\n!keep.log\n", "a.go": "package a\n\nfunc needle() {\n\tneedle()\n}\n",
		"a/b.go": "// Needle\n", "a-b.go": "needle", "keep.log": "needle\n", "drop.log": "needle\n", "build/out.txt": "needle\n",
		".github/ci.yml": "run: needle\n", "sub/.gitignore": "local.txt\n", "sub/local.txt": "needle\n", "sub/deep/er/local.txt": "needle\n", "sub/build/x.txt": "needle\n",
		"crlf.txt": "one\r\nneedle\r\nthree\r\n", "binary": "needle\x00needle\n", "empty": "", "bad.txt": "caf\xe9 needle\n",
		"spaces and ünicode.txt": "a needle\n", "lines.txt": "1\n2\nneedle 3\n4\n5\n6\nneedle 7\nneedle 8\n9\n",
		"words.txt": "needles\nneedle's\n\nend", "dot.txt": "a.b\naxb\n", "greek.txt": "λ\n",
	})
	for i := range 150 { // more than one batch
		put(t, filepath.Join(p.cwd, fmt.Sprintf("many/%03d.txt", i)), fmt.Sprintf("file %d\n", i), false)
	}
	return p
}

var searches = []struct{ name, args, want string }{
	{"files, the mode that is assumed", `{"pattern":"needle"}`, "./.github/ci.yml\n./a-b.go\n./a.go\n./bad.txt\n./crlf.txt\n./keep.log\n./lines.txt\n./spaces and ünicode.txt\n./sub/build/x.txt\n./words.txt"},
	{"the order is that of the paths", `{"pattern":"(?i)needle","glob":"*.go"}`, "./a-b.go\n./a.go\n./a/b.go"},
	{"lines", `{"pattern":"needle","output_mode":"content","path":"a.go"}`, "a.go:3:func needle() {\na.go:4:\tneedle()"},
	{"lines without numbers", `{"pattern":"needle","output_mode":"content","path":"a.go","-n":false}`, "a.go:func needle() {\na.go:\tneedle()"},
	{"lines of a folder", `{"pattern":"needle","output_mode":"content","path":"sub"}`, "sub/build/x.txt:1:needle"},
	{"counts", `{"pattern":"needle","output_mode":"count","type":"go"}`, "./a-b.go:1\n./a.go:2"},
	{"any case", `{"pattern":"NEEDLE","-i":true,"path":"a","output_mode":"content"}`, "a/b.go:1:// Needle"},
	{"after", `{"pattern":"needle","output_mode":"content","path":"lines.txt","-A":1}`, "lines.txt:3:needle 3\nlines.txt-4-4\n--\nlines.txt:7:needle 7\nlines.txt:8:needle 8\nlines.txt-9-9"},
	{"before", `{"pattern":"needle","output_mode":"content","path":"lines.txt","-B":1}`, "lines.txt-2-2\nlines.txt:3:needle 3\n--\nlines.txt-6-6\nlines.txt:7:needle 7\nlines.txt:8:needle 8"},
	{"around, which meets", `{"pattern":"needle","output_mode":"content","path":"lines.txt","-C":2}`, "lines.txt-1-1\nlines.txt-2-2\nlines.txt:3:needle 3\nlines.txt-4-4\nlines.txt-5-5\nlines.txt-6-6\nlines.txt:7:needle 7\nlines.txt:8:needle 8\nlines.txt-9-9"},
	{"around, at the ends and over files", `{"pattern":"^(one|three|end)$","output_mode":"content","glob":"{crlf,words}.txt","-C":1}`, "./crlf.txt:1:one\n./crlf.txt-2-needle\n./crlf.txt:3:three\n--\n./words.txt-3-\n./words.txt:4:end"},
	{"around, at the first line of the next file", `{"pattern":"^(one|1)$","output_mode":"content","glob":"{crlf,lines}.txt","-A":1}`, "./crlf.txt:1:one\n./crlf.txt-2-needle\n--\n./lines.txt:1:1\n./lines.txt-2-2"},
	{"Windows line ends", `{"pattern":"needle$","output_mode":"content","path":"crlf.txt"}`, "crlf.txt:2:needle"},
	{"Windows line ends in a folder", `{"pattern":"^needle$","glob":"crlf.*"}`, "./crlf.txt"},
	{"whole words", `{"pattern":"\\bneedle\\b","output_mode":"content","glob":"words.txt"}`, "./words.txt:2:needle's"},
	{"whole words among many", `{"pattern":"\\bfile 14\\b"}`, "./many/014.txt"},
	{"no whole words", `{"pattern":"needle\\B","output_mode":"content"}`, "./words.txt:1:needles"},
	{"empty lines", `{"pattern":"^$","output_mode":"content"}`, "./a.go:2:\n./words.txt:3:"},
	{"the ends of text are those of lines", `{"pattern":"\\Afile 7\\z"}`, "./many/007.txt"},
	{"classes do not leave the line", `{"pattern":"2\\sneedle|2[^x]needle|2.needle|(?s:2.needle)"}`, "No matches found."},
	{"a literal dot", `{"pattern":"a\\.b","output_mode":"content"}`, "./dot.txt:1:a.b"},
	{"letters of other scripts", `{"pattern":"\\p{Greek}"}`, "./greek.txt"},
	{"a byte that is not UTF-8", `{"pattern":"needle","output_mode":"content","path":"bad.txt"}`, "bad.txt:1:caf\ufffd needle"},
	{"over lines", `{"pattern":"one.needle","multiline":true,"output_mode":"content"}`, "./crlf.txt:1:one\n./crlf.txt:2:needle"},
	{"over lines, from the start", `{"pattern":"\\A1\\n2","multiline":true,"output_mode":"content","path":"lines.txt"}`, "lines.txt:1:1\nlines.txt:2:2"},
	{"over lines, counted", `{"pattern":"2\\nneedle","multiline":true,"output_mode":"count"}`, "./lines.txt:2"},
	{"a line end without multiline", `{"pattern":"a\\nb"}`, "the pattern holds a line end, which never matches within a line; set multiline to true"},
	{"a path below", `{"pattern":"needle","glob":"sub/**/*.txt"}`, "./sub/build/x.txt"},
	{"all but", `{"pattern":"needle","glob":"!*.{txt,go,yml}"}`, "./keep.log"},
	{"a type", `{"pattern":"needle","type":"yaml"}`, "./.github/ci.yml"},
	{"an ignored file by name", `{"pattern":"needle","path":"drop.log"}`, "drop.log"},
	{"an ignored folder by name", `{"pattern":"needle","path":"build"}`, "build/out.txt"},
	{"rules from above", `{"pattern":"needle","path":"./sub/","glob":"*.txt"}`, "sub/build/x.txt"},
	{"rules from between", `{"pattern":"needle","path":"sub/deep/er"}`, "No matches found."},
	{"an absolute path", `{"pattern":"needle","path":"${workdir}/sub"}`, "${workdir}/sub/build/x.txt"},
	{"a limit", `{"pattern":"needle","head_limit":2}`, "./.github/ci.yml\n./a-b.go\n[Only the first 2 lines are shown. Use path, glob or type, or a narrower pattern.]"},
	{"as much as the limit", `{"pattern":"needle","path":"a.go","output_mode":"content","head_limit":2}`, "a.go:3:func needle() {\na.go:4:\tneedle()"},
	{"nothing", `{"pattern":"haystack"}`, "No matches found."},
	{"a binary file by name", `{"pattern":"needle","path":"binary"}`, "${workdir}/binary: it is a binary file, which grep does not search; a shell command such as strings can"},
	{"a missing path", `{"pattern":"x","path":"none"}`, "Path ${workdir}/none does not exist. Please provide a valid path."},
	{"a bad pattern", `{"pattern":"a(b"}`, "the pattern is not a regular expression of RE2 syntax: error parsing regexp: missing closing ): `a(b`. Put a backslash before ( ) [ ] { } . * + ? that you mean literally"},
	{"a bad glob", `{"pattern":"a","glob":"[a"}`, `glob "[a" is not valid: a bracket or brace is not closed, or it ends in a backslash`},
	{"a negative number", `{"pattern":"a","-A":-1}`, "-A, -B, -C and head_limit cannot be negative"},
}

// The answers are the same with ripgrep and without it.
func TestGrep(t *testing.T) {
	p := searched(t)
	paths := map[string]string{"without rg": ""}
	if rg, err := exec.LookPath("rg"); err == nil {
		paths["with rg"] = filepath.Dir(rg)
	} else {
		t.Log("rg is not on the PATH: only the search without it is tried")
	}
	for with, path := range paths {
		t.Run(with, func(t *testing.T) {
			t.Setenv("PATH", path)
			for _, tc := range searches {
				r := p.run(t, "grep", tc.args)
				if got := p.out(r.Text); got != tc.want {
					t.Errorf("%s: grep %s\n%s\nwant\n%s", tc.name, tc.args, got, tc.want)
				}
			}
		})
	}
}

// fakeRipgrep puts a program rg on the PATH. It keeps its arguments in seen.
func fakeRipgrep(t *testing.T, script string) (seen string) {
	t.Helper()
	dir := t.TempDir()
	seen = filepath.Join(dir, "seen")
	must(t, os.WriteFile(filepath.Join(dir, "rg"), []byte("#!/bin/sh\nprintf '%s\\n' \"$*\" >>"+seen+"\n"+script), 0o755))
	t.Setenv("PATH", dir+":/usr/bin:/bin")
	return seen
}

// The arguments of ripgrep, and the result that its output becomes.
func TestGrepWithRipgrep(t *testing.T) {
	for _, tc := range []struct{ name, script, pattern, want string }{
		{"it names the files that are worth a look", `printf '/dev/fd/4\0'`, "key", "./b.txt"},
		{"but they must match", `printf '/dev/fd/3\0/dev/fd/4\0/dev/fd/5\0'`, "key", "./a.txt\n./b.txt"},
		{"it finds nothing", "exit 1", "key", "No matches found."},
		{"it fails", "echo broken >&2; exit 2", "key", "./a.txt\n./b.txt"},
		{"it dies", "kill -9 $$", "key", "./a.txt\n./b.txt"},
		{"it talks nonsense", `printf '/dev/fd/9999\0x\0/dev/fd/4\0'`, "key", "./b.txt"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := newPlace(t, map[string]string{"a.txt": "key", "b.txt": "a key", "c.txt": "other"})
			seen := fakeRipgrep(t, tc.script)
			if got := p.run(t, "grep", jsonOf(t, map[string]any{"pattern": tc.pattern})).Text; got != tc.want {
				t.Errorf("grep: %s\nwant\n%s", got, tc.want)
			}
			const want = "--no-config --no-messages --files-with-matches --null --text --encoding=none --no-mmap --regexp key -- /dev/fd/3 /dev/fd/4 /dev/fd/5\n"
			if args, err := os.ReadFile(seen); err != nil || string(args) != want {
				t.Errorf("rg %s (%v)\nwant\n%s", args, err, want)
			}
		})
	}
}

// Patterns that ripgrep would read in another way are not given to it.
func TestPatternsForRipgrep(t *testing.T) {
	const odd = `(?-u:[\x80-\xff])`
	for pattern, want := range map[string]string{
		`\bkey\b`: `--regexp (?-u:\b)key(?-u:\b) --`, `\d+`: `--regexp (?:[0-9]|` + odd + `)+ --`, `(?i)k`: `--regexp (?i:K) --`,
		`a.b`: `--regexp (?-s:a(?:.|` + odd + `)b) --`, `a$`: `--regexp (?m:a\r?$) --`, `k\r`: `--regexp k\r --`,
		`\Bkey`: "", "\ue000": "", `\x{e001}`: "", `$b`: "", `b^`: "", `(a$)*`: "", `(^a)*`: "", "\ufffd": "",
	} {
		p := newPlace(t, map[string]string{"a.txt": "", "b.txt": ""})
		seen := fakeRipgrep(t, "exit 1")
		p.run(t, "grep", jsonOf(t, map[string]any{"pattern": pattern}))
		args, _ := os.ReadFile(seen)
		if got := string(args); (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%s: rg %s, want %s", pattern, got, want)
		}
	}
}

func TestGrepBounds(t *testing.T) {
	p := newPlace(t, map[string]string{"long.txt": strings.Repeat("x", 3000) + "\n", "many.txt": strings.Repeat("x\n", 20_000), "wide.txt": strings.Repeat(strings.Repeat("x", 1000)+"\n", 100)})
	must(t, os.WriteFile(filepath.Join(p.cwd, "large.txt"), []byte("x"), 0o644))
	must(t, os.Truncate(filepath.Join(p.cwd, "large.txt"), 16<<20+1))
	for _, tc := range []struct{ args, want string }{
		{`{"pattern":"x","path":"long.txt","output_mode":"content"}`, "long.txt:1:" + strings.Repeat("x", 2000) + " [1000 more bytes in this line]"},
		{`{"pattern":"x","path":"large.txt"}`, "${workdir}/large.txt: it has 16777217 bytes, too many for grep; search it with a shell command"},
		{`{"pattern":"y"}`, "No matches found.\n[1 files of more than 16777216 bytes were not searched.]"},
		{`{"pattern":"x","path":"many.txt","output_mode":"count"}`, "many.txt:20000"},
	} {
		if got := p.out(p.run(t, "grep", tc.args).Text); got != tc.want {
			t.Errorf("grep %s\n%s\nwant\n%s", tc.args, got, tc.want)
		}
	}
	for args, want := range map[string]string{
		`{"pattern":"x","path":"many.txt","output_mode":"content"}`:                      "\n[Only the first 500 lines are shown.",
		`{"pattern":"x","path":"many.txt","output_mode":"content","head_limit":1000000}`: " lines are shown.",
		`{"pattern":"x","path":"wide.txt","output_mode":"content"}`:                      "\n[Only the first 48 lines are shown.",
	} {
		if got := p.run(t, "grep", args).Text; len(got) > tool.SpillLimit || !strings.Contains(got, want) {
			t.Errorf("grep %s: %d bytes, …%s", args, len(got), got[len(got)-150:])
		}
	}
}

func TestGlob(t *testing.T) {
	p := searched(t)
	for _, tc := range []struct{ args, want string }{
		{`{"pattern":"**/*.go"}`, "./a-b.go\n./a.go\n./a/b.go"},
		{`{"pattern":"*.go"}`, "./a-b.go\n./a.go"},
		{`{"pattern":"./*.go"}`, "./a-b.go\n./a.go"},
		{`{"pattern":"{a,sub}/**"}`, "./a/b.go\n./sub/.gitignore\n./sub/build/x.txt"},
		{`{"pattern":"**/*.log"}`, "./keep.log"},
		{`{"pattern":"**/*.yml"}`, "./.github/ci.yml"},
		{`{"pattern":"**/config"}`, "No files found."},
		{`{"pattern":"many/00[0-2].txt"}`, "./many/000.txt\n./many/001.txt\n./many/002.txt"},
		{`{"pattern":"**/*.txt","path":"sub"}`, "sub/build/x.txt"},
		{`{"pattern":"**/*.txt","path":"${workdir}/sub"}`, "${workdir}/sub/build/x.txt"},
		{`{"pattern":"*.txt","path":"build"}`, "build/out.txt"},
		{`{"pattern":"*","path":"a.go"}`, "${workdir}/a.go is not a folder; give the folder to look in as path."},
		{`{"pattern":"*","path":"none"}`, "Path ${workdir}/none does not exist. Please provide a valid path."},
		{`{"pattern":"[a"}`, "The pattern [a is not valid: a bracket or brace is not closed, or it ends in a backslash."},
		{`{"pattern":"/etc/*"}`, "The pattern /etc/* is absolute; give the folder as path and a pattern below it."},
		{`{"pattern":"../*"}`, "The pattern ../* leads out of the folder; give the folder to look in as path."},
	} {
		if got := p.out(p.run(t, "glob", tc.args).Text); got != tc.want {
			t.Errorf("glob %s\n%s\nwant\n%s", tc.args, got, tc.want)
		}
	}
}

func TestGlobIsBounded(t *testing.T) {
	p := newPlace(t, nil)
	for i := range 1001 {
		put(t, filepath.Join(p.cwd, fmt.Sprintf("%04d", i)), "", false)
	}
	got := p.run(t, "glob", `{"pattern":"*"}`).Text
	if !strings.HasPrefix(got, "./0000\n") || !strings.HasSuffix(got, "./0999\n[Only the first 1000 are shown. Search in a folder further down, or with a narrower pattern.]") {
		t.Errorf("…%s", got[len(got)-150:])
	}
}

// However deep folders are, a search comes to an end and says what it left out.
func TestSearchesOfDeepFolders(t *testing.T) {
	p := newPlace(t, map[string]string{strings.Repeat("d/", 100) + "near.txt": "key", strings.Repeat("d/", 101) + "far.txt": "key"})
	const note = "\n[Not all was searched: it is more than 200000 files and folders, or more than 100 folders in one another. Search in a folder further down.]"
	want := "./" + strings.Repeat("d/", 100) + "near.txt" + note
	if got := p.run(t, "grep", `{"pattern":"key"}`).Text; got != want {
		t.Errorf("grep: %s", got)
	}
	if got := p.run(t, "glob", `{"pattern":"**/*.txt"}`).Text; got != want {
		t.Errorf("glob: %s", got)
	}
}

// A search in a folder leaves out the files that a deny rule covers, and says so.
func TestGrepLeavesOutDeniedFiles(t *testing.T) {
	p := newPlace(t, map[string]string{".env": "needle", "a.txt": "needle", "keys/a": "needle", "sub/b.pem": "needle", "sub/B.txt": "needle"})
	c := p.call(t, "grep", `{"pattern":"needle"}`)
	c.Permitted = p.ask(t, "grep", `{"pattern":"needle"}`)
	c.Permitted.Denied = []string{c.Permitted.Path.Real + "/.ENV", c.Permitted.Path.Real + "/keys/**", c.Permitted.Path.Real + "/**/*.pem"}
	want := "./a.txt\n./sub/B.txt\n[3 files were not searched, because a deny rule covers them.]"
	if got := p.tool(t, "grep").Run(t.Context(), c).Text; strings.TrimSpace(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
