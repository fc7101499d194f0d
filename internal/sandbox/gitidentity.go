package sandbox

import (
	"context"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/sidestick-dev/sidestick/internal/lazy"
)

// gitKept are the user's settings of git that hold inside: who commits, and how text is
// treated. None names a program, a file, or a place with passwords. Signing is kept, although
// it fails inside, because a commit that should be signed must not silently be unsigned.
var gitKept = []string{
	"user.name", "user.email", "user.signingkey", "user.useconfigonly", "commit.gpgsign", "tag.gpgsign", "gpg.format",
	"init.defaultbranch", "init.defaultobjectformat", "safe.directory", "core.autocrlf", "core.eol", "core.safecrlf", "core.quotepath",
	"core.whitespace", "core.abbrev", "core.ignorecase", "core.filemode", "core.precomposeunicode", "push.default", "pull.rebase", "pull.ff",
	"merge.conflictstyle", "merge.ff", "diff.algorithm", "diff.renames", "diff.mnemonicprefix", "diff.noprefix", "diff.colormoved",
	"log.date", "log.decorate", "status.short", "status.branch", "status.showuntrackedfiles", "branch.sort", "tag.sort", "column.ui",
	"rerere.enabled", "rebase.autosquash", "rebase.autostash", "fetch.prune", "color.ui", "i18n.commitencoding", "advice.detachedhead",
}

// gitTime bounds reading the user's settings of git, which takes a few milliseconds.
const gitTime = 2 * time.Second

// gitSettingsOf returns the user's settings of git that hold inside, in the format of its files.
// It is empty if there is no git, or no settings.
func gitSettingsOf(env []string) string {
	ctx, cancel := context.WithTimeout(context.Background(), gitTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, "git", "config", "--global", "--includes", "--list", "-z")
	cmd.Dir, cmd.Env, cmd.WaitDelay = "/", env, gitTime
	list, err := cmd.Output()
	if err != nil {
		return ""
	}
	return gitFile(string(list))
}

// gitFile writes the settings of a list, as git prints it with -z, that hold inside.
func gitFile(list string) string {
	var text strings.Builder
	for entry := range strings.SplitSeq(list, "\x00") {
		name, value, ok := strings.Cut(entry, "\n")
		section, key, dotted := strings.Cut(name, ".")
		if !dotted || !slices.Contains(gitKept, strings.ToLower(name)) {
			continue
		}
		text.WriteString("[" + section + "]\n\t" + key)
		if ok { // without a value it is true
			text.WriteString(" = \"" + gitQuote.Get().Replace(value) + "\"")
		}
		text.WriteString("\n")
	}
	return text.String()
}

// gitQuote escapes a value. Source: git-config(1), "Syntax".
var gitQuote = lazy.Value[*strings.Replacer]{Make: func() *strings.Replacer {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`, "\b", `\b`)
}}
