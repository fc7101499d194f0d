package wire

// UnreadFields returns the settings on which this version does not act.
func UnreadFields() []Setting { return unreadSettings }
