package effects

import (
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/lazy"
)

// gitOptions skips the options before git's subcommand. plain is false if one of them is
// not known to be harmless; [reader.git] then says what is wrong.
func (r *reader) gitOptions(words []word) (rest []word, plain bool) {
	for len(words) > 0 {
		switch w := words[0].text; {
		case !words[0].known:
			r.hidden("the subcommand of git is not known")
			return words, false
		case w == "--no-pager" || w == "-P" || w == "--no-optional-locks" || w == "--literal-pathspecs" || w == "--no-replace-objects":
			words = words[1:]
		case w == "-C" && len(words) > 1 && words[1].known && !words[1].pattern:
			// Another folder may hold a bare repository whose settings run programs.
			r.chdir(words[1].text)
			words = words[2:]
		default:
			return words, !strings.HasPrefix(w, "-")
		}
	}
	return words, true
}

// git checks whether a git command can run other programs. Source: git-scm.com/docs/git,
// git-config; GTFOBins "git".
func (r *reader) git(name string, args []word) {
	sub := strings.TrimPrefix(strings.TrimPrefix(name, "git"), " ")
	first, second, _ := strings.Cut(sub, " ")
	switch {
	case sub == "":
		if len(args) > 1 || len(args) == 1 && !slices.Contains(versions, args[0].text) && args[0].text != "--help" {
			r.hidden("git's own options can name programs, and its subcommand is not known")
		}
		return
	case !gitSubcommands.Get()[first]:
		r.hidden("git " + first + " is not a built-in subcommand, and may be an alias for any program")
	case gitLaunchers.Get()[first] || slices.Contains([]string{"bisect run", "bisect visualize", "bisect view", "submodule foreach"}, first+" "+second):
		r.hidden("git " + sub + " runs other programs")
	case first == "config" && !gitReadsConfig(args):
		r.hidden("git's settings can name programs")
	}
	for i, a := range args { // also behind --, which may be the value of an option
		name, value, _ := strings.Cut(a.text, "=")
		switch {
		case strings.Contains(a.text, "ext::") || strings.Contains(a.text, "fd::") || gitTakesAddress.Get()[first] && namesHelper(a.text):
			r.hidden("the address of a repository names a program")
		case a.text == "--help":
			r.hidden("git opens its manual in another program")
		case len(name) > 2 && strings.HasPrefix("--submodule", name) && strings.HasPrefix(value, "d"):
			r.hidden("git runs itself in the submodules")
		case len(name) > 2 && strings.HasPrefix(name, "--") && slices.ContainsFunc(gitLaunchOptions, func(l string) bool { return strings.HasPrefix(l, name) }) && !slices.Contains(gitPlainOptions, name):
			r.hidden("the option " + a.text + " of git can run another program")
		case i > 0 && len(a.text) > 1 && a.text[0] == '-' && a.text[1] != '-' && strings.ContainsAny(a.text[1:], gitShortLaunchOptions.Get()[first]):
			r.hidden("the option " + a.text + " of git " + first + " can run another program")
		}
	}
}

// namesHelper reports whether an argument may be an address such as ext::sh, for which git
// runs the program git-remote-ext. Source: gitremote-helpers(7).
func namesHelper(text string) bool {
	helper, _, found := strings.Cut(text[strings.LastIndexByte(text, '=')+1:], "::")
	return found && helper != "" && !strings.ContainsAny(helper, "/:[@ ")
}

// gitTakesAddress are the subcommands that take the address of a repository.
var gitTakesAddress = set{names: "archive clone fetch ls-remote pull push remote submodule"}

// gitReadsConfig reports whether git config only prints settings: its first word that says
// neither where nor how is one that prints, or the only name of a setting.
func gitReadsConfig(args []word) bool {
	for i, w := range args {
		name, _, _ := strings.Cut(w.text, "=")
		switch {
		case i == 0 || slices.Contains(gitConfigPlaces, name):
		case slices.Contains([]string{"--get", "--get-all", "--get-regexp", "--list", "-l", "get", "list"}, w.text):
			return !slices.ContainsFunc(args[i:], func(w word) bool { return w.pattern })
		default:
			return i == len(args)-1 && !w.pattern && strings.Contains(w.text, ".") && w.text[0] != '-'
		}
	}
	return false
}

// gitConfigPlaces are options of git config that say which settings are read, and how they
// are printed.
var gitConfigPlaces = []string{"--global", "--local", "--system", "--worktree", "--show-origin", "--show-scope", "--null", "-z", "--name-only", "--type", "--bool", "--int"}

// gitLaunchOptions are options of subcommands that name a program, or make git run one
// that its settings name.
var gitLaunchOptions = []string{
	"--exec", "--exec-path", "--upload-pack", "--receive-pack", "--ext-diff", "--textconv", "--open-files-in-pager", "--extcmd",
	"--config-env", "--config", "--template", "--sendmail-cmd", "--to-cmd", "--cc-cmd", "--httpd", "--browser", "--tool",
	"--interactive", "--filters", "--smtp-server", "--remote-ext",
}

// gitPlainOptions are whole options that begin like one of gitLaunchOptions.
var gitPlainOptions = []string{"--text"}

// gitShortLaunchOptions are the same as letters, by subcommand.
var gitShortLaunchOptions = lazy.Value[map[string]string]{Make: func() map[string]string {
	return map[string]string{
		"grep": "O", "rebase": "xi", "clone": "uc", "difftool": "xt", "fetch-pack": "", "init": "", "mergetool": "t",
	}
}}

// gitLaunchers are subcommands that run other programs.
var gitLaunchers = set{names: `difftool mergetool filter-branch instaweb send-email daemon shell gui gitk citool web--browse help hook
	credential credential-store credential-cache remote-ext remote-fd maintenance fsmonitor--daemon svn p4 cvsserver cvsimport
	cvsexportcommit archimport quiltimport imap-send request-pull upload-archive http-backend fast-import`}

// gitSubcommands are the subcommands that come with git; any other name may be an alias.
var gitSubcommands = set{names: `add am annotate apply archive bisect blame branch bundle cat-file check-attr check-ignore check-mailmap
	check-ref-format checkout checkout-index cherry cherry-pick clean clone column commit commit-graph commit-tree config
	count-objects credential credential-cache credential-store daemon describe diff diff-files diff-index diff-tree difftool
	fast-export fast-import fetch filter-branch fmt-merge-msg for-each-ref for-each-repo format-patch fsck gc get-tar-commit-id
	grep gui hash-object help hook index-pack init instaweb interpret-trailers log ls-files ls-remote ls-tree mailinfo mailsplit
	maintenance merge merge-base merge-file merge-tree mergetool mktag mktree mv name-rev notes pack-objects pack-refs patch-id
	prune pull push range-diff read-tree rebase reflog remote repack replace request-pull rerere reset restore rev-list rev-parse
	revert rm send-email shell shortlog show show-branch show-ref sparse-checkout stage stash status stripspace submodule switch
	symbolic-ref tag unpack-file unpack-objects update-index update-ref var verify-commit verify-pack verify-tag version
	web--browse whatchanged worktree write-tree`}
