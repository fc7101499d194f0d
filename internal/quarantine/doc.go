// Package quarantine looks at what commands of a model have made in the user's folders, and moves aside what
// would act later: what makes programs run when the user enters a folder, opens it in an editor, asks git for
// the status, or starts this program again. It stays aside until the user takes it back.
//
// A [Store] keeps what was moved aside, in a folder of the user's home, for all sessions. A [Guard] is the
// part of one session: the tools call [Guard.Begin] before a command that may write and the function that it
// returns when the command is over, and [Guard.Written] after a file tool has written. Package sandbox says
// what there is ([sandbox.Traces]), and package effects whether a repository of git makes programs run.
//
// Something is moved aside by renaming it in its folder, to a name that ends with ".untrusted"; of a
// repository of git its HEAD, without which git does not take the folder for a repository. So nothing is lost, and
// it stays aside also if this program ends. What existed before a session is touched only if its
// content has changed and no sandbox could cover it.
//
// While a command of the model runs, or has left something that runs, what appears counts as the model's. What
// appears at other times is the user's. A process that is killed cannot look any more: what it had seen before the
// latest command is in a file of the store, and the next session that uses one of these folders looks in its place.
package quarantine
