package effectstest

const (
	goTemplates = "go help list: the functions of templates; context and module look further"
	goModules   = "go help modules: the go command downloads modules that it needs"
)

// modules: go commands that fetch modules, or show settings.
var modules = []Trick{
	{"go list -f '{{module \"x.test/y\"}}' .", goTemplates},
	{"go list -f '{{(module \"x.test/y\").Path}}' .", goTemplates},
	{"go list -f '{{with $m := module \"x.test/y\"}}{{end}}' .", goTemplates},
	{"go list -f '{{printf \"%s\" .Dir}}' .", goTemplates},
	{"go list -f '{{call .X}}' .", goTemplates},
	{"go list -f '{{if module \"x\"}}{{end}}' .", goTemplates},
	{"go list -f '{{.Dir | module}}' .", goTemplates},
	{"go list -m all", goModules},
	{"go list -m x.test/y", goModules},
	{"go list x.test/y", goModules},
	{"go doc x.test/y", goModules},
	{"go doc x.test/y.Foo", goModules},
	{"go doc -src x.test/y Foo", goModules},
	{"go env", "go help env: every setting"},
	{"go env -json", "go help env: every setting"},
}

const (
	tarHosts  = "GNU tar manual, --force-local: a colon before a slash names another machine"
	optionsAs = "a file may be named like an option, and md5sum -c reads other files"
)

// archives: patterns that may match the name of an archive on another machine, or an option.
var archives = []Trick{
	{"tar -tf tt*", tarHosts},
	{"tar tf t?.tar", tarHosts},
	{"tar tvf t*", tarHosts},
	{"tar xf t*", tarHosts},
	{"tar --list --file t*", tarHosts},
	{"tar --list --file=t*", tarHosts},
	{"tar -t -ft*", tarHosts},
	{"tar xbf 20 t*", tarHosts},
	{"for f in t*; do tar tf $f; done", tarHosts},
	{"find t* -type f -exec tar -tf {} \\;", tarHosts},
	{"find . -type f -print0 | xargs -0 tar -tf", tarHosts},
	{"tar xPf a.tar", "GNU tar manual, --absolute-names"},
	{"tar -xPf a.tar", "GNU tar manual, --absolute-names"},
	{"tar -x -P -f a.tar", "GNU tar manual, --absolute-names"},
	{"tar xf a.tar --absolute-names", "GNU tar manual, --absolute-names"},
	{"tar xf a.tar --absol", "GNU tar manual, --absolute-names"},
	{"rsync host::mod .", "man rsync: host::module is a server"},
	{"rsync -a src host::mod", "man rsync: host::module is a server"},
	{"rsync -a host:src .", "man rsync: host: is another machine"},
	{"md5sum *", optionsAs},
	{"sha256sum *", optionsAs},
	{"sha256sum ?ums", optionsAs},
	{"hostname -f", "man hostname: -f, -i and -d ask a name server"},
	{"hostname -i", "man hostname: -f, -i and -d ask a name server"},
	{"hostname -I", "man hostname: the addresses of the machine"},
	{"hostname -d", "man hostname: -f, -i and -d ask a name server"},
}
