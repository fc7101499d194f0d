package effects

// versions are arguments that make a program print its version.
var versions = []string{"--version", "-V", "-v", "version"}

// wrapper is a program that only runs the command behind its own arguments, and changes
// neither which program runs nor where. flags are its options without a value, values
// those with one, operands the arguments before the command.
type wrapper struct {
	flags, values []string
	operands      int
}

var wrappers = map[string]wrapper{
	"command": {},
	"builtin": {},
	"nohup":   {},
	"nice":    {values: []string{"-n", "--adjustment"}},
	"timeout": {
		flags:  []string{"--foreground", "--preserve-status", "-v", "--verbose", "-f", "-p"},
		values: []string{"-s", "--signal", "-k", "--kill-after"}, operands: 1,
	},
}

// stateful are builtins of bash that change the shell for later commands, or that
// evaluate their arguments as arithmetic, where a subscript can hold a command. Source:
// bash manual, "Bourne Shell Builtins", "Bash Builtins"; CVE-2026-22708.
var stateful = set(`export declare typeset local readonly unset set shopt read mapfile readarray let getopts hash bind
	complete compgen compopt enable fc history pushd popd umask ulimit wait disown suspend logout caller`)

// interactive programs read commands while they run, and those commands can run other
// programs. Source: GTFOBins, function shell.
var interactive = set(`vi vim nvim view rvim rview gvim vimdiff ex ed emacs emacsclient nano pico joe micro helix hx less more
	most pg man info w3m lynx links elinks gdb lldb top htop mutt irb pry ghci bc dc octave gnuplot R scala jshell cpan slsh
	crash fzf nnn ranger mc tig lazygit`)

// interpreters run the file that is their first operand. The listed arguments may precede
// that file and run nothing by themselves.
var interpreters = map[string][]string{
	"sh": versionOnly, "bash": versionOnly, "dash": versionOnly, "zsh": versionOnly, "ksh": versionOnly, "ash": versionOnly, "fish": versionOnly, "csh": versionOnly, "tcsh": versionOnly, "rbash": versionOnly, "pwsh": versionOnly,
	"python": python, "python2": python, "python3": python, "pypy3": python,
	"perl": {"-w", "--version", "-v"}, "ruby": {"-w", "--version", "-v"}, "node": {"--version", "-v", "--test", "--check"},
	"php": {"--version", "-v", "-l"}, "lua": {"-v"}, "luajit": {"-v"}, "tclsh": versionOnly, "wish": versionOnly, "Rscript": {"--version"},
	"tsx": versionOnly, "ts-node": versionOnly, "esno": versionOnly,
	"julia": {"--version"}, "groovy": {"--version"}, "guile": versionOnly, "racket": versionOnly, "elixir": {"--version"}, "escript": versionOnly,
}

var (
	versionOnly = []string{"--version"}
	python      = []string{"-u", "-B", "-O", "--version", "-V"}
)

var shells = set("sh bash dash zsh ksh ash fish csh tcsh rbash pwsh")

var awks = set("awk gawk mawk nawk")

// subcommands are programs that do what their first argument names. For those in
// [nestedSubcommands] the argument after it counts, too.
var subcommands = set(`git go npm pnpm yarn bun deno cargo rustup docker podman kubectl helm gh glab pip pip3 uv poetry pipenv conda
	apt apt-get apt-cache brew dnf yum pacman apk snap systemctl journalctl service terraform dotnet swift flutter dart mix
	composer bundle gem rails nix vagrant aws gcloud az heroku fly vercel netlify firebase supabase`)

var nestedSubcommands = map[string]bool{
	"npm run": true, "pnpm run": true, "yarn run": true, "bun run": true, "docker compose": true, "git stash": true, "git remote": true,
	"git worktree": true, "git submodule": true, "git config": true, "git bisect": true, "gh pr": true, "gh issue": true, "gh repo": true, "gh run": true,
	"gh release": true, "gh workflow": true, "go mod": true, "go tool": true, "go work": true, "uv pip": true, "poetry run": true, "bundle exec": true,
	"aws s3": true, "kubectl config": true,
}

// launchOptions are options with which a program runs another one that it would not run
// otherwise. Source: GTFOBins and the manual of each program; for git see git.go.
var launchOptions = map[string]riskyOptions{
	"test":       {words: []string{"-v", "-R"}}, // a subscript is evaluated
	"[":          {words: []string{"-v", "-R"}},
	"printf":     {words: []string{"-v"}},
	"tar":        {long: []string{"checkpoint-action", "to-command", "use-compress-program", "rsh-command", "rmt-command", "info-script", "new-volume-script"}, short: "IF"},
	"bsdtar":     {long: []string{"use-compress-program"}},
	"sort":       {long: []string{"compress-program"}},
	"rg":         {long: []string{"pre", "hostname-bin", "search-zip"}, short: "z"},
	"rsync":      {long: []string{"rsh", "rsync-path"}, short: "e"},
	"scp":        {short: "SoFJ"},
	"curl":       {long: []string{"config", "engine"}, short: "K"},
	"wget":       {long: []string{"use-askpass", "execute", "config"}, short: "e"},
	"zip":        {long: []string{"unzip-command"}, short: "T"},
	"unzip":      {short: "K"},
	"make":       {long: []string{"eval"}, words: []string{"SHELL=", "MAKEFLAGS=", "CC=", "--eval"}},
	"gmake":      {long: []string{"eval"}, words: []string{"SHELL=", "MAKEFLAGS="}},
	"go":         {long: []string{"exec", "toolexec", "vettool", "overlay", "modfile"}},
	"cargo":      {long: []string{"config"}},
	"npm":        {long: []string{"script-shell", "node-options", "globalconfig", "userconfig"}},
	"gcc":        {long: []string{"wrapper", "specs", "fplugin"}, words: []string{"-B", "-fplugin", "-specs"}},
	"g++":        {long: []string{"wrapper", "specs", "fplugin"}, words: []string{"-B", "-fplugin", "-specs"}},
	"cc":         {long: []string{"wrapper", "specs", "fplugin"}, words: []string{"-B", "-fplugin", "-specs"}},
	"clang":      {words: []string{"-B", "-fplugin", "-Xclang", "-load"}},
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
	"fd":         {long: []string{"exec", "exec-batch"}, short: "xX"},
	"fdfind":     {long: []string{"exec", "exec-batch"}, short: "xX"},
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

// fetchers take addresses as operands. The listed options are followed by a value that is
// no address; what follows any other option is taken for an address, too.
var fetchers = map[string][]string{
	"curl": {
		"-o", "-H", "-d", "-X", "-A", "-u", "-e", "-F", "-b", "-c", "-m", "-w", "-r", "-T", "--output", "--header", "--data", "--request", "--user-agent",
		"--user", "--referer", "--form", "--cookie", "--cookie-jar", "--max-time", "--write-out", "--data-raw", "--data-binary", "--data-urlencode", "--json",
		"--retry", "--retry-delay", "--connect-timeout", "--range", "--upload-file", "--output-dir", "--cacert", "--cert", "--key",
	},
	"wget":   {"-O", "-o", "-P", "-U", "-t", "-T", "--output-document", "--header", "--user-agent", "--directory-prefix", "--tries", "--timeout"},
	"aria2c": {"-o", "-d"}, "http": {}, "https": {}, "xh": {},
}

// linkOptions are options with which a program follows symbolic links out of the folder
// that it was given.
var linkOptions = map[string]riskyOptions{
	"diff": {short: "r", long: []string{"recursive"}},
	"grep": {short: "R", long: []string{"dereference-recursive"}}, "egrep": {short: "R"}, "fgrep": {short: "R"},
	"find": {words: []string{"-L", "-follow"}}, "rg": {short: "L", long: []string{"follow"}}, "fd": {short: "L", long: []string{"follow"}},
	"du": {short: "LH", long: []string{"dereference"}}, "tree": {short: "l"}, "tar": {short: "h", long: []string{"dereference"}},
	"rsync": {short: "Lk", long: []string{"copy-links", "copy-dirlinks"}}, "zip": {}, "ag": {short: "f"}, "cp": {short: "LH", long: []string{"dereference"}},
}

// set returns the words of a text as a set.
func set(names string) map[string]bool {
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
