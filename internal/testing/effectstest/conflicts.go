package effectstest

const (
	lastMode    = "man xz: of several modes, the last one counts"
	unzipDashes = "Info-ZIP getopts: -- and - negate options, and options may follow operands"
	manyMatches = "bash manual, Filename Expansion: a pattern becomes as many words as it has matches"
)

// conflicts: options that undo each other, and patterns that become several operands.
var conflicts = []Trick{
	{"xz -t -d a.xz", lastMode},
	{"xz -l -d a.xz", lastMode},
	{"xz --test --decompress a.xz", lastMode},
	{"xz -td a.xz", lastMode},
	{"gzip -t -d a.gz", lastMode},
	{"gzip -ld a.gz", lastMode},
	{"unzip -l -- -lo a.zip", unzipDashes},
	{"unzip -p -- -pd zz", unzipDashes},
	{"unzip -l a.zip -l", unzipDashes},
	{"unzip -- -l a.zip", unzipDashes},
	{"zipinfo -- -1 a.zip", unzipDashes},
	{"uniq u*", manyMatches},
	{"uniq -- u*", manyMatches},
	{"uniq -f u*", manyMatches},
	{"xxd x*", manyMatches},
	{"xxd -l x*", manyMatches},
	{"git branch --sort *", manyMatches},
	{"git config --get user.n*", manyMatches},
	{"date -d s*", manyMatches},
}
