package effects

import (
	"path"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/lazy"
)

// readOnlyPrograms lists every program that is known to change nothing, with the
// arguments for which that holds. An option is listed only if its manual says that it
// neither writes nor runs anything; options that follow links out of a folder (grep -R,
// find -L) are left out. Sources: the manual pages of GNU coreutils 9, grep 3, findutils
// 4, sed 4, diffutils 3, ripgrep 14, jq 1.7, git 2.4x, go 1.26.
var readOnlyPrograms = lazy.Value[map[string]readOnlyUse]{Make: func() map[string]readOnlyUse {
	return map[string]readOnlyUse{
		"cd":    {options: "", maxOperands: 1},
		"true":  {literal: true, textOperands: -1, harmless: true},
		"false": {literal: true, textOperands: -1, harmless: true},
		":":     {literal: true, textOperands: -1, harmless: true},
		"exit":  {noOperands: false, textOperands: -1, maxOperands: 1},
		"echo":  {literal: true, textOperands: -1, harmless: true},
		"pwd":   {options: "-P -L", noOperands: true},
		"sleep": {textOperands: -1},

		"printf": {textOperands: -1, harmless: true, isSafe: printfIsSafe},
		"seq":    {options: "-w -s: -f:", textOperands: -1},
		"test":   {literal: true},
		"[":      {literal: true},

		"ls": {harmless: true, options: `-a -A -l -h -1 -t -r -S -d -R -F -p -i -s -n -g -G -o -m -x -C -c -u -U -X -v -k -b -q -Q -N -B --all
		--almost-all --human-readable --recursive --reverse --size --directory --classify? --color? --time-style: --sort: --time:
		--group-directories-first --full-time --inode -I? --ignore: --hide: --format: --numeric-uid-gid --no-group --si -w? -T? -f --author
		--quoting-style: --indicator-style: --width: --block-size: --literal --zero`},
		"cat":  {harmless: true, options: "-n -b -A -E -T -s -v -e -t -u --number --show-all --number-nonblank --squeeze-blank"},
		"nl":   {harmless: true, options: "-b: -n: -w: -s: -v: -i: -h: -f: -d: -l: -p"},
		"tac":  {harmless: true},
		"rev":  {harmless: true},
		"head": {harmless: true, options: "-# -n: -c: -q -v -z --lines: --bytes: --quiet --verbose"},
		"tail": {harmless: true, options: "-# -n: -c: -q -v -z --lines: --bytes: --quiet --verbose"},
		"wc":   {harmlessNamed: true, options: "-l -w -c -m -L --lines --words --bytes --chars --max-line-length"},
		"stat": {harmless: true, options: "-c: -t --format: --printf: --terse -f --file-system"},
		"file": {options: "-b -i -L -h -k -I --brief --mime --mime-type --mime-encoding --keep-going"},
		"du":   {harmlessNamed: true, options: "-s -h -a -c -d: -k -m -b -x -S --max-depth: --summarize --human-readable --all --total --apparent-size --exclude: --time? --si -0 --null --bytes --block-size:"},
		"df":   {options: "-h -k -T? -i -H -a -l -P --human-readable --total --si --inodes --print-type --local --output? --portability"},
		"tree": {options: "-a -d -L: -I: -P: -f -i -h -s -D -F -p -u -g -C -n -A -S -N -Q -v -t -c -U -r --inodes --device --matchdirs --ignore-case --filesfirst --metafirst --sort= --noreport --dirsfirst --gitignore --prune --du -J -X --filelimit: --charset="},

		"basename": {options: "-a -s: -z", textOperands: -1}, "dirname": {options: "-z", textOperands: -1},
		"realpath": {options: "-e -m -s -z -q -P -L --relative-to/ --relative-base/ --canonicalize-missing --canonicalize-existing --no-symlinks"}, "readlink": {options: "-f -e -m -n -q -s -v -z --canonicalize"},

		"grep": grep, "egrep": grep, "fgrep": grep,
		"rg": {textOperands: 1, textOptions: []string{"-e", "--regexp", "--files", "--type-list"}, options: `-i -S -s -n -N -l -c -v -w -x -o -q -F -U -P -a -H -I -u -uu
		--ignore-case --smart-case --case-sensitive --line-number --no-line-number --files --files-with-matches --files-without-match
		--count --count-matches --invert-match --word-regexp --line-regexp --only-matching --quiet --fixed-strings --multiline
		--multiline-dotall --pcre2 --text --with-filename --no-filename --no-heading --heading --hidden --no-ignore --no-ignore-vcs
		--column --trim --vimgrep --json --stats --type-list --sort: --sortr: --passthru --null -0 --no-messages --one-file-system
		-A: -B: -C: -. -p --pretty --no-unicode --crlf --debug --trace --no-ignore-parent --no-ignore-global --no-ignore-dot --no-ignore-exclude --unrestricted
		--line-buffered --block-buffered --null-data --auto-hybrid-regex --include-zero --byte-offset -b --sort-files --no-column --stop-on-nonmatch
		-e: -g: -t: -T: -m: -M: -r: -j: -d: -E: --after-context: --before-context: --context: --regexp: --glob: --iglob:
		--type: --type-not: --max-count: --max-columns: --max-depth: --maxdepth: --max-filesize: --replace: --threads: --encoding:
		--color: --colors: --engine: --context-separator: --no-config`},
		"find": {options: `single -name: -iname: -path: -ipath: -wholename: -iwholename: -regex: -iregex: -regextype: -type: -xtype: -maxdepth:
		-mindepth: -lname: -ilname: -samefile/ -anewer/ -cnewer/ -empty -size: -mtime: -mmin: -ctime: -cmin: -atime: -amin: -newermt: -newer/ -empty -print -print0 -printf: -ls -not -o -or -a
		-and -prune -perm: -user: -group: -uid: -gid: -links: -inum: -H -P -executable -readable -writable -daystart -depth -mount -xdev
		-quit -true -false -nouser -nogroup -newermt: -newerct: -newerat: -noleaf -ignore_readdir_race -O1 -O2 -O3`},
		"sort": {options: `-n -r -u -f -h -V -b -d -g -i -M -R -s -z -c -C -m -k: -t: --numeric-sort --reverse --unique --ignore-case --human-numeric-sort
		--version-sort --key: --field-separator: --stable --random-sort --month-sort --dictionary-order --ignore-leading-blanks --ignore-nonprinting --merge --debug --zero-terminated --check? --sort: --parallel: --general-numeric-sort`},
		"uniq":  {options: "-c -d -D -u -i -z -f: -s: -w: --count --repeated --unique --ignore-case --skip-fields: --skip-chars: --check-chars:", maxOperands: 1},
		"cut":   {harmless: true, options: "-d: -f: -c: -b: -s -z --delimiter: --fields: --characters: --bytes: --complement --only-delimited --output-delimiter:"},
		"tr":    {options: "-d -s -c -C -t --delete --squeeze-repeats --complement", textOperands: -1},
		"paste": {harmless: true, options: "-d: -s -z --delimiters: --serial"}, "join": {options: "-1: -2: -t: -a: -v: -o: -e: -i -j: --header --check-order --nocheck-order -z"},
		"fold": {harmless: true, options: "-w: -s -b --width: --spaces"}, "fmt": {options: "-w: -s -u --width: -#"}, "expand": {harmless: true, options: "-t: -i"},
		"unexpand": {harmless: true, options: "-t: -a"}, "tsort": {}, "sum": {harmless: true}, "base64": {harmless: true, options: "-d -i -w: -D --decode --wrap:"}, "base32": {options: "-d"},
		"column": {options: "-t -s: -n? -x -c: -o: -N: -R: -J"},
		"comm":   {options: "-1 -2 -3 -z --total --check-order --nocheck-order --output-delimiter:"}, "cmp": {options: "-s -l -b -i: -n: --silent --quiet --verbose --print-bytes --bytes:"},
		"diff": {readsFolders: true, options: `-u -r -q -N -w -b -B -i -y -a -c -e -n -E -Z -t -T -s -U: -C: -W: -x: -I: --unified? --recursive --brief --new-file
		--ignore-all-space --ignore-space-change --ignore-blank-lines --ignore-case --side-by-side --color? --exclude: --label:
		--strip-trailing-cr --suppress-common-lines --text --report-identical-files --width: --context? --minimal --normal --left-column --expand-tabs --initial-tab --no-dereference --palette: --unidirectional-new-file -p
		--show-c-function --show-function-line: -F: -d --speed-large-files --horizon-lines: --tabsize: --ed --rcs`},
		"strings": {options: "-a -n: -t: -f -e? -#", fileIsSafe: noResponseFile}, "od": {options: "-A: -t: -N: -j: -c -x -v -w? -a -b -d -o"}, "hexdump": {options: "-C -n: -s: -v -c -x -d -b -o"},
		"readelf": {options: "-h -l -S -s -d -n -W -e -V", fileIsSafe: noResponseFile},
		"xxd":     {options: "-l: -s: -c: -g: -p -u -b -i -e", maxOperands: 1}, "tar": tarList, "unzip": {options: "-l -v -t -p -q -1 -Z -C", required: []string{"-l", "-t", "-p", "-Z"}, optionsFirst: true},
		"zipinfo": {options: "-1 -2 -s -m -l -v -h -t -z -C", optionsFirst: true}, "zcat": {fileIsSafe: isCompressed}, "xzcat": {fileIsSafe: isCompressed}, "bzcat": {fileIsSafe: isCompressed},
		"zstdcat": {fileIsSafe: isCompressed}, "gunzip": {options: "-c -d --stdout", required: []string{"-c", "--stdout"}, fileIsSafe: isCompressed},
		"gzip":   {options: "-c -d -l -t -v -k --stdout --list --decompress --test", required: []string{"-c", "-l", "-t", "--stdout", "--list", "--test"}, limited: []string{"-d", "--decompress"}, limitedWith: toOutput, fileIsSafe: isCompressed},
		"xz":     {options: "-c -d -l -t -v -k --stdout --list --decompress --test", required: []string{"-c", "-l", "-t", "--stdout", "--list", "--test"}, limited: []string{"-d", "--decompress"}, limitedWith: toOutput, fileIsSafe: isCompressed},
		"md5sum": sums, "sha1sum": sums, "sha256sum": sums, "sha512sum": sums, "cksum": sums, "b2sum": sums, "shasum": {options: "-a: -b -t"},

		"sed": {options: sedOptions, textOperands: 1, textOptions: []string{"-e", "--expression"}, isSafe: sedIsSafe},
		"awk": {options: "-F: -v:", textOperands: 1, isSafe: awkIsSafe},
		"jq": {options: `-r -c -n -s -S -e -M -C -j -a -R --raw-output --compact-output --null-input --slurp --sort-keys --exit-status --tab --indent: --arg:: --argjson::
		--raw-input --join-output --color-output --monochrome-output --ascii-output --stream --seq --unbuffered`, textOperands: 1, isSafe: jqIsSafe},

		"read": {options: "-r -d:", textOperands: -1, isSafe: isOwnVariable}, "xargs": {options: "-0 -r -n: -P: --null --no-run-if-empty", noOperands: true},
		"command": {options: "-v -V", textOperands: -1},
		"which":   {options: "-a", textOperands: -1}, "type": {options: "-a -t -p -P", textOperands: -1},
		"whoami": {noOperands: true}, "id": {options: "-u -g -n -G -r", textOperands: -1}, "hostname": {options: "-s", noOperands: true},
		"uname": {options: "-a -s -r -m -n -p -o -v -i", noOperands: true}, "uptime": {options: "-p -s", noOperands: true}, "nproc": {options: "--all", noOperands: true},
		"arch": {noOperands: true}, "free": {options: "-h -m -g -k -b -t", noOperands: true}, "groups": {textOperands: -1}, "tty": {noOperands: true},
		"date": {options: "-u -R -d: -r/ -I? --iso-8601? --utc --universal --rfc-3339= --date: --reference/ --rfc-email", textOperands: -1, isSafe: func(s string) bool { return strings.HasPrefix(s, "+") }},
		"ps":   {options: "-e -A -p: -C: --no-headers", noOperands: true}, // names of programs; with -f or aux also their command lines

		"go version": {options: "single -m -v"}, "go help": {textOperands: -1},
		"go list": {options: "single -m -f: -json? -deps -test -e -find -tags: -buildvcs=", textOperands: -1, textOptions: []string{"-f"}, noOperandsWith: []string{"-m"}, isSafe: goListIsSafe},
		"go doc":  {options: "single -all -short -src -u -cmd -c", textOperands: -1, isSafe: goDocIsSafe},
		"go env":  {options: "single -json", textOperands: -1, needsOperand: true},
		"node":    shortVersion, "npm": shortVersion, "python": version, "python3": version, "ruby": shortVersion, "java": version, "javac": version,
		"make": shortVersion, "gcc": version, "g++": version, "cc": version, "clang": version, "cmake": version, "docker": shortVersion, "deno": version, "bun": shortVersion, "perl": shortVersion, "php": shortVersion,
		"pip": version, "pip3": version, "kubectl version": {options: "--client", required: []string{"--client"}, noOperands: true},
		"curl": version, "bash": version, "zsh": version, "ninja": version, "lua": shortVersion,
		"uv": version, "helm version": {options: "--short --client", noOperands: true}, "ffmpeg": {options: "single -version", needsOption: true, noOperands: true},
		"pip list": pipList, "pip3 list": pipList, "pip show": {options: "-f -v", textOperands: -1}, "pip3 show": {options: "-f -v", textOperands: -1},
		"fd": fd, "fdfind": fd, "locale": {noOperands: true}, "lscpu": {noOperands: true}, "getconf": {textOperands: -1}, "cal": {textOperands: -1},

		"git":         {options: "--version -v"},
		"git version": {}, "git config": {options: "--get", textOperands: -1, maxOperands: 1, isSafe: isPlainSetting}, "git config user.name": {noOperands: true}, "git config user.email": {noOperands: true}, "git config get": {textOperands: -1, maxOperands: 1, isSafe: isPlainSetting},
		"git status": {options: "-s -b -u? -v --short --branch --porcelain? --long --untracked-files? --ignored? --show-stash --ahead-behind -z --column? --renames --no-renames"},
		"git log":    gitLog, "git show": gitLog, "git diff": gitLog, "git whatchanged": gitLog, "git reflog": {options: "-# -n: --oneline --date: --all", maxOperands: 1, isSafe: gitReflogIsSafe},
		"git diff-tree": gitLog, "git diff-index": gitLog, "git diff-files": gitLog, "git range-diff": {options: "--no-color --stat"},
		"git shortlog": {options: "-s -n -e -c --summary --numbered --email --no-merges --since: --until: --all"},
		"git blame":    {options: "-L: -w -M -C -e -s -l -t -f -n --date: --show-email --line-porcelain --porcelain --abbrev?"}, "git annotate": {options: "-L: -w"},
		"git branch": {options: "-a -r -v --all --remotes --verbose --show-current --list --merged? --no-merged? --contains? --sort: --format: --no-color --color? --points-at: --ignore-case -i", noOperands: true, operandsWith: []string{"--list"}},
		"git tag":    {options: "-l --list -n --sort: --format: --contains? --merged? --points-at:", noOperands: true, operandsWith: []string{"-l", "--list"}},
		"git remote": {options: "-v --verbose", noOperands: true}, "git remote get-url": {options: "--all --push", textOperands: -1}, "git stash list": {options: "-# -p --stat --oneline"},
		"git stash show": {options: "-p -u --stat --name-only --name-status --patch", textOperands: -1},
		"git rev-parse": {options: `--show-toplevel --abbrev-ref? --short? --verify --git-dir --is-inside-work-tree --show-prefix --show-cdup --quiet -q --symbolic-full-name
		--absolute-git-dir --is-bare-repository --git-common-dir --symbolic --show-superproject-working-tree`},
		"git rev-list": {options: "--count --all --no-merges --max-count: -n: --left-right --since: --until: --objects -#"},
		"git ls-files": {options: "-m -o -d -s -c -u -z -t -v --cached --modified --others --deleted --stage --unmerged --exclude-standard --ignored --full-name --error-unmatch -x: --exclude:"},
		"git ls-tree":  {options: "-r -d -t -l -z --name-only --name-status --long --full-tree --full-name"},
		"git describe": {options: "--tags --always --long --dirty? --all --abbrev? --exact-match --match: --candidates:", textOperands: -1},
		"git grep": {options: `-n -i -l -c -w -v -e: -E -F -P -G -h -H -q -L -A: -B: -C: -p -W -I --line-number --ignore-case --name-only --files-with-matches --count --word-regexp
		--invert-match --untracked --cached --and --or --not --heading --break --show-function --fixed-strings --extended-regexp --perl-regexp --no-color --color?`, textOperands: 1, textOptions: []string{"-e"}},
		"git cat-file":      {options: "-t -s -p -e"},
		"git merge-base":    {options: "--is-ancestor --all --fork-point", textOperands: -1},
		"git name-rev":      {options: "--name-only --tags", textOperands: -1},
		"git show-ref":      {options: "--heads --tags --hash? -s -d", textOperands: -1},
		"git for-each-ref":  {options: "--format: --sort: --count: --merged? --contains?", textOperands: -1},
		"git count-objects": {options: "-v -H"}, "git check-ignore": {options: "-v -n -q --no-index"}, "git cherry": {options: "-v", textOperands: -1},
		"git worktree list": {options: "--porcelain -v"},
		"git show-branch":   {options: "--all --list --sha1-name", textOperands: -1},
	}
}}

var (
	toOutput     = []string{"-c", "--stdout"}
	sums         = readOnlyUse{options: "-b -t -z --tag"}
	version      = readOnlyUse{options: "single --version -version -V", needsOption: true, noOperands: true}
	shortVersion = readOnlyUse{options: "single --version -version -V -v", needsOption: true, noOperands: true}
	pipList      = readOnlyUse{options: "--format: -v --local -l --user --editable -e --not-required", noOperands: true}
	tarList      = readOnlyUse{options: `-t -v -z -j -J -f/ -C/ --list --verbose --file/ --gzip --bzip2 --xz --zstd --wildcards --exclude: --directory/ --numeric-owner
		--full-time --strip-components: --no-wildcards`, required: []string{"-t", "--list"}, textOperands: -1, fileIsSafe: noHost}
	fd = readOnlyUse{textOperands: 1, options: `-H -I -u -g -F -i -s -a -p -0 -1 -q -e: -t: -d: -E: -S: -c: -j: --hidden --no-ignore --no-ignore-vcs --unrestricted --glob
		--fixed-strings --ignore-case --case-sensitive --absolute-path --full-path --print0 --extension: --type: --max-depth: --min-depth: --exact-depth:
		--exclude: --size: --color: --threads: --max-results: --changed-within: --changed-before: --prune --quiet --strip-cwd-prefix`}
	grep = readOnlyUse{harmlessNamed: true, textOperands: 1, textOptions: []string{"-e", "-f", "--regexp", "--file"}, options: `-i -v -n -r -l -L -c -o -w -x -E -F -G -P -H -h -q -s -I -a -z -Z -b -T -U
		-e: -f/ -A: -B: -C: -m: -d: -D: -# --ignore-case --invert-match --line-number --recursive --files-with-matches --files-without-match --count
		--only-matching --word-regexp --line-regexp --extended-regexp --fixed-strings --basic-regexp --perl-regexp --with-filename --no-filename
		--quiet --silent --no-messages --text --null --byte-offset --regexp: --file/ --after-context: --before-context: --context: --max-count:
		--include: --exclude: --exclude-dir: --exclude-from/ --color? --colour? --binary-files: --line-buffered --label: --directories:`}
	gitLog = readOnlyUse{options: `-# -n: -p -u -s -S: -G: -L? -w -b -M? -C? -R -z -a -W -U? -i -E -F -c -m --oneline --stat? --shortstat --numstat --name-only --name-status --patch
		--no-patch --graph --all --branches? --tags? --remotes? --decorate? --no-decorate --pretty? --format= --date: --since: --until: --after: --before: --author:
		--committer: --grep: --max-count: --skip: --reverse --follow --merges --no-merges --first-parent --abbrev-commit --abbrev? --no-abbrev-commit --topo-order
		--date-order --author-date-order --cached --staged --color? --no-color --word-diff? --color-words? --unified? --ignore-all-space --ignore-space-change
		--ignore-blank-lines --ignore-space-at-eol --diff-filter= --find-renames? --find-copies? --no-renames --summary --check --exit-code --quiet --raw --full-index
		--no-ext-diff --no-textconv --left-right --cherry-pick --cherry-mark --ancestry-path --full-history --simplify-merges --no-index
		--minimal --patience --histogram --diff-algorithm: --merge-base --relative? --no-prefix --dirstat? --compact-summary --inter-hunk-context= --function-context
		--submodule? --stat-width= --patch-with-stat --pickaxe-all --pickaxe-regex --no-walk --show-pulls --no-expand-tabs -r -t --root --no-commit-id`}
)

// noResponseFile rejects a file whose lines a program of binutils takes for arguments.
func noResponseFile(file string) bool { return !strings.HasPrefix(file, "@") }

// noHost rejects an archive on another machine, which tar reads by running rsh.
func noHost(file string) bool { return !strings.Contains(file, ":") }

// isCompressed accepts only names to which a decompressor does not append an ending.
func isCompressed(file string) bool {
	return slices.Contains([]string{".gz", ".tgz", ".Z", ".z", ".xz", ".txz", ".bz2", ".tbz2", ".zst"}, path.Ext(file))
}

// isPlainSetting accepts the settings of git that hold no secret.
func isPlainSetting(name string) bool {
	return slices.Contains([]string{"user.name", "user.email", "init.defaultbranch", "core.bare", "core.autocrlf", "core.filemode", "pull.rebase", "push.default"}, strings.ToLower(name))
}

// gitReflogIsSafe reports whether an operand of git reflog only shows it.
func gitReflogIsSafe(s string) bool { return s == "show" || strings.HasPrefix(s, "HEAD") }
