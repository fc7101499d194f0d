package effects

import (
	"strings"
	"sync"

	"github.com/sidestick-dev/sidestick/internal/lazy"
)

// versions are arguments that make a program print its version.
var versions = []string{"--version", "-V", "-v", "version"}

// wrapper is a program that only runs the command behind its own arguments, and changes
// neither which program runs nor where. flags are its options without a value, values
// those with one, operands the arguments before the command.
type wrapper struct {
	flags, values []string
	operands      int
}

var wrappers = lazy.Value[map[string]wrapper]{Make: func() map[string]wrapper {
	return map[string]wrapper{
		"command": {},
		"builtin": {},
		"nohup":   {},
		"nice":    {values: []string{"-n", "--adjustment"}},
		"timeout": {
			flags:  []string{"--foreground", "--preserve-status", "-v", "--verbose", "-f", "-p"},
			values: []string{"-s", "--signal", "-k", "--kill-after"}, operands: 1,
		},
	}
}}

// stateful are builtins of bash that change the shell for later commands, or that
// evaluate their arguments as arithmetic, where a subscript can hold a command. Source:
// bash manual, "Bourne Shell Builtins", "Bash Builtins"; CVE-2026-22708.
var stateful = set{names: `export declare typeset local readonly unset set shopt read mapfile readarray let getopts hash bind
	complete compgen compopt enable fc history pushd popd umask ulimit wait disown suspend logout caller`}

// interactive programs read commands while they run, and those commands can run other
// programs. Source: GTFOBins, function shell.
var interactive = set{names: `vi vim nvim view rvim rview gvim vimdiff ex ed emacs emacsclient nano pico joe micro helix hx less more
	most pg man info w3m lynx links elinks gdb lldb top htop mutt irb pry ghci bc dc octave gnuplot R scala jshell cpan slsh
	crash fzf nnn ranger mc tig lazygit`}

// interpreters run the file that is their first operand. The listed arguments may precede
// that file and run nothing by themselves.
var interpreters = lazy.Value[map[string][]string]{Make: func() map[string][]string {
	return map[string][]string{
		"sh": versionOnly, "bash": versionOnly, "dash": versionOnly, "zsh": versionOnly, "ksh": versionOnly, "ash": versionOnly, "fish": versionOnly, "csh": versionOnly, "tcsh": versionOnly, "rbash": versionOnly, "pwsh": versionOnly,
		"python": python, "python2": python, "python3": python, "pypy3": python,
		"perl": {"-w", "--version", "-v"}, "ruby": {"-w", "--version", "-v"}, "node": {"--version", "-v", "--test", "--check"},
		"php": {"--version", "-v", "-l"}, "lua": {"-v"}, "luajit": {"-v"}, "tclsh": versionOnly, "wish": versionOnly, "Rscript": {"--version"},
		"tsx": versionOnly, "ts-node": versionOnly, "esno": versionOnly,
		"julia": {"--version"}, "groovy": {"--version"}, "guile": versionOnly, "racket": versionOnly, "elixir": {"--version"}, "escript": versionOnly,
	}
}}

var (
	versionOnly = []string{"--version"}
	python      = []string{"-u", "-B", "-O", "--version", "-V"}
)

var shells = set{names: "sh bash dash zsh ksh ash fish csh tcsh rbash pwsh"}

var awks = set{names: "awk gawk mawk nawk"}

// subcommands are programs that do what their first argument names. For those in
// [nestedSubcommands] the argument after it counts, too.
var subcommands = set{names: `git go npm pnpm yarn bun deno cargo rustup docker podman kubectl helm gh glab pip pip3 uv poetry pipenv conda
	apt apt-get apt-cache brew dnf yum pacman apk snap systemctl journalctl service terraform dotnet swift flutter dart mix
	composer bundle gem rails nix vagrant aws gcloud az heroku fly vercel netlify firebase supabase`}

var nestedSubcommands = lazy.Value[map[string]bool]{Make: func() map[string]bool {
	return map[string]bool{
		"npm run": true, "pnpm run": true, "yarn run": true, "bun run": true, "docker compose": true, "git stash": true, "git remote": true,
		"git worktree": true, "git submodule": true, "git config": true, "git bisect": true, "gh pr": true, "gh issue": true, "gh repo": true, "gh run": true,
		"gh release": true, "gh workflow": true, "go mod": true, "go tool": true, "go work": true, "uv pip": true, "poetry run": true, "bundle exec": true,
		"aws s3": true, "kubectl config": true,
	}
}}

// launchOptions are options with which a program runs another one that it would not run
// otherwise. Source: GTFOBins and the manual of each program; for git see git.go.
var launchOptions = lazy.Value[map[string]riskyOptions]{Make: func() map[string]riskyOptions {
	return map[string]riskyOptions{
		"test":   {words: []string{"-v", "-R"}}, // a subscript is evaluated
		"[":      {words: []string{"-v", "-R"}},
		"printf": {words: []string{"-v"}},
		"tar":    {long: []string{"checkpoint-action", "to-command", "use-compress-program", "rsh-command", "rmt-command", "info-script", "new-volume-script"}, short: "IF"},
		"bsdtar": {long: []string{"use-compress-program"}},
		"sort":   {long: []string{"compress-program"}},
		"rg":     {long: []string{"pre", "hostname-bin", "search-zip"}, short: "z"},
		"rsync":  {long: []string{"rsh", "rsync-path"}, short: "e"},
		"scp":    {short: "SoFJ"},
		"curl":   {long: []string{"config", "engine"}},
		"wget":   {long: []string{"use-askpass", "execute", "config"}, short: "e"},
		"zip":    {long: []string{"unzip-command"}, short: "T"},
		"unzip":  {short: "K"},
		"make":   makeOptions(),
		"gmake":  makeOptions(),
		"go":     {long: []string{"exec", "toolexec", "vettool", "overlay", "modfile"}},
		"cargo":  {long: []string{"config"}, words: []string{"linker=", "-Clinker", "link-arg", "-Clink-arg", "-Z"}},
		"rustc":  {words: []string{"linker=", "-Clinker", "link-arg", "-Clink-arg", "-Z", "@"}},
		"npm":    {long: []string{"script-shell", "node-options", "globalconfig", "userconfig", "call"}, short: "c", words: []string{"--shell", "--git"}},
		"npx":    {long: []string{"call", "script-shell", "node-options"}, short: "c"},
		"pnpm":   {long: []string{"script-shell", "shell-mode", "config"}, short: "c"},
		"deno":   {words: []string{"eval", "repl"}},
		"bun":    {long: []string{"eval", "print", "preload"}, short: "ep"},
		"gcc":    compilerOptions,
		"g++":    compilerOptions,
		"cc":     compilerOptions,
		"clang":  compilerOptions, "clang++": compilerOptions, "c++": compilerOptions, "ld": compilerOptions,
		"apt":        {long: []string{"option", "config-file"}, short: "oc"},
		"apt-get":    {long: []string{"option", "config-file"}, short: "oc"},
		"split":      {long: []string{"filter"}},
		"sdiff":      {long: []string{"diff-program"}},
		"tcpdump":    {short: "z"},
		"nmap":       {long: []string{"script", "interactive"}},
		"openssl":    {long: []string{"engine"}},
		"ctags":      {long: []string{"options"}},
		"ip":         {words: []string{"exec"}},
		"pip":        {long: []string{"global-option", "install-option", "config-settings"}},
		"systemctl":  {words: []string{"edit"}},
		"kubectl":    {words: []string{"--kubeconfig", "--exec-"}},
		"fd":         {long: []string{"exec", "exec-batch", "list-details"}, short: "xXl"},
		"fdfind":     {long: []string{"exec", "exec-batch", "list-details"}, short: "xXl"},
		"ag":         {long: []string{"pager"}},
		"ack":        {long: []string{"pager", "ackrc"}},
		"bat":        {long: []string{"pager"}},
		"delta":      {long: []string{"pager"}},
		"dpkg":       {long: []string{"pre-invoke", "post-invoke"}},
		"gem":        {words: []string{"open"}, short: "e"},
		"yarn":       {long: []string{"use-yarnrc"}},
		"cpio":       {long: []string{"rsh-command"}},
		"ssh-keygen": {short: "D"},
		"ssh-add":    {short: "s"},
		"cmake":      {words: []string{"-E", "-P"}},
		"rpm":        {long: []string{"eval", "pipe", "define"}, short: "E"},
		"pandoc":     {long: []string{"filter", "lua-filter", "pdf-engine"}, short: "FL"},
		"hg":         {long: []string{"config", "debugger"}},
		"svn":        {long: []string{"config-option", "diff-cmd", "editor-cmd"}},
	}
}}

// compilerOptions are those of a compiler: a wrapper, plugins, settings, and files whose lines
// are options. Source: GCC manual, "Overall Options"; GNU ld manual, "-plugin".
var compilerOptions = riskyOptions{
	long: []string{"wrapper", "specs", "fplugin", "plugin"}, words: []string{
		"-B", "-fplugin", "-specs", "@", "-plugin", "-Wl,-plugin", "-Wl,--plugin", "-Wl,@", "-Xlinker", "-Xclang", "-load", "-fuse-ld", "-Wa,@", "--config", "-fpass-plugin", "-Wp,@",
	},
}

// makeOptions returns those of make. A variable on the command line takes the place of the one in
// the Makefile, and many of those name programs. Source: GNU make manual, "Overriding
// Variables", "Implicit Variables".
func makeOptions() riskyOptions {
	return riskyOptions{long: []string{"eval"}, short: "E", words: append([]string{"--eval", "-f-"}, assigned(`SHELL .SHELLFLAGS MAKE MAKEFLAGS MFLAGS MAKEFILES
	GNUMAKEFLAGS CC CXX CPP LD AR AS FC PC RM CO GET LEX YACC LINT TEX M2C PYTHON PYTHON3 NODE NPM GO CARGO RUSTC GIT BASH SH AWK SED PERL DOCKER
	CMAKE INSTALL STRIP RANLIB OBJCOPY PKG_CONFIG CFLAGS CXXFLAGS LDFLAGS CPPFLAGS`)...)}
}

// assigned returns how assignments to the variables begin.
func assigned(names string) (begin []string) {
	for name := range strings.FieldsSeq(names) {
		for _, operator := range []string{"=", ":=", "::=", "?=", "+=", "!="} {
			begin = append(begin, name+operator)
		}
	}
	return begin
}

// pythonLaunchers are modules of Python that run the code or the program in their arguments.
// Source: Python library reference, "Command-line interface of modules".
var pythonLaunchers = set{names: "timeit pdb code asyncio pty sqlite3 webbrowser idlelib runpy trace bdb antigravity smtpd pydoc"}

// listOptions are options with which a program reads the names of its files from a file.
var listOptions = lazy.Value[map[string]riskyOptions]{Make: func() map[string]riskyOptions {
	return map[string]riskyOptions{
		"tar": {short: "T", long: []string{"files-from"}}, "sort": {long: []string{"files0-from"}}, "wc": {long: []string{"files0-from"}}, "du": {long: []string{"files0-from"}},
		"find": {words: []string{"-files0-from"}}, "file": {short: "f", long: []string{"files-from"}}, "date": {short: "f", long: []string{"file"}}, "rsync": {long: []string{"files-from"}},
		"tree": {long: []string{"fromfile", "fromtabfile"}}, "zip": {short: "@"}, "md5sum": checksums, "sha1sum": checksums, "sha256sum": checksums, "sha512sum": checksums,
		"b2sum": checksums, "cksum": checksums, "shasum": checksums, "strings": {words: []string{"@"}}, "readelf": {words: []string{"@"}}, "nm": {words: []string{"@"}}, "objdump": {words: []string{"@"}},
	}
}}

var checksums = riskyOptions{short: "c", long: []string{"check"}}

// linkOptions are options with which a program leaves the folder that it was given: through
// symbolic links, or by absolute names in an archive.
var linkOptions = lazy.Value[map[string]riskyOptions]{Make: func() map[string]riskyOptions {
	return map[string]riskyOptions{
		"diff": {short: "r", long: []string{"recursive"}},
		"grep": {short: "R", long: []string{"dereference-recursive"}}, "egrep": {short: "R"}, "fgrep": {short: "R"},
		"find": {words: []string{"-L", "-follow"}}, "rg": {short: "L", long: []string{"follow"}}, "fd": {short: "L", long: []string{"follow"}},
		"du": {short: "LH", long: []string{"dereference"}}, "tree": {short: "l"}, "tar": {short: "hP", long: []string{"dereference", "absolute-names"}},
		"rsync": {short: "Lk", long: []string{"copy-links", "copy-dirlinks"}}, "zip": {}, "ag": {short: "f"}, "cp": {short: "LH", long: []string{"dereference"}},
	}
}}

// set is the words of a text, which become a set when it is first asked for: a process that
// judges no command starts sooner.
type set struct {
	names string
	once  sync.Once
	words map[string]bool
}

// Get returns the set.
func (s *set) Get() map[string]bool {
	s.once.Do(func() { s.words = words(s.names) })
	return s.words
}

func words(names string) map[string]bool {
	s := map[string]bool{}
	start := -1
	for i := 0; i <= len(names); i++ {
		space := i == len(names) || names[i] == ' ' || names[i] == '\t' || names[i] == '\n'
		switch {
		case space && start >= 0:
			s[names[start:i]] = true
			start = -1
		case !space && start < 0:
			start = i
		}
	}
	return s
}
