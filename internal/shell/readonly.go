package shell

import (
	"slices"
	"strings"
)

// readers is every program that is known to change nothing, with the arguments for
// which that is so. An option is listed only if its manual says that it neither writes
// nor runs anything; those that follow links out of a folder (grep -R, find -L) are not.
// Sources: the manual pages of GNU coreutils 9, grep 3, findutils 4, sed 4, diffutils 3,
// ripgrep 14, jq 1.7, git 2.4x, go 1.26.
var readers = map[string]reads{
	"cd":    {options: "", most: 1},
	"true":  {literal: true, text: -1, harmless: true},
	"false": {literal: true, text: -1, harmless: true},
	":":     {literal: true, text: -1, harmless: true},
	"exit":  {none: false, text: -1, most: 1},
	"echo":  {literal: true, text: -1, harmless: true},
	"pwd":   {options: "-P -L", none: true},
	"sleep": {text: -1},

	"printf": {text: -1, plain: printfPlain},
	"seq":    {options: "-w -s: -f:", text: -1},
	"test":   {literal: true},
	"[":      {literal: true},

	"ls": {harmless: true, options: `-a -A -l -h -1 -t -r -S -d -R -F -p -i -s -n -g -G -o -m -x -C -c -u -U -X -v -k -b -q -Q -N -B --all
		--almost-all --human-readable --recursive --reverse --size --directory --classify? --color? --time-style: --sort: --time:
		--group-directories-first --full-time --inode -I: --ignore: --format: --numeric-uid-gid --no-group --si -w: -T:`},
	"cat":  {harmless: true, options: "-n -b -A -E -T -s -v -e -t -u --number --show-all --number-nonblank --squeeze-blank"},
	"nl":   {harmless: true, options: "-b: -n: -w: -s: -v: -i: -h: -f: -d: -l: -p"},
	"tac":  {harmless: true},
	"rev":  {harmless: true},
	"head": {harmless: true, options: "-# -n: -c: -q -v -z --lines: --bytes: --quiet --verbose"},
	"tail": {harmless: true, options: "-# -n: -c: -q -v -z --lines: --bytes: --quiet --verbose"},
	"wc":   {harmless: true, options: "-l -w -c -m -L --lines --words --bytes --chars --max-line-length"},
	"stat": {harmless: true, options: "-c: -t --format: --printf: --terse -f --file-system"},
	"file": {options: "-b -i -L -h -k --brief --mime --mime-type --mime-encoding"},
	"du":   {harmless: true, options: "-s -h -a -c -d: -k -m -b -x -S --max-depth: --summarize --human-readable --all --total --apparent-size --exclude: --time"},
	"df":   {options: "-h -k -T -i --human-readable --total"},
	"tree": {options: "-a -d -L: -I: -P: -f -i -h -s -D -F -p -u -g -C -n --noreport --dirsfirst --gitignore --prune --du -J -X --filelimit: --charset:"},

	"basename": {options: "-a -s: -z", text: -1}, "dirname": {options: "-z", text: -1},
	"realpath": {options: "-e -m -s -z -q --relative-to/ --relative-base/"}, "readlink": {options: "-f -e -m -n"},

	"grep": grep, "egrep": grep, "fgrep": grep,
	"rg": {text: 1, instead: []string{"-e", "--regexp", "--files", "--type-list"}, options: `-i -S -s -n -N -l -c -v -w -x -o -q -F -U -P -a -H -I -u -uu
		--ignore-case --smart-case --case-sensitive --line-number --no-line-number --files --files-with-matches --files-without-match
		--count --count-matches --invert-match --word-regexp --line-regexp --only-matching --quiet --fixed-strings --multiline
		--multiline-dotall --pcre2 --text --with-filename --no-filename --no-heading --heading --hidden --no-ignore --no-ignore-vcs
		--column --trim --vimgrep --json --stats --type-list --sort: --sortr: --passthru --null -0 --no-messages --one-file-system
		-A: -B: -C: -e: -g: -t: -T: -m: -M: -r: -j: -d: -E: --after-context: --before-context: --context: --regexp: --glob: --iglob:
		--type: --type-not: --max-count: --max-columns: --max-depth: --maxdepth: --max-filesize: --replace: --threads: --encoding:
		--color: --colors: --engine: --context-separator: --no-config`},
	"find": {options: `single -name: -iname: -path: -ipath: -wholename: -iwholename: -regex: -iregex: -regextype: -type: -xtype: -maxdepth:
		-mindepth: -size: -mtime: -mmin: -ctime: -cmin: -atime: -amin: -newermt: -newer/ -empty -print -print0 -printf: -ls -not -o -or -a
		-and -prune -perm: -user: -group: -uid: -gid: -links: -inum: -H -P -executable -readable -writable -daystart -depth -mount -xdev
		-quit -true -false -nouser -nogroup -noleaf -ignore_readdir_race -O1 -O2 -O3`},
	"sort": {options: `-n -r -u -f -h -V -b -d -g -i -M -R -s -z -c -C -m -k: -t: --numeric-sort --reverse --unique --ignore-case --human-numeric-sort
		--version-sort --key: --field-separator: --stable --zero-terminated --check? --sort: --parallel: --general-numeric-sort`},
	"uniq":  {options: "-c -d -D -u -i -z -f: -s: -w: --count --repeated --unique --ignore-case --skip-fields: --skip-chars: --check-chars:", most: 1},
	"cut":   {harmless: true, options: "-d: -f: -c: -b: -s -z --delimiter: --fields: --characters: --bytes: --complement --only-delimited --output-delimiter:"},
	"tr":    {options: "-d -s -c -C -t --delete --squeeze-repeats --complement", text: -1},
	"paste": {harmless: true, options: "-d: -s -z"}, "join": {options: "-1: -2: -t: -a: -v: -o: -e: -i -j:"},
	"fold": {harmless: true, options: "-w: -s -b"}, "fmt": {options: "-w: -s -u"}, "expand": {harmless: true, options: "-t: -i"},
	"column": {options: "-t -s: -n: -x -c: -o: -N: -R: -J"},
	"comm":   {options: "-1 -2 -3 -z --total"}, "cmp": {options: "-s -l -b -i: -n: --silent"},
	"diff": {options: `-u -r -q -N -w -b -B -i -y -a -c -e -n -E -Z -t -T -s -U: -C: -W: -x: -I: --unified? --recursive --brief --new-file
		--ignore-all-space --ignore-space-change --ignore-blank-lines --ignore-case --side-by-side --color? --exclude: --label:
		--strip-trailing-cr --suppress-common-lines --text --report-identical-files --width: --stat`},
	"strings": {options: "-a -n: -t: -f -e:"}, "od": {options: "-A: -t: -N: -j: -c -x -v -w:"}, "hexdump": {options: "-C -n: -s: -v -c -x -d"},
	"md5sum": sums, "sha1sum": sums, "sha256sum": sums, "sha512sum": sums, "cksum": sums, "b2sum": sums, "shasum": {options: "-a: -b -t"},

	"sed": {options: "-n -E -r -s -z -u -e: --quiet --silent --expression: --regexp-extended", text: 1, instead: []string{"-e", "--expression"}, plain: sedPlain},
	"awk": {options: "-F: -v:", text: 1, plain: awkPlain},
	"jq":  {options: "-r -c -n -s -S -e -M -C -j -a -R --raw-output --compact-output --null-input --slurp --sort-keys --exit-status --tab --indent:", text: 1, plain: jqPlain},

	"command": {options: "-v -V", text: -1},
	"which":   {options: "-a", text: -1}, "type": {options: "-a -t -p -P", text: -1},
	"whoami": {none: true}, "id": {options: "-u -g -n -G -r", text: -1}, "hostname": {options: "-f -s -i", none: true},
	"uname": {options: "-a -s -r -m -n -p -o -v", none: true}, "uptime": {options: "-p -s", none: true}, "nproc": {options: "--all", none: true},
	"arch": {none: true}, "free": {options: "-h -m -g -k -b -t", none: true}, "groups": {text: -1}, "tty": {none: true},
	"date": {options: "-u -R -d: -r/ -I? --iso-8601? --utc --rfc-3339: --date: --rfc-email", text: -1, plain: func(s string) bool { return strings.HasPrefix(s, "+") }},
	"ps":   {options: "-e -f -A -a -x -u: -p: -l --forest --sort: --no-headers", text: -1, plain: func(s string) bool { return slices.Contains([]string{"aux", "ax", "x", "a"}, s) }},

	"go version": {none: true}, "go list": {options: "single -m -f: -json -deps -test -u -e -find -mod: -tags: -versions", text: -1},
	"go doc": {options: "single -all -short -src -u -cmd -c", text: -1},
	"go env": {options: "single -json", text: -1},
	"node":   version, "npm": version, "python": version, "python3": version, "ruby": version, "java": version,
	"make": version, "gcc": version, "clang": version, "docker": version, "deno": version, "bun": version, "pnpm": version,

	"git":         {options: "--version -v"},
	"git version": {},
	"git status":  {options: "-s -b -u: -v --short --branch --porcelain? --long --untracked-files? --ignored? --show-stash --ahead-behind -z --column? --renames --no-renames"},
	"git log":     gitLog, "git show": gitLog, "git diff": gitLog, "git whatchanged": gitLog, "git reflog": {options: "-# -n: --oneline --date: --all", most: 1, plain: gitReflog},
	"git diff-tree": gitLog, "git diff-index": gitLog, "git diff-files": gitLog, "git range-diff": {options: "--no-color --stat"},
	"git shortlog": {options: "-s -n -e -c --summary --numbered --email --no-merges --since: --until: --all"},
	"git blame":    {options: "-L: -w -M -C -e -s -l -t -f -n --date: --show-email --line-porcelain --porcelain --abbrev?"}, "git annotate": {options: "-L: -w"},
	"git branch": {options: "-a -r -v --all --remotes --verbose --show-current --list --merged? --no-merged? --contains? --sort: --format: --no-color --color?", none: true},
	"git tag":    {options: "-l --list -n --sort: --format: --contains? --merged? --points-at:", none: true},
	"git remote": {options: "-v --verbose", none: true}, "git remote get-url": {options: "--all --push", text: -1}, "git stash list": {options: "-# -p --stat --oneline"},
	"git stash show": {options: "-p -u --stat --name-only --name-status --patch", text: -1},
	"git rev-parse": {options: `--show-toplevel --abbrev-ref? --short? --verify --git-dir --is-inside-work-tree --show-prefix --show-cdup --quiet -q --symbolic-full-name
		--absolute-git-dir --is-bare-repository --git-common-dir --symbolic --show-superproject-working-tree`},
	"git rev-list": {options: "--count --all --no-merges --max-count: -n: --left-right --since: --until: --objects -#"},
	"git ls-files": {options: "-m -o -d -s -c -u -z -t -v --cached --modified --others --deleted --stage --unmerged --exclude-standard --ignored --full-name --error-unmatch -x: --exclude:"},
	"git ls-tree":  {options: "-r -d -t -l -z --name-only --name-status --long --full-tree --full-name"},
	"git describe": {options: "--tags --always --long --dirty? --all --abbrev? --exact-match --match: --candidates:", text: -1},
	"git grep": {options: `-n -i -l -c -w -v -e: -E -F -P -G -h -H -q -L -A: -B: -C: -p -W -I --line-number --ignore-case --name-only --files-with-matches --count --word-regexp
		--invert-match --untracked --cached --and --or --not --heading --break --show-function --fixed-strings --extended-regexp --perl-regexp --no-color --color?`, text: 1, instead: []string{"-e"}},
	"git cat-file":      {options: "-t -s -p -e"},
	"git merge-base":    {options: "--is-ancestor --all --fork-point", text: -1},
	"git name-rev":      {options: "--name-only --tags", text: -1},
	"git show-ref":      {options: "--heads --tags --hash? -s -d", text: -1},
	"git for-each-ref":  {options: "--format: --sort: --count: --merged? --contains?", text: -1},
	"git count-objects": {options: "-v -H"}, "git check-ignore": {options: "-v -n -q --no-index"}, "git cherry": {options: "-v", text: -1},
	"git worktree list": {options: "--porcelain -v"},
	"git show-branch":   {options: "--all --list --sha1-name", text: -1},
}

var (
	sums    = reads{options: "-b -t -z --tag", harmless: true}
	version = reads{options: "single --version -version -V", none: true}
	grep    = reads{harmless: true, text: 1, instead: []string{"-e", "-f", "--regexp", "--file"}, options: `-i -v -n -r -l -L -c -o -w -x -E -F -G -P -H -h -q -s -I -a -z -Z -b -T -U
		-e: -f/ -A: -B: -C: -m: -d: -D: -# --ignore-case --invert-match --line-number --recursive --files-with-matches --files-without-match --count
		--only-matching --word-regexp --line-regexp --extended-regexp --fixed-strings --basic-regexp --perl-regexp --with-filename --no-filename
		--quiet --silent --no-messages --text --null --byte-offset --regexp: --file/ --after-context: --before-context: --context: --max-count:
		--include: --exclude: --exclude-dir: --exclude-from/ --color? --colour? --binary-files: --line-buffered --label: --directories:`}
	gitLog = reads{options: `-# -n: -p -u -s -S: -G: -L: -w -b -M -C -R -z -a -W -U: -i -E -F -c -m --oneline --stat? --shortstat --numstat --name-only --name-status --patch
		--no-patch --graph --all --branches? --tags? --remotes? --decorate? --no-decorate --pretty? --format: --date: --since: --until: --after: --before: --author:
		--committer: --grep: --max-count: --skip: --reverse --follow --merges --no-merges --first-parent --abbrev-commit --abbrev? --no-abbrev-commit --topo-order
		--date-order --author-date-order --cached --staged --color? --no-color --word-diff? --color-words? --unified: --ignore-all-space --ignore-space-change
		--ignore-blank-lines --ignore-space-at-eol --diff-filter: --find-renames? --find-copies? --no-renames --summary --check --exit-code --quiet --raw --full-index
		--no-ext-diff --no-textconv --left-right --cherry-pick --cherry-mark --ancestry-path --full-history --simplify-merges --show-signature --no-index
		--minimal --patience --histogram --diff-algorithm: --merge-base --relative? --no-prefix --dirstat? --compact-summary --inter-hunk-context: --function-context
		--submodule? --stat-width: --patch-with-stat --pickaxe-all --pickaxe-regex --no-walk --show-pulls --no-expand-tabs -r -t --root --no-commit-id`}
)

func gitReflog(s string) bool { return s == "show" || strings.HasPrefix(s, "HEAD") }
