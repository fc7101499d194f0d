package sandbox

import (
	"os"
	"strings"
)

// managers are the programs that install packages, each with the words before the name of the package. They
// are tried in this order. Source: the names of the package at repology.org/project/bubblewrap.
var managers = []struct{ program, words string }{
	{"/usr/bin/apt-get", "apt-get install"},
	{"/usr/bin/dnf", "dnf install"},
	{"/usr/bin/pacman", "pacman -S"},
	{"/sbin/apk", "apk add"},
	{"/usr/bin/zypper", "zypper install"},
}

// containerFiles are what Docker and Podman put into a container.
var containerFiles = []string{"/.dockerenv", "/run/.containerenv"}

// installAdvice is the one command that installs bwrap on this machine, with what a container needs besides.
func installAdvice() string { return installAdviceFor(os.Getuid(), exists) }

func installAdviceFor(uid int, exists func(string) bool) string {
	text := "install the package bubblewrap"
	for _, m := range managers {
		if !exists(m.program) {
			continue
		}
		text += ": "
		if uid != 0 {
			text += "sudo "
		}
		text += m.words + " bubblewrap"
		break
	}
	for _, file := range containerFiles {
		if exists(file) {
			return text + "; this is a container, so it also needs to be " + containerStart
		}
	}
	return text
}

// containerStart is how a container is started in which bwrap can make namespaces. Docker's default filter of system
// calls refuses them, its AppArmor profile refuses mounts, and the paths that it masks in /proc keep a new
// /proc from being mounted.
const containerStart = "started with: docker run --security-opt seccomp=unconfined --security-opt apparmor=unconfined --security-opt systempaths=unconfined"

// bwrapAdvice is the next step for an error of bwrap.
func bwrapAdvice(detail string) string {
	switch {
	case strings.Contains(detail, "uid map"), strings.Contains(detail, "RTM_NEWADDR"):
		return "on Ubuntu, allow it in AppArmor: copy the profile bwrap-userns-restrict from extra-profiles to /etc/apparmor.d"
	case strings.Contains(detail, "namespace"), strings.Contains(detail, "slave"), strings.Contains(detail, "proc"):
		return "a container needs permission to make user namespaces: it can be " + containerStart
	}
	return ""
}
