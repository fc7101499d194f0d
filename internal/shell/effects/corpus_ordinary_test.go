package effects_test

import "github.com/sidestick-dev/sidestick/internal/permit"

// writing holds commands that look like reading, but change something. A rule for the
// program allows them; without a rule they need an approval.
var writing = []trick{
	{"git config list", "git-config: that of the user, too, where tokens are"},
	{"git config get http.extraheader", "git-config"},
	{"date -s 2020-01-01", "man date: -s sets the clock"},
	{"date 010100002020", "man date: an operand sets the clock"},
	{"git branch -D main", "man git-branch: -D"},
	{"git tag -d v1", "man git-tag: -d"},
	{"git reflog expire --all", "man git-reflog: expire"},
	{"git stash drop", "man git-stash: drop"},
	{"git branch topic", "man git-branch: an operand makes a branch"},
	{"git tag v1", "man git-tag: an operand makes a tag"},
	{"git stash", "man git-stash"},
	{"git remote add x y", "man git-remote"},
	{"git worktree add x", "man git-worktree"},
	{"git diff --output=x", "man git-diff: --output"},
	{"git fetch", "man git-fetch: talks to another machine"},
	{"git checkout .", "man git-checkout"},
	{"cd sub && git status", "a bare repository in a folder has settings that git runs"},
	{"sed -i s/a/b/ x", "man sed: -i"},
	{"sed -n -i p x", "man sed: -i"},
	{"sed --in-place p x", "man sed: --in-place"},
	{"sort -o x x", "man sort: -o"},
	{"go env -w GOFLAGS=-toolexec=x", "go help env: -w"},
	{"go list -mod=mod -modfile=x ./...", "go help build: -modfile"},
	{"go list -toolexec x ./...", "go help build: -toolexec"},
	{"go vet ./...", "go help vet: compiles, and runs cgo"},
	{"npm ls", "npm reads settings of the folder"},
	{"date -us 2020-01-01", "man date: -s in a bundle"},
	{"tail -f x", "never ends"},
	{"tree --output=x", "man tree"},
	{"echo x > a", "bash manual, Redirections"},
	{"cat a > b", "bash manual, Redirections"},
	{"tee a < b", "man tee"},
	{"touch a", "man touch"},
	{"jq -n 'env'", "jq manual: env, secrets of the environment"},
	{"jq -n '$ENV.TOKEN'", "jq manual: $ENV"},
	{"jq 'import \"x\" as x; .' a", "jq manual: modules"},
	{"awk '{print ENVIRON[\"TOKEN\"]}' a", "gawk manual: ENVIRON"},
	{"rg --passthru --pre-glob '*' x", "man rg: options that are not listed"},
	{"python3 x.py", "runs a file"},
	{"make -n", "GNU make manual: $(shell) and + run all the same"},
	{"make", "GNU make manual, Running: without arguments it runs the first rule of the Makefile"},
	{"nohup make", "GNU make manual, Running"},
	{"ls && make | tail -3", "GNU make manual, Running"},
	{"deno", "deno help repl: it runs the code on its input"},
	{"cat a.js | deno", "deno help repl"},
	{"npm", "npm reads settings of the folder"},
	{"go list -mod=mod -m all", "go help modules: -mod=mod writes go.mod"},
}

// reading holds commands that need no rule where reading is allowed.
var reading = []string{
	"ls", "ls -la src", "ls -R src | head -50", "pwd", "cat README.md", "cat -n src/main.go | head -20", "head -n 20 a.txt", "tail -20 a.txt",
	"wc -l src/*.go", "wc -l *.go", "grep -rn foo .", "grep -n \"func main\" src/main.go", "grep -rn --include='*.go' '/api/v1' src",
	"rg -n 'TODO' src", "rg --files | wc -l", "rg -i -A3 -B3 foo", "find . -name '*.go' -not -path './vendor/*'", "find src -type f -maxdepth 2",
	"git status", "git status --short && git diff | head", "git diff HEAD~1 -- src", "git log --oneline -20", "git show HEAD --stat",
	"git branch --show-current", "git rev-parse --show-toplevel", "git blame -L 1,20 src/main.go", "git ls-files | grep test", "git remote -v",
	"sed -n '1,20p' src/main.go", "sed -n 's/^a\\(.*\\)$/\\1/p' a.txt", "awk '{print $1}' a.txt", "awk -F: '{print $2, $3}' a.txt | sort | uniq -c | sort -rn",
	"sort a.txt | uniq", "cut -d: -f1 a.txt", "tr a-z A-Z < a.txt", "diff -u a.txt b.txt", "jq -r '.name' package.json", "tree -L 2",
	"echo done", "echo \"exit: $?\"", "printf '%s\\n' hello", "which go", "go version", "go env GOPATH", "go list ./...", "node --version", "date +%F",
	"test -f go.mod && echo yes", "[ -d src ] && ls src", "cd src && ls", "cd /w && git status", "cat a.txt 2>/dev/null", "ls nothing 2>&1 | head -1",
	"if [ -f a ]; then cat a; fi", "ls src; echo ---; ls docs", "stat a.txt", "du -sh .", "file a.bin", "sha256sum a.bin", "timeout 5 ls", "uname -a",
	"grep -n foo *.go", "command -v go", "cat ok/main.go", "basename src/main.go .go", "git --no-pager log -3", "ps aux | grep node",
	"ls; echo $?", "printf '%d\\n' 3", "printf '%s\\nnext %%\\n' a", "[ $? -eq 0 ] && echo ok", "sed -n '/[a-z]/p' a.txt", "sed 's/[^,]*,//' a.txt", "sed '1i foo' a.txt",
}

// ordinary holds everyday commands, which the rules in generous are meant to allow.
var ordinary = append([]string{
	"go test ./...", "go test ./internal/shell -run TestX -count=1 -v", "go build ./...", "go vet ./... && go test ./... 2>&1 | tail -20",
	"git add -A && git commit -m 'Fix the parser'", "git commit -m \"Add a/b: more\"", "git checkout -b topic", "git stash", "git push origin HEAD",
	"git fetch origin", "git rebase main", "git merge --no-ff topic", "git restore src/main.go", "git config --get user.name",
	"npm test", "npm run build", "npm install", "npm ci && npm run lint", "make", "make test -j4", "mkdir -p src/new", "touch src/new/a.go", "cp a.txt src/b.txt",
	"python3 script.py --verbose", "python3 -m pytest -q tests", "node build.js", "echo hello > out.txt", "echo more >> docs/notes.md",
	"cat a.txt b.txt > c.txt", "sed -i 's/foo/bar/g' src/main.go", "cat <<'EOF' > src/a.txt\nhello $USER\nEOF", "curl -s https://example.com/api | head", "curl -sS -o out.json -H 'Accept: text/plain' https://example.com/api",
	"tar czf out.tgz src", "tar xzf in.tgz -C src", "tee log.txt < a.txt", "cd src && go test ./...", "find . -type f | sort | head", "jq . a.json > b.json",
}, reading...)

// pathCorpus holds paths that file tools are asked to read or write.
var pathCorpus = []struct {
	kind   permit.Kind
	path   string
	want   permit.Verdict
	source string
}{
	{permit.Read, "/w/src/main.go", permit.Allow, "ordinary"},
	{permit.Read, "/w", permit.Allow, "the folder itself"},
	{permit.Write, "/w/src/new.go", permit.Allow, "ordinary"},
	{permit.Write, "/w/.github/workflows/ci.yml", permit.Allow, "runs elsewhere, after a push"},
	{permit.Read, "/w/.git/config", permit.Allow, "reading runs nothing"},
	{permit.Read, "/etc/passwd", permit.Ask, "an absolute path"},
	{permit.Read, "/w/../etc/passwd", permit.Ask, "CVE-2025-54794, Claude Code"},
	{permit.Read, "/wother/x", permit.Ask, "CVE-2025-54794, Claude Code: a prefix is no folder"},
	{permit.Read, "/W/x", permit.Ask, "CVE-2025-59944, Cursor: other case"},
	{permit.Read, "/w/link/passwd", permit.Ask, "CVE-2025-53109, MCP filesystem: links"},
	{permit.Read, "/w/src/passwd", permit.Ask, "CVE-2025-53109"},
	{permit.Write, "/w/link/cron.d/x", permit.Ask, "CVE-2025-53109"},
	{permit.Write, "/w/dangling", permit.Ask, "CVE-2026-39861, Claude Code: a link to what is not there yet"},
	{permit.Write, "/home/u/.bashrc", permit.Ask, "run by the next shell"},
	{permit.Write, "/w/.git/hooks/pre-commit", permit.Ask, "githooks"},
	{permit.Write, "/w/sub/.git/config", permit.Ask, "git-config: core.fsmonitor"},
	{permit.Write, "/w/.GIT/config", permit.Ask, "CVE-2025-59944: other case"},
	{permit.Write, "/w/.git./config", permit.Ask, "CVE-2019-1352: names that some systems take for .git"},
	{permit.Write, "/w/.vscode/settings.json", permit.Ask, "CVE-2025-53773, Copilot"},
	{permit.Write, "/w/.vscode/tasks.json", permit.Ask, "CVE-2025-53773"},
	{permit.Write, "/w/.cursor/mcp.json", permit.Ask, "CVE-2025-54135, Cursor"},
	{permit.Write, "/w/.mcp.json", permit.Ask, "CVE-2025-54136, Cursor"},
	{permit.Write, "/w/.claude/settings.json", permit.Ask, "CVE-2026-25725, Claude Code"},
	{permit.Write, "/w/.envrc", permit.Ask, "direnv"},
	{permit.Write, "/w/.husky/pre-commit", permit.Ask, "husky"},
	{permit.Write, "/w/.npmrc", permit.Ask, "npm help config: script-shell"},
}
