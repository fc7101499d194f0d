package effectstest

// readsFiles are common commands that read files, one in a line.
const readsFiles = `ls
ls -la
ls -lah src
ls -R src | head -50
ls -1 *.go
ls -lt | head
ls -d */
ls src tests docs
ls -la .github/workflows
ls **/*.md
ls {src,tests}
pwd
cat README.md
cat package.json
cat go.mod go.sum | head -40
cat -n src/main.go
cat -A Makefile | head
cat .gitignore
cat src/*.go | wc -l
head -50 src/main.go
head -n 20 README.md
head -c 200 a.bin | xxd
tail -20 a.log
tail -n +10 src/main.go | head -20
tail -n 100 a.log | grep -i error
wc -l src/main.go
wc -l *.go
wc -c dist/app.js
wc -w README.md docs/guide.md
nl -ba src/main.go | sed -n '10,30p'
tac a.log | head
rev a.txt
sed -n '1,120p' src/main.go
sed -n 10,20p src/main.go
sed -n '/func main/,/^}/p' src/main.go
sed -n '$p' a.txt
sed 's/foo/bar/g' a.txt
sed -e 's/a/b/' -e 's/c/d/' a.txt
sed -E 's/([a-z]+) ([a-z]+)/\2 \1/' a.txt
sed '/^#/d' config.ini
sed '/^$/d' a.txt
sed -n 's/.*"version": "\([^"]*\)".*/\1/p' package.json
sed ':a;N;$!ba;s/\n/ /g' a.txt
sed 's|/usr/local|/opt|g' a.txt
sed -n '5p;10p' a.txt
sed '1d' a.csv | head
sed 's/^[[:space:]]*//' a.txt
sed 's/[^/]*$//' paths.txt
awk '{print $1}' a.txt
awk '{print $NF}' a.txt
awk -F: '{print $1}' a.txt
awk -F, '$3 > 100 {print $1}' a.csv
awk -F: '$3 >= 1000 && $3 < 2000 {print $1, $3}' a.txt
awk 'NR==5' a.txt
awk 'NR>=10 && NR<=20' src/main.go
awk 'NR > 1' a.csv
awk '{s+=$1} END {print s}' a.txt
awk '{s+=$1} END {print s/NR}' a.txt
awk 'length($0) > 100' src/main.go
awk '!seen[$0]++' a.txt
awk '/start/,/end/' a.txt
awk '{print NR": "$0}' a.txt
awk -F'\t' '{print $2}' a.tsv
awk '{count[$1]++} END {for (k in count) print count[k], k}' a.log
awk 'BEGIN {OFS=","} {print $1, $2}' a.txt
awk '{printf "%-20s %s\n", $1, $2}' a.txt
awk '/error/ {n++} END {print n+0}' a.log
awk -v n=3 'NR % n == 0' a.txt
awk '{gsub(/foo/, "bar"); print}' a.txt
awk '{ if ($2 > max) { max = $2; line = $0 } } END { print line }' a.txt
awk 'NF' a.txt
awk '{print toupper($1)}' a.txt
grep -rn TODO src
grep -rn "func main" --include=*.go .
grep -rn --include='*.ts' --exclude-dir=node_modules 'useState' src
grep -n foo src/main.go
grep -c foo a.txt
grep -l foo *.go
grep -rl 'old_name' src
grep -v '^#' config.ini
grep -E 'a|b' a.txt
grep -i -A3 -B3 error a.log
grep -o '"version": "[^"]*"' package.json
grep -w main src/main.go
grep -q foo a.txt && echo yes
grep -P '\d+' a.txt
grep "a!b" a.txt
grep -rn "hello world!" src
grep -n 'if (!x)' src/main.js
grep -rhoE 'https?://[^ ]+' docs | sort -u
grep -rn 'import .*from' src | cut -d: -f1 | sort | uniq -c | sort -rn | head
grep -F 'a.b' a.txt
grep -e foo -e bar a.txt
rg TODO
rg -n 'func .*Test' --type go
rg -l useState src
rg --files | head -20
rg --files -g '*.go' | wc -l
rg -i 'error' -A 2 -B 2 src
rg -c TODO | sort -t: -k2 -rn
rg -uu secret src
rg 'foo\(' -g '!vendor'
rg --json foo src | jq -r .type
rg -tpy 'def main' .
rg --hidden --glob '!.git' foo
fd -e go
fd main src
fd --type f --extension md
find . -name '*.go'
find . -type f -name '*.ts' -not -path '*/node_modules/*'
find . -maxdepth 2 -type d
find src -type f | wc -l
find . -name '*.go' | head -20
find . -type f -size +1M
find . -mtime -1 -type f
find . -name node_modules -prune -o -name '*.js' -print
find . \( -name '*.c' -o -name '*.h' \) -print
find . -type f -name '*.go' -exec grep -l foo {} +
find . -type f -name '*.go' -exec wc -l {} \;
find . -type f -name '*.md' -print0 | xargs -0 grep -n TODO
find . -type f -name '*.py' -print0 | xargs -0 wc -l
find . -type f -not -path './.git/*' -exec ls -la {} +
find . -name '*.go' -newer go.mod
find . -type l
find . -empty
find . -type f -printf '%s %p\n' | sort -rn | head
tree
tree -L 2
tree -L 3 -I node_modules
tree -a -I '.git|node_modules' --dirsfirst
tree -d src
stat a.txt
stat -c '%s %n' *.go
file a.bin
file src/*
du -sh .
du -sh src/* | sort -h
du -h --max-depth=1
df -h
df -h .
sort a.txt
sort -u a.txt
sort -k2 -n a.txt
sort -t, -k3 -rn a.csv | head
sort a.txt | uniq -c | sort -rn
uniq -d a.txt
cut -d, -f1,3 a.csv
cut -c1-80 a.txt
tr a-z A-Z < a.txt
tr -d '\r' < a.txt | head
paste -sd, a.txt
comm -12 a.txt b.txt
join a.txt b.txt
column -t -s, a.csv
fold -w 80 a.txt
diff a.txt b.txt
diff -u a.txt b.txt
diff -q a.txt b.txt
cmp a.bin b.bin
md5sum a.bin
sha256sum dist/*
base64 a.bin | head -3
echo aGVsbG8= | base64 -d
xxd a.bin | head
hexdump -C a.bin | head
od -c a.bin | head
strings a.bin | grep version
seq 1 10
jq . package.json
jq -r .version package.json
jq '.scripts' package.json
jq -r '.dependencies | keys[]' package.json
jq '.[] | select(.age > 30) | .name' a.json
jq 'length' a.json
jq -r '.items[] | [.id, .name] | @csv' a.json
jq -c '.[]' a.json
jq 'to_entries | map({key: .key, n: (.value | length)})' a.json
jq -r '.a // "none"' a.json
jq --arg v 1 '.version == $v' package.json
jq -s 'add' a.json b.json
jq 'with_entries(select(.value != null))' a.json
jq -r '"\(.name)@\(.version)"' package.json
jq '.env' config.json
tar tf out.tar
tar tzf out.tgz
tar -tvf out.tar.gz | head
tar --list -f out.tar
unzip -l out.zip
unzip -p out.zip a.txt | head
zipinfo out.zip
zcat a.log.gz | head
gzip -l a.gz
gunzip -c a.gz | wc -l
`
