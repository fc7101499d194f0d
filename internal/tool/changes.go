package tool

import "github.com/aymanbagabas/go-udiff"

// Changes returns the unified diff of two versions of a file, with the file's name in it, and
// how many lines it adds and removes. An absent version is "".
func Changes(name, before, after string) (diff string, added, removed int64) {
	edits := udiff.Lines(before, after)
	u, err := udiff.ToUnifiedDiff("a/"+name, "b/"+name, before, edits, 3)
	if err != nil {
		return "", 0, 0 // cannot be: the edits are of this text
	}
	for _, h := range u.Hunks {
		for _, l := range h.Lines {
			switch l.Kind {
			case udiff.Insert:
				added++
			case udiff.Delete:
				removed++
			}
		}
	}
	return u.String(), added, removed
}
