// Package obs is how the program tells its operator what it does: logs now,
// traces and metrics when there is something to measure.
//
// [NewLogger] makes the one logger of a process. The program has no other voice
// on stderr and never writes to stdout, which belongs to the wire: the SDKs that
// start us print our stderr line by line and append its end to their errors, so
// a record is one line, the default is quiet ([Levels]), and a line says what a
// person needs: what happened, to which session, and why.
//
// Nothing secret leaves. A [Redactor] knows the tokens and keys the process was
// given and blanks them wherever they turn up, and blanks whatever is logged
// under a name such as "authorization" even if it was never told of the value.
// Whoever learns of a secret adds it before using it.
//
//	redactor := &obs.Redactor{}
//	redactor.Add(token)
//	log, closer, err := obs.NewLogger(obs.Options{Level: "info", Redactor: redactor})
//	defer closer.Close()
//	log.Info("session created", "session", id, "model", model)
//
// Keys are lower case, short and the same everywhere: session, conn, method,
// tool, model, err. Messages are constant, without the values that go in keys.
package obs
