package sandbox

// privateFolders are the private folders of a running sandbox, by their names inside.
func (b *Boxes) privateFolders(p Policy) map[string]string {
	b.mu.Lock()
	defer b.mu.Unlock()
	box := b.open[p.Key()]
	if box == nil {
		return nil
	}
	return map[string]string{box.home: box.rooms.home, box.tmp: box.rooms.tmp}
}
