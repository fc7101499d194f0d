package effects

import (
	"math/rand/v2"
	"strings"
)

// grown builds a line out of fragments, as data says: it repeats, nests, quotes and doubles
// them. Random bytes nearly always give a line that bash can parse in part, and one of
// [maxText] bytes for one byte in 32 at the beginning of data.
func grown(data []byte) string {
	g := &grower{data: data}
	most := maxText >> min(g.next()%32, 10)
	line := ""
	for len(g.data) > 0 && len(line) < most {
		line += g.part(0)
		if g.next()%4 == 0 {
			line += pick(separators, g.next())
		}
	}
	return line[:min(len(line), most)]
}

// grower takes its decisions from data, byte by byte.
type grower struct{ data []byte }

func (g *grower) next() int {
	if len(g.data) == 0 {
		return 0
	}
	c := g.data[0]
	g.data = g.data[1:]
	return int(c)
}

// times returns how often something is repeated: mostly a few times, and up to 2^15.
func (g *grower) times() int { return 1<<(g.next()%16) - g.next()%2 }

func (g *grower) part(depth int) string {
	if depth > 6 || len(g.data) == 0 {
		return pick(grownParts, g.next())
	}
	switch g.next() % 12 {
	case 0, 1:
		return repeated(g.part(depth+1), g.times())
	case 2:
		inner := g.part(depth + 1)
		return repeated(inner+pick(separators, g.next()), g.times())
	case 3, 4:
		open, end, _ := strings.Cut(pick(nests, g.next()), "…")
		n := g.times()
		return repeated(open, n) + g.part(depth+1) + repeated(end, n)
	case 5:
		return "bash -c '" + strings.ReplaceAll(g.part(depth+1), "'", `'\''`) + "'"
	case 6: // a value that doubles
		step := pick([]string{"a=$a$a;", "a=$a$a$a$a\n", "a+=$a;", "a=\"$a$b\";b=\"$b$a\";", "a={$a,$a};", "a=($a $a);"}, g.next())
		return pick([]string{"a=x;", "a=$HOME;", "a=*;", "for a in x y; do "}, g.next()) + repeated(step, g.next()%64) + pick([]string{"echo $a", "cat $a $a", "$a", "done", "rm \"$a\""}, g.next())
	case 7: // loops around a part
		n := g.next() % 6
		return repeated("for a in "+repeated("x ", 1+g.next()%20)+";do ", n) + g.part(depth+1) + repeated("\ndone", n)
	case 8:
		return pick(grownPrograms, g.next()) + " " + repeated(pick(grownArguments, g.next())+" ", g.times())
	case 9:
		return pick(grownPrograms, g.next()) + " " + repeated(pick(grownArguments, g.next()), g.times()) + " " + pick(grownArguments, g.next())
	case 10:
		quote := pick([]string{"'", `"`, "", "$'"}, g.next())
		return pick(grownPrograms, g.next()) + " " + quote + repeated(pick(grownArguments, g.next()), g.times()) + strings.TrimPrefix(quote, "$")
	}
	return g.part(depth+1) + pick(separators, g.next()) + g.part(depth+1)
}

// repeated repeats a text, up to a bit more than the longest line.
func repeated(text string, n int) string {
	if text == "" {
		return ""
	}
	return strings.Repeat(text, min(n, 1+maxText/len(text)))
}

func pick(list []string, n int) string { return list[n%len(list)] }

var (
	separators = []string{" ", ";", "\n", " && ", " || ", " | ", " & ", "", ",", "/", " > ", "; "}
	nests      = []string{
		"(…)", "$(…)", "\"$(…)\"", "`…`", "{ …;}", "if a;then …;fi", "while a;do …\ndone", "case a in a)…;;esac", "[[ (… ]]", "$((…))", "((…))", "${a:-…}", "${a/…}",
		"<(…)", "a=(…)", "f(){ …;}", "bash -c \"…\"", "[[ a && …", "! …", "time …", "timeout 1 …", "nice …", "env …", "sudo …", "find . -exec …;", "xargs …", "eval \"…\"", "a[…]",
		"{a,…}", "npx …", "docker run a …", "coproc …", "until …;do a;done", "git -c a=…", "a && …", "a | …", "a || …", "…;a", "$[…]", "select a in b;do …\ndone", "<<a;…\na\n",
	}
	grownParts = []string{
		"a", "echo a", "ls", "cat b", "a=b", "$a", "\"$a\"", "${a}", "${a//x/yyyy}", "${#a}", "${a:1:2}", "${!a}", "{a,b}", "{1..99}", "{1..999999999}", "{a,b}{c,d}", "1<<999999", "$((1<<999999))",
		"printf %1000000000s", "seq 1 1000000000", "a[999999999]=1", "a=(1 2 3)", "<<a\nb $c\na\n", "<<'a'\nb\na\n", "<<<$a", ">a", "2>&1", "<a", "&>b", "*", "?", "[a-z]", "**/*", "big/*", "*/*/*", "many/*/*",
		"loop/loop/x", "link/../link/../x", "../../..", "/etc/passwd", "~/x", "file:///etc/x", "https://a.example/b", "cd a", "cd ..", "cd -", "read a", "export A=b", "alias a=b", "f(){ f; }", "f", "let a=1", "((a++))",
		"[[ -f a ]]", "[[ a =~ (a|b)* ]]", "[ -n \"$a\" ]", "# a\n", "sed s/a/b/", "awk '{print $1}'", "jq .a", "git status", "git log -p", "go list ./...", "find . -name a", "\\\n", "\\a", "'a'", "''", "\"\"",
		"for a in b c;do cat $a;done", "while read a;do echo $a;done", "true", "!", "&", "(", ")", "$(", "`", "{", "}", "'", "\"", "\u00e9", "\t", "if", "fi", "do", "done", "esac",
	}
	grownPrograms = []string{
		"ls", "cat", "echo", "printf", "grep", "rg", "sed", "awk", "jq", "find", "xargs", "git", "git log", "git -C", "go list -f", "tar", "rsync", "curl", "wget", "make", "npm run", "npx", "docker run", "bash -c", "python3 -c",
		"perl -e", "rm", "cp", "mv", "tee", "cd", "env", "sudo", "timeout 5", "nice -n 3", "ssh", "find . -type f -exec cat", "find a b c -type f -exec grep x", "parallel", "test", "[", "command", "read", "export", "diff", "x", "gcc", "tox", "uvx",
		"nix-shell", "sort", "date", "head", "tail", "hatch run", "git-push", "php -r", "cmd /c", "pwsh -c",
	}
	grownArguments = []string{
		"a", "-a", "aaaaaaaa", "--a", "--all", "--a=b", ",/", ",", "=", ":", "../", "..", "/", "a/", "./", "@", ";", "<", "\\\"", "{}", "{} +", "\\;", "-exec", "-exec x", "-exec find", "-exec x \\;", "*", "a*", "*/", "[", "[[:a", "#", "#\n", "(", "[.", "{", "def a:",
		"def a: a; a", "a;", "s/a/b/;", "/a/,/b/p;", "{p", "$1", "\\(", "\\\\(", "\"\\(", "http://a", "//", "file:/", "{{.A}}", "{{if", "%s", "%n", "%*.*n", "/inet/tcp/", "~", "-", "--", "=/", "=..", "a=b", "A=/b", "$a", "$HOME", "\"$a\"", "''", "{a,b}", "{1..99}", "big/*", "*/*/*",
		"many/*/*", "loop/", "link/", "link/../", ".git", "sub", "-I{}", "-0", "-n", "-e", "-f", "-C", "-c a=b", "-o", "!", "-type f", "-print0", "\u00e9", "x ", "|", "a:b", "host:a", "-P", "-T",
	}
)

// someData returns bytes for [grown].
func someData(rng *rand.Rand) []byte {
	data := make([]byte, 4+rng.IntN(60))
	for i := range data {
		data[i] = byte(rng.Uint32())
	}
	return data
}
