package permit

import (
	"path"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/lazy"
)

// The resources that programs need and a sandbox does not have by itself, in words for the user.
const (
	network  = "the network"
	account  = "the network and your keys"
	services = "services of this machine"
	homes    = "your home folder"
)

// needs lists the programs, with their subcommand where that makes the difference, that do
// little without something that a sandbox does not have. Programs that can also work without
// it are left out: for them the sandbox decides.
var needs = lazy.Value[map[string]string]{Make: func() map[string]string {
	return table(map[string]string{
		network: `curl; wget; http; https; aria2c; ping; traceroute; dig; host; nslookup; whois; nc; ncat; telnet; ftp;
		npm install; npm i; npm ci; npm add; npm update; npm audit; npm view; npm outdated; npm search; npm ping; npx; pnpm install; pnpm i; pnpm add; pnpm update; pnpm dlx;
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
}}

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
		if what := needs.Get()[strings.Join(words[:n], " ")]; what != "" {
			return what
		}
	}
	return ""
}

// commits are the git commands that run without a question where commands in the sandbox do,
// with the options that discard work, short ones by their letters: with these, git asks. What
// is left can be taken back with git reflog. needed, if it is not empty, lists options of which
// one must be given: without it, the command discards work.
var commits = lazy.Value[map[string]struct{ short, long, needed string }]{Make: func() map[string]struct{ short, long, needed string } {
	return map[string]struct{ short, long, needed string }{
		"git add": {}, "git am": {}, "git apply": {}, "git cherry-pick": {}, "git commit": {}, "git init": {}, "git merge": {}, "git rebase": {}, "git revert": {},
		"git branch":   {short: "dDfmMcC", long: "delete force move copy"},
		"git checkout": {short: "fB", long: "force", needed: "-b"},
		"git mv":       {short: "f", long: "force"},
		"git reset":    {long: "hard merge keep"},
		"git restore":  {short: "W", long: "worktree", needed: "--staged -S"},
		"git rm":       {short: "f", long: "force"},
		"git stash":    {},
		"git switch":   {short: "fC", long: "force force-create discard-changes"},
		"git tag":      {short: "df", long: "delete force"},
	}
}}

// discards reports whether a git command may discard work.
func discards(p Program) bool {
	if len(p.Words) < 2 {
		return true
	}
	name, words := "git "+p.Words[1], p.Words[2:]
	rule, known := commits.Get()[name]
	if !known || !strings.HasPrefix(p.Name, name) {
		return true // also for an option before the subcommand
	}
	if name == "git stash" {
		return len(words) > 0 && !slices.Contains([]string{"push", "save", "list", "show", "apply", "pop"}, words[0])
	}
	needed := rule.needed == ""
	for _, w := range words {
		option, _, _ := strings.Cut(strings.TrimPrefix(w, "--"), "=")
		begins := func(long string) bool { return strings.HasPrefix(long, option) } // git takes shortened options
		switch {
		case strings.HasPrefix(w, "--"):
			if option != "" && slices.ContainsFunc(strings.Fields(rule.long), begins) {
				return true
			}
		case strings.HasPrefix(w, "-") && strings.ContainsAny(w, rule.short):
			return true
		}
		needed = needed || slices.Contains(strings.Fields(rule.needed), w)
	}
	return !needed
}

// privateFolders are folders that every sandbox has for itself. Commands that only read are
// asked about there, because they would not see what the user has in them.
var privateFolders = []string{"/tmp", "/var/tmp"}
