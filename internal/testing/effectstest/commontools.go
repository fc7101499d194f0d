package effectstest

// readsTools are common commands that ask git, a toolchain, the system or the shell, one in a
// line.
const readsTools = `git status
git status -sb
git status --porcelain
git diff
git diff --stat
git diff --cached
git diff HEAD~1
git diff main...HEAD --name-only
git diff -- src/main.go
git diff --no-color | head -100
git log --oneline -10
git log -5
git log --oneline --graph --all | head -20
git log -p -1
git log --since='2 weeks ago' --oneline
git log --author=me --oneline
git log --format='%h %an %s' -5
git log --stat -2
git log -S foo --oneline
git log --follow -- src/main.go
git log main..HEAD
git show
git show HEAD
git show HEAD:src/main.go
git show --stat HEAD~2
git show --name-only
git blame src/main.go
git blame -L 10,20 src/main.go
git branch
git branch -a
git branch -vv
git branch --show-current
git branch --list 'feature/*'
git tag
git tag -l
git tag --sort=-creatordate | head -5
git remote -v
git remote get-url origin
git stash list
git stash show -p
git rev-parse HEAD
git rev-parse --short HEAD
git rev-parse --abbrev-ref HEAD
git rev-parse --show-toplevel
git ls-files
git ls-files '*.go' | wc -l
git ls-files --others --exclude-standard
git ls-tree -r HEAD --name-only
git grep -n foo
git grep -n 'func main' -- '*.go'
git describe --tags --always
git shortlog -sn HEAD
git reflog -5
git merge-base main HEAD
git rev-list --count HEAD
git cat-file -p HEAD
git check-ignore -v dist
git worktree list
git --version
git --no-pager log -3
git --no-pager diff --stat
GIT_PAGER=cat git log -3
git config --get user.name
git config user.email
git log -1 --pretty=%B
git diff --word-diff
git show-ref --tags
node -v
node --version
npm -v
npm --version
python3 --version
python --version
pip --version
go version
ruby -v
java -version
gcc --version
make --version
docker --version
jq --version
rg --version
bash --version
curl --version
node --version && npm --version
pip list
pip show requests
go env
go env GOPATH
go list ./...
go list -m
go list -f '{{.Dir}}' ./internal/shell
go doc fmt.Println
go help build
which go
which node npm python3
command -v docker
command -v rg >/dev/null && echo yes
command -v go || echo missing
type ls
whoami
id
id -u
hostname
uname -a
uname -s
arch
nproc
free -h
uptime
date
date +%Y-%m-%d
date -u +%FT%TZ
date -Iseconds
TZ=UTC date
LC_ALL=C sort a.txt
LC_ALL=C ls
NO_COLOR=1 git diff --stat
echo hello
echo "hello world"
echo $HOME
echo "$PWD"
echo $PATH
echo "$USER"
echo $SHELL
echo $?
echo -e 'a\nb'
echo 'it works!'
echo "Done: $(date)"
echo "on $(git branch --show-current)"
echo "$(pwd)"
echo "files: $(ls | wc -l)"
printf '%s\n' hello
printf '%s\n' *.go
printf 'a\tb\n'
true
test -f go.mod && echo yes
test -d src || echo missing
[ -f go.mod ] && echo yes
[ -d node_modules ] || echo missing
[[ -f go.mod ]] && echo yes
[[ -d src && -f go.mod ]] && ls src
[[ "$USER" == root ]] && echo root
[[ -n "$CI" ]] && echo ci
[ -n "$VIRTUAL_ENV" ] && echo venv
if [ -f a.txt ]; then cat a.txt; fi
if [ -d src ]; then ls src; else echo none; fi
if [[ -e a.txt ]]; then wc -l a.txt; fi
if grep -q foo a.txt; then echo found; fi
for f in a b c; do echo "$f"; done
for f in *.go; do wc -l "$f"; done
for f in src/*.go; do echo "$f"; head -3 "$f"; done
for i in 1 2 3; do echo $i; done
for i in {1..3}; do echo "line $i"; done
for d in src tests; do ls $d; done
for f in a.txt b.txt; do [ -f "$f" ] && cat "$f"; done
while read -r line; do echo "$line"; done < a.txt
cat a.txt | while read -r line; do echo "- $line"; done
x=src; ls "$x"
f=README.md && wc -l "$f"
cd src && ls
cd src && ls -la && cat main.go
cd src && grep -rn foo .
cd tests && find . -name '*.py' | wc -l
cd src/.. && ls
(cd src && ls)
ls; echo ---; ls docs
ls nothing 2>/dev/null || echo none
cat a.txt 2>/dev/null | head
ls 2>&1 | head
cat a.txt | sort | uniq | wc -l
basename src/main.go .go
dirname src/main.go
realpath src
readlink -f a.txt
sleep 1
timeout 5 ls
time ls
nice ls
ps
diff <(sort a.txt) <(sort b.txt)
find . -name '*.go' | xargs wc -l
git ls-files | xargs wc -l | tail -1
git ls-files -z | xargs -0 wc -l
ls | xargs -n1 echo
cat .env.example
cat tsconfig.json | jq .compilerOptions
ls -la node_modules/.bin | head
ls node_modules | wc -l
cat Cargo.toml
cat pyproject.toml
cat Makefile | grep '^[a-z]*:'
cat .github/workflows/*.yml
ls dist build 2>/dev/null
readelf -h a.bin
`
