package effectstest

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
	"grep -n foo *.go", "command -v go", "cat ok/main.go", "basename src/main.go .go", "git --no-pager log -3", "echo \"a!b\" !c",
	"ls src 2>&1", "ls src 2>&-", "ls 3>&1 1>&2 2>&3", "git log --oneline -5 2>/dev/null || true", "cat <&0", "git diff --stat -- src", "git diff -- '*.go'", "git log --oneline -- src/main.go",
	"git show HEAD:src/main.go", "git show HEAD~1", "git diff main...HEAD", "git diff HEAD^ HEAD", "git log --format='%h %s' -3", "git log --grep=foo::bar", "git grep -n 'std::vector'", "git status --porcelain=v1",
	"cat './my file'", "cat 'src/my file.txt'", "ls \"src/a b\"", "cat src/../a.txt", "ls ./src/../docs", "cat a.txt # the first", "ls # the files\nls src", "echo a#b", "head -3 src/*.go", "ls src/[a-m]*.go", "ls src/??.go",
	"wc -l src/*/*.go", "sed -n 1,5p src/*.go", "awk '{print $1}' src/*.txt", "printf '%s\\n' src/*.go", "sort src/*.txt | uniq", "time ls", "time -p ls | head", "echo \"$HOME\"", "cat <<EOF\n{\"a\": 1}\nEOF", "cat <<-'E'\n\ta $b\n\tE",
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
	"ls > out.txt 2>&1", "ls &> out.txt", "ls >& out.txt", "make >> log.txt 2>&1", "cat a.txt >| b.txt", "git config user.name", "git config --global --get user.email", "git commit -m 'std::vector: fix it'", "git commit -m \"Fix a/b, see ./docs and c.go: more\"",
	"git push --force-with-lease origin topic", "git clone https://example.com/x.git", "git stash pop", "git remote add up https://example.com/x.git", "git checkout -- src/main.go", "git rm src/a.go", "git add src/*.go", "cp src/*.txt docs", "cp -r src/.. /w/docs", "mkdir -p src/../new",
	"tar czf out.tgz src/*.go", "touch 'src/a b'", "tar czf out.tgz src", "tar xzf in.tgz -C src", "tee log.txt < a.txt", "cd src && go test ./...", "find . -type f | sort | head", "jq . a.json > b.json",
}, reading...)
