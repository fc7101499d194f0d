// Package obs writes the diagnostic log, and removes secrets from it, from errors and from
// events.
//
// [NewLogger] makes the one logger of a process. The program writes nothing else to
// stderr, and never logs to stdout, which carries the protocol. The SDKs print our stderr
// line by line and append its end to their errors. So a record is one line, the default
// level is quiet ([Levels]), and a line holds what a user needs: what happened, in which
// session, and why.
//
// Secrets are never logged. A [Redactor] knows the tokens and keys of the process and
// replaces them wherever they appear. It also replaces every value that is logged under a name
// that names a secret (see NamesSecret), even if it does not know the value. Code that receives a
// secret adds it to the Redactor before using it.
//
//	redactor := &obs.Redactor{}
//	redactor.Add(token)
//	log, closer, err := obs.NewLogger(obs.Options{Level: "info", Redactor: redactor})
//	defer closer.Close()
//	log.Info("session created", "session", id, "model", model)
//
// Keys are lower case, short and the same everywhere: session, conn, method, tool, model,
// err. Messages are constant; values belong in keys.
package obs
