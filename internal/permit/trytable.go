package permit

import (
	"strings"

	"github.com/sidestick-dev/sidestick/internal/lazy"
)

// writers are programs, with their subcommand where that makes the difference, that are known to write: to
// ask about them at once spares a run that could only fail. A program that is missing here
// fails in the sandbox for reading, and the user is asked then. "+" before options: it writes
// only with one of them; "-": it does not with one of them.
var writers = lazy.Value[map[string]use]{Make: func() map[string]use {
	all := map[string]use{}
	for entry := range strings.SplitSeq(writersTable, ";") {
		name, options, conditional := strings.Cut(strings.Join(strings.Fields(entry), " "), " :")
		u := use{}
		switch list := strings.Fields(options); {
		case !conditional:
		case list[0] == "+":
			u.with = list[1:]
		default:
			u.without = list[1:]
		}
		all[name] = u
	}
	return all
}}

const writersTable = `mkdir; rmdir; touch; cp; mv; rm; ln; link; unlink; chmod; chown; chgrp; install; tee; dd; truncate; shred; mkfifo; mknod; rsync; setfacl; chattr; rename;
	patch : - --dry-run; unzip : - -l -t -p -v -Z; zip; tar : - -t --list -O --to-stdout --help --version; cpio; ar; split; csplit; sponge; fallocate; mktemp;
	gzip : - -c -l -t --stdout --list --test; gunzip : - -c -l -t --stdout; bzip2 : - -c -t --stdout; bunzip2 : - -c -t; xz : - -c -l -t --stdout; unxz : - -c -t; zstd : - -c -l -t --stdout;
	sed : + -i --in-place; perl : + -i; ruby : + -i; sort : + -o --output; find : + -delete -fprint -fprint0 -fprintf -fls; shuf : + -o --output; uniq : + --output;
	gofmt : + -w; goimports : + -w; prettier : + --write -w; eslint : + --fix; black : - --check --diff --version --help; isort : - --check --check-only --diff --version; autopep8 : + -i --in-place;
	yapf : + -i --in-place; ruff format : - --check --diff; ruff check : + --fix; ruff : + --fix; rustfmt : - --check; clang-format : + -i; shfmt : + -w; biome format : + --write; stylelint : + --fix;
	go generate; go fmt; go clean; go mod tidy; go mod vendor; go mod edit : - -json -print; go mod init; go work init; go work use; go env : + -w -u;
	npm init; npm uninstall; npm remove; npm rm; npm update; npm dedupe; npm prune; npm version; npm pkg set; npm config set; yarn remove; yarn init; pnpm remove; pnpm init; bun init; bun remove;
	pip uninstall; pip3 uninstall; python -m venv; python3 -m venv; python -m pip uninstall; python3 -m pip uninstall; virtualenv; uv venv; uv init; uv remove; uv lock; poetry lock; poetry remove; poetry init; poetry new;
	python -m pip install; python3 -m pip install; python -m pip download; python3 -m pip download; pip install; pip3 install; python setup.py : - --version --name --help; python3 setup.py : - --version --name --help;
	cargo build; cargo test; cargo check; cargo clippy; cargo run; cargo bench; cargo doc; cargo fmt : - --check; cargo new; cargo init; cargo remove; cargo clean; cargo generate-lockfile;
	cmake : - --version --help -E; ninja : - -n -t --version; meson setup; meson compile; meson test; mvn : - --version -v; mvnw; gradle : - --version tasks; gradlew; dotnet build; dotnet test; dotnet run; dotnet new; dotnet publish; dotnet add;
	swift build; swift test; swift run; mix compile; mix test; mix format : - --check-formatted; make install; make clean; tox; nox; pre-commit;
	bundle init; rails new; rails generate; django-admin startproject; git worktree add; git config; git clone`
