package prompt

import (
	"fmt"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/wire"
)

// reference returns a line about an item on GitHub: its name, [its kind], details, and its
// URL; "" for other kinds of attachments. Recordings match github_reference; the others
// follow its form.
func reference(kind string, item wire.Raw) string {
	text := func(keys ...string) string {
		at := item
		for _, k := range keys {
			at = at.Get(k)
		}
		return oneLine(at.Text(), maxLine)
	}
	repo := func(at wire.Raw) string {
		if at.Get("owner").Text() == "" {
			return oneLine(at.Get("name").Text(), maxLine)
		}
		return oneLine(at.Get("owner").Text()+"/"+at.Get("name").Text(), maxLine)
	}
	where := repo(item.Get("repo"))
	switch kind {
	case "github_reference":
		return line(fmt.Sprintf("#%d", number(item.Get("number"))), text("title"), text("url"), text("referenceType"), text("state"))
	case "github_commit":
		return line(where+"@"+text("oid"), text("message"), text("url"), "commit")
	case "github_release":
		return line(where+" "+text("tagName"), text("name"), text("url"), "release")
	case "github_actions_job":
		name := fmt.Sprintf("%s job %d", where, number(item.Get("jobId")))
		return line(name, text("workflowName")+" / "+text("jobName"), text("url"), "actions job", text("conclusion"))
	case "github_repository":
		return line(at(where, text("ref")), text("description"), text("url"), "repository")
	case "github_file":
		return line(at(where, text("ref"))+":"+text("path"), "", text("url"), "file")
	case "github_snippet":
		lines := item.Get("lineRange")
		path := fmt.Sprintf("%s:%d-%d", text("path"), number(lines.Get("start")), number(lines.Get("end")))
		return line(at(where, text("ref"))+":"+path, "", text("url"), "snippet")
	case "github_file_diff":
		side := func(s wire.Raw) string {
			if s == nil || string(s) == "null" {
				return "nothing"
			}
			return at(repo(s.Get("repo")), oneLine(s.Get("ref").Text(), maxLine)) + ":" + oneLine(s.Get("path").Text(), maxLine)
		}
		return line(side(item.Get("base"))+" to "+side(item.Get("head")), "", text("url"), "file diff")
	case "github_tree_comparison":
		side := func(s wire.Raw) string { return at(repo(s.Get("repo")), oneLine(s.Get("revision").Text(), maxLine)) }
		return line(side(item.Get("base"))+" to "+side(item.Get("head")), "", text("url"), "comparison")
	case "github_url":
		return line(text("url"), "", "", "url")
	}
	return ""
}

// at returns the name of a repository at a revision.
func at(repo, revision string) string {
	if revision == "" {
		return repo
	}
	return repo + "@" + revision
}

func line(name, title, url string, tags ...string) string {
	var b strings.Builder
	b.WriteString(name)
	if title != "" {
		b.WriteString(" - " + title)
	}
	for _, t := range tags {
		if t != "" {
			b.WriteString(" [" + t + "]")
		}
	}
	if url != "" {
		b.WriteString(" (" + url + ")")
	}
	return b.String()
}
