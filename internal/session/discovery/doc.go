// Package discovery finds what folders hold for a session: instructions for the model,
// skills, agents, prompts in files, and the git repository that a folder belongs to. It also
// keeps which skills the user has turned off.
//
// [Finder] does the finding; a process has one. It answers for any folder, without a
// session. [Discovery] is what one session has found: it searches where the session's
// [Scope] says, keeps the last result, and searches again when a run starts or a client
// asks. It reads files only on the caller's goroutine, which is never that of the
// session; [Discovery.Listing], [Discovery.Texts] and [Discovery.Forget] return at once.
// Which folders of a project are searched, how files are read and what the model sees of them is
// in package prompt; here is whose project is searched, and whether the user trusts it.
package discovery
