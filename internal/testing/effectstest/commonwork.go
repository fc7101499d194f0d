package effectstest

// builds are common commands of the class [Builds], one in a line.
const builds = `go test ./...
go test ./internal/shell -run TestX -count=1 -v
go test -race ./...
go test -bench=. ./internal/x
go build ./...
go vet ./...
go run .
go mod tidy
go generate ./...
gofmt -l .
gofmt -w src/main.go
golangci-lint run
staticcheck ./...
npm test
npm run build
npm run lint
npm ci
npm ls
npm run
CI=1 npm test
NODE_ENV=test npm test
npx tsc --noEmit
npx eslint src
npx prettier --check .
npx jest src/a.test.ts
npx vitest run
yarn test
yarn build
pnpm test
pnpm run build
yarn --version
pnpm --version
node build.js
node -e 'console.log(1)'
node --test
tsc --noEmit
eslint src
prettier --write src
jest
python3 script.py
python3 -m pytest -q
pytest
pytest -x tests/test_a.py
pytest -k name -v
python3 -c 'print(1)'
python3 -m json.tool a.json
python3 -m venv .venv
mypy src
ruff check .
black --check .
flake8 src
tox
cargo build
cargo test
cargo check
cargo clippy
cargo fmt --check
cargo --version
rustc --version
make
make test
make build -j4
make -n
cmake -B build
cmake --build build
mvn test
gradle test
./gradlew build
bundle exec rspec
mix test
dotnet test
swift build
php vendor/bin/phpunit
mkdir -p src/new
touch src/new/a.go
cp a.txt b.txt
mv a.txt b.txt
rm a.txt
rm -rf dist
ln -s a b
chmod +x script.sh
echo hello > out.txt
echo more >> notes.md
cat a.txt b.txt > c.txt
cat > src/a.txt < b.txt
tee log.txt < a.txt
sed -i 's/foo/bar/g' src/main.go
sed -i.bak 's/foo/bar/' a.txt
patch -p1 < fix.patch
tar czf out.tgz src
tar xzf in.tgz
unzip in.zip
zip -r out.zip src
git add -A
git add src/main.go
git commit -m 'Fix the parser'
git checkout -b topic
git checkout -- src/main.go
git switch main
git stash
git stash pop
git restore src/main.go
git reset --hard HEAD
git merge topic
git rebase main
git cherry-pick abc
git apply fix.patch
git tag v1
git clean -fd
git mv a b
git rm a
git init
./script.sh
bash script.sh
sh -c 'ls'
`

// leaves are common commands of the class [Leaves], one in a line.
const leaves = `git push
git push origin HEAD
git fetch
git pull
git clone https://example.com/x.git
git ls-remote
curl -s https://example.com
curl -fsSL https://example.com/install.sh | sh
curl -X POST -d a=b https://example.com
wget https://example.com/a.tgz
npm install -g typescript
npm view react version
npm publish
npm outdated
pip install requests
pip download requests
go install golang.org/x/tools/gopls@latest
go get example.com/x
cargo install ripgrep
brew install jq
apt-get update
sudo apt-get install jq
docker ps
docker build -t x .
docker run --rm x
docker compose up -d
docker logs x
docker images
kubectl get pods
kubectl logs x
kubectl apply -f a.yaml
helm list
terraform plan
gh pr list
gh pr view 1
gh issue create
aws s3 ls
ssh host ls
scp a host:
rsync -a src host:
ping -c 1 example.com
nslookup example.com
systemctl status x
journalctl -n 20
ps aux
ps -ef | grep node
pgrep -a node
lsof -i :3000
kill 1234
env
printenv PATH
cat /etc/hosts
ls ~
`
