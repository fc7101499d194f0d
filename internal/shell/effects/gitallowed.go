package effects

import (
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/lazy"
)

// harmless reports whether a setting of a repository can neither make git run a program nor
// make it use files elsewhere. Only settings that are listed are, because git gains new
// ones. Source: git-config(1) of git 2.50.
func (s gitSetting) harmless() bool {
	value := s.value
	if s.bare {
		value = "true"
	}
	switch {
	case s.section == "alias": // it may stand for a subcommand that this git does not have
		return s.subsection == "" && !gitSubcommands.Get()[s.key]
	case s.section == "pager":
		return s.subsection == "" && isSwitch(value)
	case harmlessSections.Get()[s.section]:
		return true
	}
	plain := s.section + "." + s.key
	if s.subsection != "" {
		plain = s.section + ".*." + s.key
	}
	for _, l := range limitedSettings.Get() {
		if slices.Contains(l.names, plain) || slices.Contains(l.names, s.name()) {
			return l.allows(value)
		}
	}
	return harmlessSettings.Get()[plain]
}

// harmlessSections hold nothing but colours, texts, numbers and switches, or belong to
// programs that a clear command does not run.
var harmlessSections = set{names: "advice color column gitflow gui svn svn-remote user author committer feature index rerere versionsort i18n"}

// harmlessSettings are harmless with every value. A * stands for a subsection.
var harmlessSettings = set{names: `
	core.filemode core.logallrefupdates core.ignorecase core.precomposeunicode core.symlinks core.autocrlf core.safecrlf core.eol
	core.abbrev core.compression core.loosecompression core.bigfilethreshold core.packedgitlimit core.packedgitwindowsize core.quotepath
	core.whitespace core.untrackedcache core.commentchar core.commitgraph core.multipackindex core.sharedrepository core.trustctime
	core.checkstat core.preloadindex core.sparsecheckout core.sparsecheckoutcone core.fscache core.longpaths core.protecthfs
	core.protectntfs core.deltabasecachelimit core.hidedotfiles core.repositoryformatversion core.fsync core.fsyncmethod
	core.warnambiguousrefs core.maxtreedepth
	extensions.objectformat extensions.compatobjectformat extensions.worktreeconfig extensions.refstorage extensions.noop
	extensions.preciousobjects extensions.relativeworktrees
	remote.pushdefault remote.*.tagopt remote.*.prune remote.*.prunetags remote.*.mirror remote.*.skipdefaultupdate
	remote.*.skipfetchall remote.*.fetch remote.*.push remote.*.followremotehead remote.*.gh-resolved
	branch.autosetupmerge branch.autosetuprebase branch.sort branch.*.merge branch.*.rebase branch.*.description
	branch.*.vscode-merge-base branch.*.gh-merge-base branch.*.github-pr-owner-number branch.*.base
	init.defaultbranch push.default push.autosetupremote push.followtags push.recursesubmodules pull.rebase pull.ff
	fetch.prune fetch.prunetags fetch.parallel fetch.writecommitgraph fetch.fsckobjects fetch.output fetch.recursesubmodules
	merge.ff merge.conflictstyle merge.renamelimit merge.renames merge.stat merge.log merge.directoryrenames merge.autostash
	rebase.autosquash rebase.autostash rebase.updaterefs rebase.stat rebase.missingcommitscheck rebase.abbreviatecommands
	diff.algorithm diff.renames diff.renamelimit diff.mnemonicprefix diff.noprefix diff.colormoved diff.colormovedws diff.context
	diff.interhunkcontext diff.indentheuristic diff.statgraphwidth diff.wserrorhighlight diff.ignoresubmodules diff.suppressblankempty
	diff.relative diff.wordregex diff.dirstat diff.*.xfuncname diff.*.funcname diff.*.binary diff.*.algorithm diff.*.cachetextconv
	diff.*.wordregex filter.*.required
	status.short status.branch status.showuntrackedfiles status.relativepaths status.aheadbehind status.renames status.showstash
	log.date log.decorate log.abbrevcommit log.follow log.graphcolors log.mailmap log.showroot log.diffmerges log.excludedecoration
	blame.coloring blame.date blame.showemail blame.markunblamablelines blame.markignoredlines
	gc.auto gc.autopacklimit gc.autodetach gc.pruneexpire gc.reflogexpire gc.reflogexpireunreachable gc.worktreepruneexpire
	gc.writecommitgraph gc.packrefs gc.cruftpacks maintenance.auto maintenance.strategy maintenance.*.enabled maintenance.*.schedule
	pack.threads pack.window pack.windowmemory pack.depth pack.packsizelimit pack.usesparse pack.writereverseindex pack.compression
	commit.gpgsign commit.verbose commit.status commit.cleanup tag.gpgsign tag.sort gpg.format checkout.defaultremote checkout.guess
	checkout.workers worktree.guessremote grep.linenumber grep.patterntype grep.extendedregexp grep.column grep.fullname apply.whitespace
	interactive.singlekey notes.displayref notes.rewriteref stash.showpatch stash.showstat submodule.recurse
	submodule.active submodule.*.active submodule.*.branch submodule.*.ignore submodule.*.shallow submodule.*.fetchrecursesubmodules
	credential.username credential.usehttppath credential.*.username credential.*.usehttppath
	http.postbuffer http.version http.lowspeedlimit http.lowspeedtime http.extraheader http.*.extraheader
	receive.denycurrentbranch receive.denynonfastforwards receive.denydeletes
	lfs.repositoryformatversion lfs.*.access lfs.*.locksverify lfs.locksverify lfs.concurrenttransfers`}

// limitedSettings are harmless with some values only.
var limitedSettings = lazy.Value[[]limitedSetting]{Make: func() []limitedSetting {
	return []limitedSetting{
		{[]string{"core.bare"}, oneOf("false")},
		{[]string{"core.worktree", "core.hookspath"}, isPlainPath}, // where they lead is checked, see [repository.check]
		{[]string{"core.fsmonitor"}, isSwitch},                     // any other value is a program
		{[]string{"diff.submodule"}, oneOf("log", "short")},        // diff runs git in the submodule
		{[]string{"submodule.*.update"}, oneOf("checkout", "rebase", "merge", "none")},
		{[]string{"remote.*.url", "remote.*.pushurl", "branch.*.remote", "branch.*.pushremote", "submodule.*.url"}, isPlainAddress},
		{
			[]string{"credential.helper", "credential.*.helper"},
			oneOf("", "store", "cache", "osxkeychain", "manager", "manager-core", "libsecret", "wincred"),
		},
		{[]string{"filter.lfs.clean"}, oneOf("git-lfs clean -- %f")},
		{[]string{"filter.lfs.smudge"}, oneOf("git-lfs smudge -- %f", "git-lfs smudge --skip -- %f")},
		{[]string{"filter.lfs.process"}, oneOf("git-lfs filter-process", "git-lfs filter-process --skip")},
	}
}}

// limitedSetting are settings of git of which some values are harmless.
type limitedSetting struct {
	names  []string
	allows func(value string) bool
}

func oneOf(values ...string) func(string) bool {
	return func(v string) bool { return slices.Contains(values, v) }
}

// isSwitch reports whether git takes a value for true or false.
func isSwitch(value string) bool {
	return slices.Contains([]string{"", "true", "false", "yes", "no", "on", "off", "0", "1"}, strings.ToLower(value))
}

// isPlainPath reports whether a path has none of the beginnings that git replaces.
func isPlainPath(value string) bool {
	return value != "" && !strings.HasPrefix(value, "~") && !strings.HasPrefix(value, "%") && !strings.HasPrefix(value, ":")
}

// isPlainAddress reports whether a repository's address neither names a program, as ext::
// does, nor holds an option for one.
func isPlainAddress(value string) bool {
	return !strings.Contains(value, "::") && !strings.HasPrefix(value, "-") && !strings.Contains(value, "://-") && !strings.Contains(value, "@-")
}
