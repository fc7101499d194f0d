package question

import (
	"cmp"
	"path/filepath"

	"github.com/sidestick-dev/sidestick/internal/session/approval"
	"github.com/sidestick-dev/sidestick/internal/timeline"
)

// link is where symbolic links lead that are in the path of a file. A repository can have links to
// files of the user, so the path alone does not say what is read or changed.
type link struct {
	target string // "" if there is no link
	leaves bool   // the target is in none of the folders that the session works in
	barred bool   // it is outside the allowed folders
}

// linkOf returns the link in the path of a request to read or write a file.
func linkOf(q timeline.Request, cwd string, o approval.Offer) link {
	name := cmp.Or(q.FileName, q.Path)
	if q.Kind != "write" && q.Kind != "read" || q.Resolved == "" || q.Resolved == name {
		return link{}
	}
	own := o.Folders
	own.Anywhere = false
	if len(own.All()) == 0 {
		own.Primary, own.Unchosen = cwd, false
	}
	l := link{target: q.Resolved, leaves: !own.Contains(q.Resolved)}
	l.barred = l.leaves && !o.Folders.Anywhere
	short := timeline.RelativePath(name, cwd)
	if !l.leaves && !filepath.IsAbs(short) && timeline.RelativePath(q.Resolved, own.Primary) == short {
		return link{} // the folder of the session is itself below a link
	}
	return l
}

// leads adds where a link leads.
func (out *Question) leads(l link) {
	switch {
	case l.target == "":
	case l.barred:
		out.note("asked because", "a symbolic link leads out of the allowed folders", Caution)
		out.exact("leads to", l.target+", outside the allowed folders", Caution)
	case l.leaves:
		out.exact("leads to", l.target, Caution)
	default:
		out.exact("leads to", l.target, Normal)
	}
}
