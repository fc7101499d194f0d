//go:build !linux

package sandbox

// privateFolders would be the private folders of a running sandbox. Nothing is tried in a sandbox on this system.
func (b *Boxes) privateFolders(Policy) map[string]string { return nil }
