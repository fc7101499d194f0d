package files

import "github.com/sidestick-dev/sidestick/internal/eventlog"

// RepairOf returns what opening a stream has repaired; nil if nothing.
func RepairOf(s eventlog.Stream) *Repair { return s.(*stream).repair }
