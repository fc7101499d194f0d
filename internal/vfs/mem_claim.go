package vfs

import (
	"os"
	"slices"
)

func (f *memFile) Claim(c Claim) error {
	f.mem.mu.Lock()
	defer f.mem.mu.Unlock()
	if err := f.usable("claim", os.O_RDONLY); err != nil {
		return err
	}
	if err := f.usable("claim", os.O_WRONLY); err != nil {
		return err
	}
	if c == ClaimWrite && f.claimedByOther(c) {
		return pathError("claim", f.name, ErrClaimed)
	}
	if !slices.Contains(f.node.users, f) {
		f.node.users = append(f.node.users, f)
	}
	f.claims[c] = true
	return nil
}

func (f *memFile) Unclaim(c Claim) {
	f.mem.mu.Lock()
	defer f.mem.mu.Unlock()
	f.claims[c] = false
}

func (f *memFile) Holder(c Claim) int {
	f.mem.mu.Lock()
	defer f.mem.mu.Unlock()
	switch {
	case f.usable("holder", anyMode) != nil:
		return -1
	case f.claimedByOther(c):
		return os.Getpid()
	}
	return 0
}

// claimedByOther reports whether another handle has c. Handles from before a crash have
// no claims.
func (f *memFile) claimedByOther(c Claim) bool {
	return slices.ContainsFunc(f.node.users, func(u *memFile) bool {
		return u != f && u.life == f.mem.life && u.claims[c]
	})
}

// forget removes a handle that has been closed.
func (n *node) forget(f *memFile) {
	if i := slices.Index(n.users, f); i >= 0 {
		n.users = slices.Delete(n.users, i, i+1)
	}
}
