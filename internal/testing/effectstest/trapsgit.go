package effectstest

// bare makes the folder $1 a bare repository whose settings run a program at the next git command in
// it: core.worktree makes git status work there.
const bare = `b() { mkdir -p $1/objects $1/refs && echo 'ref: refs/heads/main' > $1/HEAD && printf '[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = .\n\tfsmonitor = touch /outside/pwned\n' > $1/config; }; `

// trapsGit: folders that are git repositories, and settings of git.
var trapsGit = []Trap{
	// Repositories below the top.
	{Command: "git init -q docs; git -C docs config core.fsmonitor 'touch /outside/pwned'", Source: "git-config: core.fsmonitor; git status in a folder"},
	{Command: "git init -q x.d/deep; git -C x.d/deep config core.fsmonitor 'touch /outside/pwned'", Source: "git-config: core.fsmonitor"},
	{Command: "mkdir -p a1/b1/c1/d1 && git init -q a1/b1/c1/d1 && git -C a1/b1/c1/d1 config core.fsmonitor 'touch /outside/pwned'", Source: "git-config: core.fsmonitor, deep"},
	{Command: "git init -q docs; git -C docs config core.pager 'touch /outside/pwned; cat'; git -C docs -c user.name=a -c user.email=a@b commit -q --allow-empty -m x", Source: "git-config: core.pager"},
	{Command: "git init -q docs; git -C docs config pager.status 'touch /outside/pwned; cat'", Source: "git-config: pager.<cmd>"},
	{Command: "git init -q docs; git -C docs config diff.external 'touch /outside/pwned'; echo x > docs/x; git -C docs add x; echo y > docs/x", Source: "git-config: diff.external"},
	{Command: "git init -q docs; git -C docs config diff.x.textconv 'touch /outside/pwned;:'; echo '* diff=x' > docs/.gitattributes; echo x > docs/x; git -C docs add x; echo y > docs/x", Source: "gitattributes: textconv"},
	{Command: "git init -q docs; git -C docs config diff.x.command 'touch /outside/pwned;:'; echo '* diff=x' > docs/.gitattributes; echo x > docs/x; git -C docs add x; echo y > docs/x", Source: "gitattributes: an external diff driver"},
	{Command: "git init -q docs; git -C docs config filter.x.clean 'touch /outside/pwned; cat'; echo '* filter=x' > docs/.gitattributes", Source: "gitattributes: filter"},
	{Command: "git init -q docs; git -C docs config filter.x.process 'touch /outside/pwned; false'; echo '* filter=x' > docs/.gitattributes", Source: "gitattributes: filter.<driver>.process"},
	{Command: "git init -q docs; git -C docs config filter.x.clean 'touch /outside/pwned; cat'; echo '* filter=x' > docs/.git/info/attributes", Source: "gitattributes: info/attributes"},
	{Command: "git init -q docs; git -C docs config core.attributesFile attrs; echo '* filter=x' > docs/attrs; git -C docs config filter.x.clean 'touch /outside/pwned; cat'", Source: "git-config: core.attributesFile"},
	{Command: "git init -q docs; printf '#!/bin/sh\\ntouch /outside/pwned\\n' > docs/.git/hooks/pre-commit; chmod +x docs/.git/hooks/pre-commit", Source: "githooks: pre-commit"},
	{Command: "git init -q docs; printf '#!/bin/sh\\ntouch /outside/pwned\\n' > docs/.git/hooks/post-index-change; chmod +x docs/.git/hooks/post-index-change", Source: "githooks: post-index-change"},
	{Command: "git init -q docs; git -C docs config core.hooksPath h; mkdir docs/h; printf '#!/bin/sh\\ntouch /outside/pwned\\n' > docs/h/pre-commit; chmod +x docs/h/pre-commit", Source: "git-config: core.hooksPath"},
	{Command: "mkdir t; printf '#!/bin/sh\\ntouch /outside/pwned\\n' > t/pre-commit; chmod +x t/pre-commit; git init -q --template=/dev/null docs; ln -s ../../t docs/.git/hooks", Source: "githooks: a link to a folder"},
	{Command: "git init -q docs; git -C docs config include.path ../inc; printf '[core]\\n\\tfsmonitor = touch /outside/pwned\\n' > docs/inc", Source: "git-config: include.path"},
	{Command: "git init -q docs; git -C docs config includeIf.onbranch:**.path ../inc; printf '[core]\\n\\tfsmonitor = touch /outside/pwned\\n' > docs/inc", Source: "git-config: includeIf"},
	{Command: "git init -q docs; git -C docs config core.editor 'touch /outside/pwned; echo m >'; echo x > docs/new", Source: "git-config: core.editor"},
	{Command: "git init -q docs; git -C docs config sequence.editor 'touch /outside/pwned'; git -C docs config core.fsmonitor 'touch /outside/pwned'; git -C docs config alias.status '!touch /outside/pwned'", Source: "git-config: alias"},
	{Command: "git init -q docs; git -C docs config core.sshCommand 'touch /outside/pwned;:'; git -C docs remote add origin ssh://localhost/x", Source: "git-config: core.sshCommand"},
	{Command: "git init -q docs; printf '#!/bin/sh\\ntouch /outside/pwned\\n' > docs/p; chmod +x docs/p; git -C docs config core.gitProxy ./p; git -C docs remote add origin git://localhost/x", Source: "git-config: core.gitProxy"},
	{Command: "git init -q docs; git -C docs config credential.helper '!touch /outside/pwned'; git -C docs config remote.origin.uploadpack 'touch /outside/pwned;:'; git -C docs remote add other ../x; git -C docs config remote.origin.url .; git -C docs config remote.origin.fetch '+refs/*:refs/*'", Source: "git-config: remote.<name>.uploadpack"},
	{Command: "git init -q docs; git -C docs config gpg.program 'touch /outside/pwned;:'; git -C docs config commit.gpgSign true; printf '#!/bin/sh\\ntouch /outside/pwned\\n' > docs/g; chmod +x docs/g; git -C docs config gpg.program ./g; echo x > docs/x", Source: "git-config: gpg.program, commit.gpgSign"},
	{Command: "git init -q docs; printf '#!/bin/sh\\ntouch /outside/pwned\\n' > docs/g; chmod +x docs/g; git -C docs config gpg.ssh.program ./g; git -C docs config gpg.format ssh; git -C docs config user.signingKey k; git -C docs config commit.gpgSign true; echo x > docs/x", Source: "git-config: gpg.ssh.program"},
	{Command: "git init -q docs; git -C docs config trailer.x.cmd 'touch /outside/pwned'; git -C docs config core.fsmonitor .git/f; printf '#!/bin/sh\\ntouch /outside/pwned\\n' > docs/.git/f; chmod +x docs/.git/f", Source: "git-config: core.fsmonitor, a program in .git"},
	{Command: "cp -r .git docs/.git; git config -f docs/.git/config core.fsmonitor 'touch /outside/pwned'", Source: "a copied repository"},
	{Command: "git clone -q . copy; git config -f copy/.git/config core.fsmonitor 'touch /outside/pwned'", Source: "git-clone, into the folder"},
	{Command: "mkdir tarred; git init -q tarred/x; git -C tarred/x config core.fsmonitor 'touch /outside/pwned'; tar cf r.tar -C tarred x; rm -rf tarred; tar xf r.tar -C docs", Source: "a repository out of an archive"},
	{Command: "git init -q other; git -C other config core.fsmonitor 'touch /outside/pwned'; mv other docs/other", Source: "a repository is moved"},
	{Command: "git init -q docs; git -C docs config core.worktree ..; git -C docs config core.fsmonitor 'touch /outside/pwned'", Source: "git-config: core.worktree"},
	{Command: "git -C nested config core.fsmonitor 'touch /outside/pwned'; mv nested/.git nested/g; cp -r nested/g nested/.git; git config -f nested/.git/config core.fsmonitor 'touch /outside/pwned'", Source: "a repository is replaced by a copy"},
	{Command: "mv nested nested.old; cp -r nested.old nested; git config -f nested/.git/config core.fsmonitor 'touch /outside/pwned'", Source: "the folder above a repository is replaced"},
	{Command: "mkdir -p node_modules/p && git init -q node_modules/p && git -C node_modules/p config core.fsmonitor 'touch /outside/pwned'", Source: "a repository in node_modules"},
	{Command: "git init -q node_modules; git -C node_modules config core.fsmonitor 'touch /outside/pwned'", Source: "node_modules is a repository"},
	{Command: "mkdir vendor; git init -q vendor/m; git -C vendor/m -c user.name=a -c user.email=a@b commit -q --allow-empty -m x; git -C vendor/m config core.fsmonitor 'touch /outside/pwned'", Source: "git add makes a submodule of it, and git status visits that"},

	// Bare repositories: a folder is one by what is in it.
	{Command: bare + "b docs", Source: "a bare repository is known by HEAD, objects and refs: git-config, safe.bareRepository"},
	{Command: bare + "b docs/x", Source: "safe.bareRepository"},
	{Command: bare + "b a2/b2/c2/d2/e2", Source: "safe.bareRepository, deep"},
	{Command: bare + "b node_modules/x", Source: "safe.bareRepository, in node_modules"},
	{Command: bare + "b docs; rm -r docs/objects; mkdir docs/objects; mv docs/HEAD docs/h; mv docs/h docs/HEAD", Source: "safe.bareRepository, made by renames"},
	{Command: "mkdir -p docs/objects docs/refs; echo 'ref: refs/heads/main' > docs/HEAD", Next: "printf '[core]\\n\\trepositoryformatversion = 0\\n\\tbare = false\\n\\tworktree = .\\n\\tfsmonitor = touch /outside/pwned\\n' > docs/config", Source: "a bare repository that is made by two commands"},
	{Command: "printf '[core]\\n\\trepositoryformatversion = 0\\n\\tbare = false\\n\\tworktree = .\\n\\tfsmonitor = touch /outside/pwned\\n' > docs/config; mkdir -p docs/objects docs/refs", Next: "echo 'ref: refs/heads/main' > docs/HEAD", Source: "a bare repository that is made by two commands, HEAD last"},
	{Command: "printf '[core]\\n\\trepositoryformatversion = 0\\n\\tbare = false\\n\\tworktree = .\\n\\tfsmonitor = touch /outside/pwned\\n' > docs/config; echo 'ref: refs/heads/main' > docs/HEAD; mkdir docs/refs", Next: "mkdir docs/objects", Source: "a bare repository that is made by two commands, objects last"},
	{Command: "git clone -q --bare . docs/mirror; git -C docs/mirror config core.pager 'touch /outside/pwned; cat'", Source: "git-clone: --bare"},
	{Command: "git init -q --bare docs; git -C docs config core.bare false; git -C docs config core.worktree .; git -C docs config core.fsmonitor 'touch /outside/pwned'", Source: "git-init: --bare"},
	{Command: bare + "mkdir r; b r; mkdir e; mv r/config e/; ln -s ../e/config r/config", Source: "safe.bareRepository: its config is a link"},
	{Command: bare + "b r; rm r/HEAD; echo 0123456789012345678901234567890123456789 > r/HEAD", Source: "gitrepository-layout: a detached HEAD"},
	{Command: bare + "b r; rm r/HEAD; ln -s refs/heads/main r/HEAD", Source: "gitrepository-layout: HEAD as a link"},
	{Command: bare + "b r; rm -r r/objects r/refs; mkdir objs rfs; ln -s ../objs r/objects; ln -s ../rfs r/refs", Source: "gitrepository-layout: objects and refs as links"},
	{Command: bare + "b real; rm -r docs; ln -s real docs", Source: "a folder becomes a link to a bare repository"},
	{Command: bare + "b real; mv docs documents; mv real docs", Source: "a folder is replaced by a bare repository"},
	{Command: bare + "b docs.untrusted; b x.untrusted/y", Source: "names that the program itself gives"},
	{Command: bare + "b 'with space'; b $'new\\nline'; b -dash 2>/dev/null; b ./-dash", Source: "safe.bareRepository: names with special characters"},
	{Command: bare + "b $'docs/\\xff\\xfe'; b docs/ünïcode", Source: "safe.bareRepository: names that are no UTF-8"},
	{Command: bare + "b docs; chmod 500 docs docs/objects docs/refs", Source: "safe.bareRepository: a folder that cannot be written"},
	{Command: bare + "b docs; chmod 311 docs", Source: "safe.bareRepository: a folder that cannot be listed, and that the user enters"},
	{Command: bare + "d=l; for i in $(seq 65); do d=$d/x; done; mkdir -p $d; b $d/r", Source: "safe.bareRepository, 65 levels deep"},
	{Command: bare + "for i in $(seq 260); do echo > '!'$i.code-workspace; done; b docs", Source: "more protected names than a limit"},
	{Command: bare + "mkdir many; cd many; seq 20500 | xargs mkdir; cd ..; b zz", Source: "more folders than a limit"},

	// .git as a file, worktrees and submodules.
	{Command: bare + "b gd; echo 'gitdir: ../gd' > docs/.git; git config -f gd/config --unset core.worktree", Source: "gitrepository-layout: a .git that is a file"},
	{Command: bare + "b gd; echo 'gitdir: /w/gd' > docs/.git; git config -f gd/config --unset core.worktree", Source: "gitrepository-layout: a .git that is a file, absolute"},
	{Command: bare + "echo 'gitdir: ../later' > docs/.git", Next: bare + "b later; git config -f later/config --unset core.worktree", Source: "gitrepository-layout: the folder that it names is made later"},
	{Command: bare + "b gd; git config -f gd/config --unset core.worktree; ln -s ../gd docs/.git", Source: "gitrepository-layout: a .git that is a link"},
	{Command: bare + "b gd; git config -f gd/config --unset core.worktree; echo 'gitdir: ../gd' > g; ln -s ../g docs/.git", Source: "gitrepository-layout: a .git that is a link to a file"},
	{Command: bare + "b gd; git config -f gd/config --unset core.worktree; rm -rf sub; mkdir sub; echo 'gitdir: ../gd' > sub/.git", Source: "CVE-2018-11235: a submodule of another repository"},
	{Command: bare + "b gd; git config -f gd/config --unset core.worktree; mv sub s; mkdir sub; echo 'gitdir: ../gd' > sub/.git", Source: "CVE-2018-11235: a submodule is moved away"},
	{Command: bare + "b gd; git config -f gd/config --unset core.worktree; mkdir wt; echo 'gitdir: ../gd/worktrees/wt' > wt/.git; mkdir -p gd/worktrees/wt; echo ../.. > gd/worktrees/wt/commondir; echo 'ref: refs/heads/x' > gd/worktrees/wt/HEAD; echo /w/wt/.git > gd/worktrees/wt/gitdir", Source: "git-worktree: commondir"},
	{Command: "git init -q docs; git -C docs config extensions.worktreeConfig true; printf '[core]\\n\\tfsmonitor = touch /outside/pwned\\n' > docs/.git/config.worktree", Source: "git-worktree: config.worktree"},
	{Command: bare + "b gd; git init -q docs; echo ../../gd > docs/.git/commondir; git config -f gd/config --unset core.worktree", Source: "gitrepository-layout: commondir in a new repository"},
	{Command: bare + "mkdir -p docs/.git/refs; b gd; git config -f gd/config --unset core.worktree; echo 'ref: refs/heads/main' > docs/.git/HEAD; echo ../../gd > docs/.git/commondir", Source: "gitrepository-layout: a .git with HEAD and commondir alone"},
	{Command: "git init -q docs; mkdir -p docs/.git/modules/m; git init -q --bare docs/.git/modules/m; git -C docs/.git/modules/m config core.bare false; mkdir docs/m; echo 'gitdir: ../.git/modules/m' > docs/m/.git; git -C docs/m config core.worktree ../../../m; git -C docs/m config core.fsmonitor 'touch /outside/pwned'", Source: "CVE-2018-11235: modules of a new repository"},
	{Command: "git init -q docs; mkdir -p docs/.git/objects/info; echo /w/.git/objects > docs/.git/objects/info/alternates; cp .git/index docs/.git/index; git -C docs config core.fsmonitor 'touch /outside/pwned'", Source: "gitrepository-layout: objects/info/alternates"},
	{Command: "git init -q docs; cd docs; git -c user.name=a -c user.email=a@b commit -q --allow-empty -m x; mkdir .git/rebase-merge; h=$(git rev-parse HEAD); echo $h > .git/rebase-merge/onto; echo $h > .git/rebase-merge/orig-head; echo refs/heads/x > .git/rebase-merge/head-name; touch .git/rebase-merge/interactive .git/rebase-merge/done; echo 'exec touch /outside/pwned' > .git/rebase-merge/git-rebase-todo", Source: "git-rebase: exec; the user continues it"},
	{Command: "mv .git dotgit; cp -r dotgit .git; git config -f .git/config core.fsmonitor 'touch /outside/pwned'", Source: "CVE-2022-24765: another .git takes the place"},
	{Command: "git worktree add -q wt2 -b wt2; printf '[core]\\n\\tfsmonitor = touch /outside/pwned\\n' > .git/worktrees/wt2/config.worktree; git config extensions.worktreeConfig true", Source: "git-worktree"},
	{Command: "git worktree add -q wt3 -b wt3; rm wt3/.git; git init -q wt3; git -C wt3 config core.fsmonitor 'touch /outside/pwned'", Source: "git-worktree: a worktree becomes a repository"},
	{Command: "git config core.fsmonitor 'touch /outside/pwned'", Source: "git-config: core.fsmonitor"},
	{Command: "git config --local include.path ../docs/inc; printf '[core]\\n\\tfsmonitor = touch /outside/pwned\\n' > docs/inc", Source: "git-config: include.path"},
	{Command: "echo 'touch /outside/pwned' > .git/hooks/post-index-change; chmod +x .git/hooks/post-index-change", Source: "githooks: post-index-change"},

	// Upper and lower case, and names that a file system takes for .git.
	{Command: "mkdir docs/.GIT; printf '[core]\\n\\tfsmonitor = touch /outside/pwned\\n' > docs/.GIT/config; echo x > docs/.ENVRC", Source: "CVE-2014-9390: names in other case"},
	{Command: "mkdir -p 'docs/git~1/hooks'; echo x > 'docs/git~1/config'", Source: "CVE-2014-9390: short names of Windows"},

	// By processes that go on after the command.
	{Command: bare + "(sleep .4; b docs) > /dev/null 2>&1 &", Next: "sleep 1", Source: "a process in the background"},
	{Command: bare + "export -f b; setsid bash -c 'sleep .4; b docs' > /dev/null 2>&1 < /dev/null &", Next: "sleep 1", Source: "man setsid"},
	{Command: bare + "export -f b; nohup bash -c 'sleep .4; b docs' > /dev/null 2>&1 &", Next: "sleep 1", Source: "man nohup"},
	{Command: bare + "(for i in $(seq 200); do b docs; sleep .01; done) > /dev/null 2>&1 &", Next: "sleep .5", Source: "a process makes it again and again"},
	{Command: bare + "(while :; do [ -s docs/again/config ] || b docs/again; done) > /dev/null 2>&1 &", Next: "sleep .2", Source: "a process makes it again and again, until the session ends"},
	{Command: bare + "export -f b; (setsid bash -c 'while :; do [ -s docs/again/config ] || b docs/again; done' > /dev/null 2>&1 < /dev/null &)", Next: "sleep .2", Source: "a daemon makes it again and again, until the session ends"},
	{Command: "git init -q docs; (sleep .4; git -C docs config core.fsmonitor 'touch /outside/pwned') > /dev/null 2>&1 &", Next: "sleep 1", Source: "the settings come later than the repository"},

	// Scripts of the project that the user's own settings of git name.
	{Before: ownHooks, Command: "printf '#!/bin/sh\\ntouch /outside/pwned\\n' > scripts/hooks/pre-commit", Source: "git-config: core.hooksPath in the tree"},
	{Before: ownHooks, Command: "printf '#!/bin/sh\\ntouch /outside/pwned\\n' > scripts/hooks/post-index-change; chmod +x scripts/hooks/*", Source: "git-config: core.hooksPath in the tree, a new hook"},
	{Before: ownHooks, Command: "mv scripts scripts2; mkdir -p scripts/hooks; printf '#!/bin/sh\\ntouch /outside/pwned\\n' > scripts/hooks/pre-commit; chmod +x scripts/hooks/*", Source: "git-config: core.hooksPath in the tree, the folder is replaced"},
	{Before: ownHooks, Command: "rm -rf scripts/hooks; mkdir h; printf '#!/bin/sh\\ntouch /outside/pwned\\n' > h/pre-commit; chmod +x h/*; ln -s ../h scripts/hooks", Source: "git-config: core.hooksPath in the tree, a link"},
	{Before: ownHooks, Command: "printf 'touch /outside/pwned\\n' > scripts/hooks/lib.sh", Source: "git-config: what a hook in the tree reads"},
	{Before: ownHooks, Command: "printf '#!/bin/sh\\nmkdir -p e; cp -r .git/. e; git config -f e/config core.fsmonitor \"touch /outside/pwned\"; echo ../e > .git/commondir\\n' > scripts/hooks/post-commit; chmod +x scripts/hooks/post-commit", Next: "git commit -q --allow-empty -m x", Source: "gitrepository-layout: commondir, by a hook in the tree"},
	{Before: ownFilter, Command: "printf '#!/bin/sh\\ntouch /outside/pwned; cat\\n' > tools/clean.sh", Source: "gitattributes: filter.<driver>.clean in the tree"},
	{Before: ownFilter, Command: "rm tools/clean.sh; printf '#!/bin/sh\\ntouch /outside/pwned; cat\\n' > c; chmod +x c; ln -s ../c tools/clean.sh; touch a.txt docs/c.md", Source: "gitattributes: filter.<driver>.clean in the tree, a link"},
	{Before: ownFilter, Command: "mv tools t; mkdir tools; printf '#!/bin/sh\\ntouch /outside/pwned; cat\\n' > tools/clean.sh; chmod +x tools/clean.sh", Source: "gitattributes: the folder of a filter is replaced"},
	{Before: ownMonitor, Command: "printf '#!/bin/sh\\ntouch /outside/pwned\\n' > tools/fsm", Source: "git-config: core.fsmonitor in the tree"},
	{Before: ownMonitor, Command: "mv tools t; mkdir tools; printf '#!/bin/sh\\ntouch /outside/pwned\\n' > tools/fsm; chmod +x tools/fsm", Source: "git-config: core.fsmonitor in the tree, the folder is replaced"},
	{Before: "mkdir -p tools; printf '#!/bin/sh\\ncat\\n' > tools/page; chmod +x tools/page; git config core.pager ./tools/page", Command: "printf '#!/bin/sh\\ntouch /outside/pwned; cat\\n' > tools/page", Source: "git-config: core.pager in the tree"},
	{Before: "mkdir -p tools; printf '#!/bin/sh\\n:\\n' > tools/diff; chmod +x tools/diff; git config diff.external ./tools/diff", Command: "printf '#!/bin/sh\\ntouch /outside/pwned\\n' > tools/diff; echo more >> a.txt", Source: "git-config: diff.external in the tree"},
	{Before: "mkdir -p tools; printf '#!/bin/sh\\necho m > $1\\n' > tools/edit; chmod +x tools/edit; git config core.editor /w/tools/edit", Command: "printf '#!/bin/sh\\ntouch /outside/pwned\\n' > tools/edit; echo more >> a.txt", Source: "git-config: core.editor in the tree"},
	{Before: "mkdir -p conf; printf '[user]\\n\\tname = Me\\n' > conf/shared; git config include.path ../conf/shared", Command: "printf '[core]\\n\\tfsmonitor = touch /outside/pwned\\n' >> conf/shared", Source: "git-config: include.path in the tree"},
	{Before: "git config include.path ../conf/shared", Command: "mkdir conf; printf '[core]\\n\\tfsmonitor = touch /outside/pwned\\n' >> conf/shared", Source: "git-config: include.path in the tree, to a file that is not there"},
	{Before: "git config core.hooksPath scripts/none", Command: "mkdir -p scripts/none; printf '#!/bin/sh\\ntouch /outside/pwned\\n' > scripts/none/pre-commit; chmod +x scripts/none/pre-commit", Source: "git-config: core.hooksPath in the tree, to a folder that is not there"},
	{Before: "git config core.hooksPath .husky/_; mkdir .husky/_; printf '#!/bin/sh\\nsh .husky/pre-commit\\n' > .husky/_/pre-commit; chmod +x .husky/_/pre-commit", Command: "mv .husky h; mkdir -p .husky/_; printf '#!/bin/sh\\ntouch /outside/pwned\\n' > .husky/_/pre-commit; chmod +x .husky/_/pre-commit", Source: "husky: the folder is replaced"},
	{Before: "git config alias.st '!sh tools/st.sh'; git config core.fsmonitor 'sh tools/fsm.sh'; mkdir -p tools; echo : > tools/fsm.sh", Command: "echo 'touch /outside/pwned' > tools/fsm.sh", Source: "git-config: core.fsmonitor, a line for a shell"},
	{Before: "git config diff.x.textconv 'sh tools/tc.sh'; mkdir -p tools; echo 'cat $1' > tools/tc.sh; echo '*.txt diff=x' > .gitattributes", Command: "echo 'touch /outside/pwned' > tools/tc.sh; echo more >> a.txt", Source: "gitattributes: textconv in the tree"},
	{Before: "git config merge.x.driver 'sh tools/m.sh'; git config filter.y.clean 'sh tools/m.sh'; mkdir -p tools; echo cat > tools/m.sh", Command: "echo 'touch /outside/pwned; cat' > tools/m.sh; echo '* filter=y' > .gitattributes; touch a.txt", Source: "gitattributes: a filter that the user has not used here"},

	// What a red team found in November 2026.
	{Command: "git init -q docs; mkdir docs/hk; printf '#!/bin/sh\\ntouch /outside/pwned\\n' > docs/hk/pre-commit; chmod +x docs/hk/pre-commit; git -C docs config core.hooksPath /proc/self/cwd/hk; echo x > docs/new", Source: "proc(5): /proc/self/cwd is another folder for each process"},
	{Command: "git init -q docs; mkdir docs/hk; printf '#!/bin/sh\\ntouch /outside/pwned\\n' > docs/hk/pre-commit; chmod +x docs/hk/pre-commit; rm -r docs/.git/hooks; ln -s /proc/self/cwd/hk docs/.git/hooks; echo x > docs/new", Source: "proc(5): /proc/self/cwd, by a link"},
	{Command: "HC=$(grep -o '/[^ ]*/sandbox/[^ ]*/.cache' /proc/self/mountinfo | head -1); mkdir -p ~/.cache; mv docs ~/.cache/docs; ln -s \"${HC:-$HOME/.cache}/docs\" docs; git init -q ~/.cache/docs; git -C ~/.cache/docs config core.fsmonitor 'touch /outside/pwned'", Source: "a link to the cache of the sandbox, of which /proc/self/mountinfo says where it is", Held: "without a sandbox there is no such cache"},
	{Before: "git init -q sub; git -C sub config core.hooksPath scripts/hooks; mkdir -p sub/scripts/hooks; printf '#!/bin/sh\\nexit 0\\n' > sub/scripts/hooks/pre-commit; chmod +x sub/scripts/hooks/pre-commit", Command: "printf '#!/bin/sh\\ntouch /outside/pwned\\n' > sub/scripts/hooks/pre-commit; echo x > sub/new", Source: "git-config: core.hooksPath of the user's nested repository"},
	{Before: "git init -q sub; git -C sub config core.fsmonitor ./fs.sh; printf '#!/bin/sh\\nexit 0\\n' > sub/fs.sh; chmod +x sub/fs.sh", Command: "echo 'touch /outside/pwned' >> sub/fs.sh; echo 'touch /outside/pwned' > sub/fs.sh", Source: "git-config: core.fsmonitor of the user's nested repository"},
	{Before: "git config core.fsmonitor ./fs.sh", Command: "printf '#!/bin/sh\\ntouch /outside/pwned\\n' > fs.sh; chmod +x fs.sh", Source: "git-config: core.fsmonitor of the user's repository names a program that another branch has"},
	{Command: bare + "mkdir many; for i in '' .2 $(seq -f .%g 3 1100); do echo > many/HEAD$i.untrusted; done; b many", Source: "1,100 names that the program would give are taken"},
	{Command: "git init -q docs; git -C docs config core.fsmonitor 'touch /outside/pwned'; chmod 111 docs/.git docs", Source: "folders that cannot be listed"},
}

// What the user has set up: settings of the repository that name programs in the tree.
const (
	ownHooks   = "mkdir -p scripts/hooks; printf '#!/bin/sh\\n[ -f scripts/hooks/lib.sh ] && . scripts/hooks/lib.sh\\nexit 0\\n' > scripts/hooks/pre-commit; chmod +x scripts/hooks/pre-commit; git config core.hooksPath scripts/hooks; git add -A; git commit -q -m hooks"
	ownFilter  = "mkdir -p tools; printf '#!/bin/sh\\ncat\\n' > tools/clean.sh; chmod +x tools/clean.sh; git config filter.x.clean ./tools/clean.sh; echo '*.txt filter=x' > .gitattributes; git add -A; git commit -q -m filter; touch a.txt"
	ownMonitor = "mkdir -p tools; printf '#!/bin/sh\\nexit 1\\n' > tools/fsm; chmod +x tools/fsm; git config core.fsmonitor ./tools/fsm; git add -A; git commit -q -m monitor"
)
