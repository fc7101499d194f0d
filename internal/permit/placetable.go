package permit

import (
	"path"
	"strings"
)

// What programs need and a sandbox does not have by itself, in words for the user.
const (
	network  = "the network"
	account  = "the network and your keys"
	services = "services of this machine"
	homes    = "your home folder"
)

// needs lists the programs, with their subcommand where that makes the difference, that do
// little without something that a sandbox does not have. Programs that can also work without
// it are left out: for them the sandbox decides.
var needs = table(map[string]string{
	network: `curl; wget; http; https; aria2c; ping; traceroute; dig; host; nslookup; whois; nc; ncat; telnet; ftp;
		npm install; npm i; npm ci; npm add; npm update; npm audit; npm view; npx; pnpm install; pnpm i; pnpm add; pnpm update; pnpm dlx;
		yarn install; yarn add; yarn upgrade; yarn dlx; bun install; bun add; bunx;
		pip install; pip download; pip3 install; pip3 download; uv pip install; uv add; uv sync; uvx; pipx; poetry install; poetry add; poetry update;
		pipenv install; conda install; conda create; go get; go install; go mod download; cargo install; cargo fetch; cargo update; cargo add;
		gem install; bundle install; bundle update; composer install; composer require; composer update; mix deps.get; dotnet restore; nix`,
	account: `git push; git fetch; git pull; git clone; git ls-remote; git remote update; git submodule update; git submodule add; git lfs;
		ssh; scp; sftp; rsh; mosh; gh; glab; aws; gcloud; az; heroku; fly; vercel; netlify; firebase; supabase; terraform; kubectl; helm;
		npm publish; npm login; npm whoami; pnpm publish; yarn publish; yarn npm; bun publish; cargo publish; cargo login; twine; poetry publish; uv publish;
		gem push; gpg; gpg2; ssh-add; ssh-agent; ssh-copy-id; ansible; ansible-playbook`,
	services: `docker; docker-compose; podman; nerdctl; systemctl; service; journalctl; loginctl; launchctl; vagrant; sudo; doas; su; pkexec; mount; umount;
		apt; apt-get; dnf; yum; pacman; apk; snap; brew; crontab; at; open; xdg-open; code; tmux; screen; notify-send; pbcopy; pbpaste; xclip; osascript`,
	homes: `ssh-keygen; npm link; pip config; rustup; nvm; chsh; corepack`,
})

// table turns lists of programs into a map from each of them to its list's name.
func table(lists map[string]string) map[string]string {
	all := map[string]string{}
	for name, list := range lists {
		for entry := range strings.SplitSeq(list, ";") {
			all[strings.Join(strings.Fields(entry), " ")] = name
		}
	}
	return all
}

// needsOf returns what a program needs and a sandbox does not have by itself; "" if nothing is
// known.
func needsOf(p Program) string {
	words := strings.Fields(p.Name)
	if len(words) == 0 {
		return ""
	}
	words[0] = path.Base(words[0])
	for n := len(words); n > 0; n-- {
		if what := needs[strings.Join(words[:n], " ")]; what != "" {
			return what
		}
	}
	return ""
}

// builds are programs that compile, test or format the files of a project. A command that
// runs them and then git may write to .git, as git itself may.
var builds = map[string]bool{
	"go": true, "gofmt": true, "make": true, "cmake": true, "ninja": true, "npm": true, "pnpm": true, "yarn": true, "bun": true, "tsc": true,
	"eslint": true, "prettier": true, "jest": true, "vitest": true, "cargo": true, "rustfmt": true, "pytest": true, "ruff": true, "black": true,
	"mypy": true, "mvn": true, "gradle": true, "./gradlew": true, "dotnet": true, "swift": true,
}

// commits are the git commands for everyday work in a repository. They run without a question
// where commands in the sandbox do, although some (git reset --hard, git restore, git branch -D)
// discard work.
var commits = map[string]bool{
	"git add": true, "git am": true, "git apply": true, "git branch": true, "git checkout": true, "git cherry-pick": true, "git commit": true, "git init": true,
	"git merge": true, "git mv": true, "git notes": true, "git rebase": true, "git reset": true, "git restore": true, "git revert": true, "git rm": true,
	"git stash": true, "git switch": true, "git tag": true,
}

// systemFolders are folders of the system that every sandbox shows, to be read.
var systemFolders = []string{"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/opt", "/etc"}

// privateFolders are folders that every sandbox has for itself. Commands that only read are
// asked about there, because they would not see what the user has in them.
var privateFolders = []string{"/tmp", "/var/tmp"}
