package wire

// MaxName bounds the name of a session, in characters. Source: the SDK's schema.
const MaxName = 100

// NamedEvent returns the event that keeps the name of a session.
func NamedEvent(n SessionName) Data {
	return WithJSON(&SessionInfo{InfoType: InfoSessionNamed, Message: "The session is called " + n.Name + "."}, FieldNamed, n)
}

// InstructionsSkipped returns the event that says whether the files with instructions are left unread.
func InstructionsSkipped(skip bool) Data {
	message := "Files with instructions are read again."
	if skip {
		message = "No files with instructions are read."
	}
	return WithJSON(&SessionInfo{InfoType: InfoInstructionsSkipped, Message: message}, FieldSkipped, skip)
}
