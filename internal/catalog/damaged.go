package catalog

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// moveAsideEvery bounds how often a damaged database is replaced. If it is damaged again
// within this time, the disk is the cause.
const moveAsideEvery = time.Minute

// replace moves a database aside that is damaged or has other tables. An error is the
// reason why it may not: the database belongs to another program, or it has just been
// replaced without success.
func (c *Catalog) replace(why error) error {
	mine := c.file.info
	c.file.close()
	switch {
	case c.opts.Existing:
		return why
	case errors.Is(why, errForeign) && c.file.opened: // a newer program has replaced it while this one was running
		return why
	case !c.file.movedAside.IsZero() && time.Since(c.file.movedAside) < moveAsideEvery:
		return why
	}
	c.file.movedAside = time.Now()
	if now, err := disk.Stat(c.opts.Path); err == nil && mine != nil && !os.SameFile(now, mine) {
		return nil // another process has replaced it already
	}
	c.removeOldDamaged()
	name := fmt.Sprintf("%s.damaged-%d", c.opts.Path, c.file.movedAside.UnixMilli())
	for _, part := range []string{"-wal", "-shm", ""} { // the WAL first: SQLite must never apply it to a new database
		if err := disk.Rename(c.opts.Path+part, name+part); err != nil && !os.IsNotExist(err) {
			return err
		}
	}
	c.opts.Logger.Warn("the catalogue was damaged and is built again from the logs", "path", c.opts.Path, "kept", name, "err", why)
	return nil
}

// removeOldDamaged removes databases that were moved aside earlier. One is enough to find
// the cause.
func (c *Catalog) removeOldDamaged() {
	dir, base := filepath.Split(c.opts.Path)
	entries, err := disk.ReadDir(filepath.Clean(dir))
	if err != nil {
		return
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), base+".damaged-") {
			_ = disk.Remove(filepath.Join(dir, e.Name())) // a file that stays only takes up space
		}
	}
}
